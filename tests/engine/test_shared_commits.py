"""A single writer commits at once; simultaneous writers share commits. Counted, not timed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sekkei.engine import Engine
from sekkei.engine.operation import LARGE_ELEMENTS, is_large
from sekkei.engine.storage.writer import SOLO_COMMITS_MIN, Writer

LANES = 16
WRITES = 320
TABLE = {
    "TableName": "tab",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many jobs each commit had."""
    made: list[int] = []
    commit = Writer._commit

    def counted(self: Writer, connection: Any, jobs: list[Any], begun: bool) -> None:
        made.append(len(jobs))
        commit(self, connection, jobs, begun)

    monkeypatch.setattr(Writer, "_commit", counted)
    return made


async def write(engine: Engine, lanes: int) -> None:
    numbers: Iterator[int] = iter(range(WRITES))

    async def lane() -> None:
        for number in numbers:
            await engine.call("PutItem", {"TableName": "tab", "Item": {"pk": {"S": f"{number}"}}})

    await asyncio.gather(*(lane() for _ in range(lanes)))


@pytest.mark.parametrize("name", [None, "store.db"])
async def test_simultaneous_writes_share_commits(tmp_path: Path, name: str | None, commits: list[int]) -> None:
    with Engine(name and tmp_path / name) as engine:
        await engine.call("CreateTable", TABLE)
        await write(engine, LANES)  # until they know of each other
        commits.clear()
        await write(engine, LANES)
    assert sum(commits) >= WRITES
    assert len(commits) < WRITES / 4


async def test_a_slow_disk_syncs_once_for_all_of_an_iteration(
    tmp_path: Path, commits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one does not leave for the thread, and for an fsync of its own, while the others are still coming."""
    monkeypatch.setattr("sekkei.engine.storage.writer.SLOW_SECONDS", -1)
    with Engine(tmp_path / "store.db") as engine:
        await engine.call("CreateTable", TABLE)
        commits.clear()
        await write(engine, LANES)
    assert commits.count(LANES) == WRITES / LANES


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The thread of each commit that had company, on a disk that is never slow."""
    made: list[str] = []
    commit = Writer._commit

    def noted(self: Writer, connection: Any, jobs: list[Any], begun: bool) -> None:
        if len(jobs) > 1:
            made.append(threading.current_thread().name)
        commit(self, connection, jobs, begun)

    monkeypatch.setattr(Writer, "_commit", noted)
    monkeypatch.setattr("sekkei.engine.storage.writer.SLOW_SECONDS", 1_000.0)
    return made


async def test_shared_writes_without_reads_are_committed_on_the_loop(tmp_path: Path, threads: list[str]) -> None:
    with Engine(tmp_path / "store.db") as engine:
        await engine.call("CreateTable", TABLE)
        await write(engine, LANES)
    assert set(threads) == {threading.current_thread().name}


async def test_a_reader_does_not_wait_for_the_commits_of_writers(tmp_path: Path, threads: list[str]) -> None:
    async def read(engine: Engine) -> None:
        while True:
            await engine.call("GetItem", {"TableName": "tab", "Key": {"pk": {"S": "1"}}})
            await asyncio.sleep(0)

    with Engine(tmp_path / "store.db") as engine:
        await engine.call("CreateTable", TABLE)
        reader = asyncio.create_task(read(engine))
        await write(engine, LANES)
        reader.cancel()
    assert set(threads) == {"sekkei-writer"}


async def test_a_writer_alone_again_commits_at_once_again(commits: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine(None) as engine:
        await engine.call("CreateTable", TABLE)
        await write(engine, LANES)
        await write(engine, 1)
        gathered: list[object] = []
        monkeypatch.setattr(engine._writer, "_gather", lambda *job: gathered.append(job))
        monkeypatch.setattr(engine._writer, "_put", gathered.append)
        commits.clear()
        await write(engine, 1)
        assert commits == [1] * WRITES
        assert gathered == []
    assert SOLO_COMMITS_MIN < WRITES


@pytest.mark.parametrize(
    ("value", "large"),
    [
        ({"S": "x" * 100_000}, False),
        ({"B": b"x" * 100_000}, False),
        ({"L": [{"N": "1"}] * (LARGE_ELEMENTS // 3)}, False),
        ({"L": [{"N": "1"}] * LARGE_ELEMENTS}, True),
        ({"L": [{"B": b"1"}] * LARGE_ELEMENTS}, True),
        ({"SS": ["1"] * (LARGE_ELEMENTS + 1)}, True),
    ],
)
def test_what_is_large_has_many_elements(value: dict[str, Any], large: bool) -> None:
    assert is_large({"TableName": "tab", "Item": {"pk": {"S": "a"}, "v": value}}) is large
