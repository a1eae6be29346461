"""Nobody waits for somebody else's request: quick gets and puts beside the longest requests there are.

Seen to fail when a page is filled in one go, when sizes are checked only after an update has been made and when a large
table is dropped in one commit (`…_noticed`).

The short form counts lines of Python instead of seconds, so that a busy machine changes nothing. In `make torture` time
is this process's own.
"""

from __future__ import annotations

import asyncio
import gc
import math
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bench.waiting import Call, fill, long_requests, percentile, waits
from sekkei.engine import Engine
from sekkei.engine.expressions import update
from sekkei.engine.history import jobs
from sekkei.engine.items import page
from sekkei.errors import DynamoDBError
from sekkei.store.aws.credentials import Credentials
from sekkei.store.remote import Remote
from sekkei.wire.server import Server
from tests.engine.operations.waiting import jobs_done
from tests.torture import amounts

ITEMS = 6_000
SECONDS = amounts.amount(1, 20)
LONGEST_SECONDS = 1.0
P99_SECONDS = 0.25
TURN_LINES = 300_000
"""Most of them parse an expression as long as DynamoDB allows, once."""
WRITER_LINES = 2_000_000


@asynccontextmanager
async def in_process(folder: Path) -> AsyncIterator[Call]:
    with Engine(folder / "store.db") as engine:
        yield engine.call


@asynccontextmanager
async def on_the_wire(folder: Path) -> AsyncIterator[Call]:
    with Engine(folder / "store.db") as engine:
        server = Server(engine)
        await server.start()
        client = Remote("us-east-1", f"http://127.0.0.1:{server.port}", Credentials("fake", "fake"))
        try:
            yield client.call
        finally:
            await client.close()
            await server.stop()


async def waited(call: Call, operation: str, request: dict[str, Any]) -> list[float]:
    await fill(call, ITEMS)
    await call("PutItem", {"TableName": "busy", "Item": {"pk": {"S": "with map"}, "m": {"M": {}}}})
    gc.collect()
    gc.freeze()  # or what hundreds of other tests have left is looked through while somebody waits
    done, taken = await waits(call, operation, request, SECONDS, time.process_time)
    assert done > 0
    return taken


@pytest.mark.torture
@pytest.mark.parametrize("name", long_requests())
@pytest.mark.parametrize("where", [in_process, on_the_wire])
async def test_others_go_on_within_their_bounds(tmp_path: Path, where: Any, name: str) -> None:
    async with where(tmp_path) as call:
        taken = await waited(call, *long_requests()[name])
    assert max(taken) < LONGEST_SECONDS
    # On the wire this process is also the client, and spends as much on the long request as the server.
    assert percentile(taken, 0.99) < P99_SECONDS * (2 if where is on_the_wire else 1)


class Enough(Exception):
    """There is no need to wait for the end of it."""


class Lines:
    """Counts the lines of Python that a thread runs: what takes a while takes many, on every machine."""

    def __init__(self, most: float) -> None:
        self.count = 0
        self._most = most

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        self.count += 1
        if self.count > self._most:
            raise Enough
        return self.trace

    def clock(self) -> float:
        """As if a line took a microsecond."""
        return self.count / 1e6


class Steps:
    """The lines of this thread and those of the writer; what else is done beside them keeps nobody."""

    def __init__(self) -> None:
        self.here = Lines(most=math.inf)
        self.writer = Lines(most=1.5 * WRITER_LINES)

    def __enter__(self) -> Steps:
        threading.settrace(self._begin)
        sys.settrace(self.here.trace)
        return self

    def __exit__(self, *exc_info: object) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def _begin(self, frame: Any, event: str, argument: Any) -> Any:
        """Whose thread begins?"""
        is_writer = threading.current_thread().name == "sekkei-writer"
        sys.settrace(self.writer.trace if is_writer else None)
        return self.writer.trace if is_writer else None


async def longest_turn(call: Call, steps: Steps, operation: str, request: dict[str, Any]) -> int:
    """The most lines that this event loop ran, during the request, before it let somebody else in."""
    task = asyncio.ensure_future(call(operation, request))
    longest, before = 0, steps.here.count
    while not task.done():
        await asyncio.sleep(0)
        longest, before = max(longest, steps.here.count - before), steps.here.count
    with suppress(DynamoDBError, Enough):
        await task
    return longest


async def turns(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, items: int = 250) -> tuple[int, int]:
    """Lines of the longest turn of the event loop, and lines that the writer ran for the request."""
    with Steps() as steps:
        for clock in ("perf_counter", "thread_time"):
            monkeypatch.setattr(page, clock, steps.here.clock)
        async with in_process(folder) as call:
            sys.settrace(None)
            await fill(call, items)
            await call("PutItem", {"TableName": "busy", "Item": {"pk": {"S": "with map"}, "m": {"M": {}}}})
            sys.settrace(steps.here.trace)
            written = steps.writer.count
            longest = await longest_turn(call, steps, *long_requests()[name])
            return longest, steps.writer.count - written


@pytest.mark.parametrize("name", long_requests())
async def test_others_go_on(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In lines, which a busy machine does not change; the bounds in seconds are for a quiet one (`make torture`)."""
    longest, written = await turns(tmp_path, name, monkeypatch)
    assert longest < TURN_LINES
    assert written < WRITER_LINES


async def test_a_page_in_one_go_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "SLICE_SECONDS", 100.0)
    monkeypatch.setattr(page, "PAGE_SECONDS", 100.0)
    longest, _ = await turns(tmp_path, "Scan with a long filter", monkeypatch, items=1_000)
    assert longest > 2 * TURN_LINES


async def test_sizes_checked_at_the_end_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "_check_sizes", lambda documents: None)
    _, written = await turns(tmp_path, "one list into 250 places of a map", monkeypatch)
    assert written > WRITER_LINES


async def test_a_long_page_ends_after_its_time_and_the_rest_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = count()
    for clock in ("perf_counter", "thread_time"):
        monkeypatch.setattr(page, clock, lambda: next(looks) * 0.0005)  # half a millisecond for each item
    monkeypatch.setattr(page, "PAGE_SECONDS", 0.02)
    operation, request = long_requests()["Scan with a long filter"]
    async with in_process(tmp_path) as call:
        await fill(call, 1_000)
        scanned, pages, start = 0, 0, {}
        while True:
            answer = await call(operation, {**request, **start})
            scanned, pages = scanned + answer["ScannedCount"], pages + 1
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert scanned == 1_000
    assert 20 <= pages <= 30  # 40 items in each, less what is spent between slices


async def test_a_machine_that_does_other_things_cuts_no_page_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page may take a second of work, however long that is by the clock."""
    looks = count()
    monkeypatch.setattr(page, "perf_counter", lambda: next(looks) * 10.0)
    operation, request = long_requests()["Scan with a long filter"]
    async with in_process(tmp_path) as call:
        await fill(call, 50)
        answer = await call(operation, request)
    assert answer["ScannedCount"] == 50
    assert "LastEvaluatedKey" not in answer


async def test_a_table_deleted_between_two_slices_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "SLICE_SECONDS", 0.0)
    operation, request = long_requests()["Scan with a long filter"]
    begun, deleted = asyncio.Event(), asyncio.Event()

    async def yield_to_loop() -> None:
        if asyncio.current_task() is task:
            begun.set()
            await deleted.wait()

    async with in_process(tmp_path) as call:
        await fill(call, 500)
        monkeypatch.setattr("sekkei.engine.engine._yield_to_loop", yield_to_loop)
        task = asyncio.ensure_future(call(operation, request))
        await begun.wait()
        await call("DeleteTable", {"TableName": "busy"})
        deleted.set()
        with pytest.raises(Exception, match="Requested resource not found"):
            await task


async def pieces_of_a_drop(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each commit takes away, where every look at the clock says that the time for one is over."""
    looks, part, pieces = count(), jobs._part, []

    def counted(transaction: Any, *arguments: Any) -> bool:
        before = transaction.connection.total_changes()
        done = part(transaction, *arguments)
        pieces.append(transaction.connection.total_changes() - before)
        return done

    monkeypatch.setattr(jobs, "perf_counter", lambda: float(next(looks)))
    monkeypatch.setitem(jobs.KINDS, "drop", jobs.JobKind(counted, jobs._finish))
    with Engine(folder / "store.db") as engine:
        await fill(engine.call, 1_000)
        for number in range(50):  # five megabytes, which are too many for one commit
            blob = {"pk": {"S": f"b{number}"}, "b": {"S": "x" * 100_000}}
            await engine.call("PutItem", {"TableName": "busy", "Item": blob})
        await engine.call("DeleteTable", {"TableName": "busy"})
        await jobs_done(engine)
    return pieces


async def test_a_large_table_is_deleted_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers are kept waiting by no piece of it."""
    pieces = await pieces_of_a_drop(tmp_path, monkeypatch)
    assert sum(pieces) + jobs.ROWS_AT_A_TIME >= 1_050
    assert max(pieces) <= jobs.ROWS_AT_A_TIME


async def test_a_table_dropped_at_once_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "AT_ONCE_BYTES", 1_000_000_000)
    assert await pieces_of_a_drop(tmp_path, monkeypatch) == []
