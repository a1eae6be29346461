"""One engine, two engines on one file, and an engine opened again."""

from __future__ import annotations

import asyncio
import copy
import dis
import subprocess
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from types import FrameType
from typing import Any

import apsw
import pytest

from sekkei.engine import Engine
from sekkei.engine import engine as engine_file
from sekkei.engine.storage import writer
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.writer import Job
from sekkei.errors import ValidationException
from sekkei.wire.service import Service
from tests.engine.conftest import Tables, item, key
from tests.engine.operations.calls import new_index
from tests.engine.operations.waiting import jobs_done


async def test_two_engines_on_one_file_see_each_other(tmp_path: object) -> None:
    path = f"{tmp_path}/store.db"
    with Engine(path) as one, Engine(path) as two:
        tables, others = Tables(one, None), Tables(two, None)  # type: ignore[arg-type]
        await tables.create_plain()
        await others.put("plain", pk="a", colour="red")
        assert await tables.get("plain", pk="a") == item(pk="a", colour="red")
        await tables("UpdateTable", TableName="plain", **new_index("by_colour", "colour"))
        # The other engine learns of the index before it writes.
        await others.put("plain", pk="b", colour="blue")
        await jobs_done(one)
        assert len(await tables.all("plain", "by_colour")) == 2
        await others("DeleteTable", TableName="plain")
        await others(
            "CreateTable",
            TableName="plain",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "N"}],
            KeySchema=key("id"),
            BillingMode="PAY_PER_REQUEST",
        )
        await others.put("plain", id=1)
        assert await tables.get("plain", id=1) == item(id=1)


async def test_what_was_written_is_there_after_a_restart(tmp_path: object) -> None:
    path = f"{tmp_path}/store.db"
    with Engine(path) as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        await tables.create_plain()
        await tables.put("plain", pk="a")
    with Engine(path) as engine:
        assert await Tables(engine, None).get("plain", pk="a") == item(pk="a")  # type: ignore[arg-type]


async def test_a_change_of_one_table_leaves_the_others_as_they_are(tables: Tables) -> None:
    """With a thousand tables, making all of them anew would cost a fifth of a second for each change."""
    await tables.create("one")
    await tables.create("two")

    async def known(name: str) -> Table:
        return await tables.engine._writer.run(lambda transaction: transaction.table(name))  # type: ignore[no-any-return]

    one, two = await known("one"), await known("two")
    await tables("UpdateTable", TableName="two", DeletionProtectionEnabled=True)
    assert await known("one") is one
    assert await known("two") is not two
    assert (await tables("DescribeTable", TableName="two"))["Table"]["DeletionProtectionEnabled"]


@pytest.mark.parametrize("name", [None, "store.db"])
@pytest.mark.parametrize("operation", ["PutItem", "DeleteTable"])
async def test_a_write_that_comes_as_the_store_closes_is_told(
    tmp_path: Path, name: str | None, operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waited for ever: its job came after the last one, and nobody was there to do it."""
    engine = Engine(name and tmp_path / name, housekeeping_seconds=None)
    tables = Tables(engine, None)  # type: ignore[arg-type]
    await tables.create_plain()
    make = engine._writer._job

    def late(*arguments: Any) -> Job:
        job = make(*arguments)
        engine.close()
        return job

    monkeypatch.setattr(engine._writer, "_job", late)
    request = {"TableName": "plain"} | ({"Item": item(pk="a")} if operation == "PutItem" else {})
    with pytest.raises(RuntimeError, match="This store is closed"):
        async with asyncio.timeout(60):
            await engine.call(operation, request)


async def test_who_goes_to_another_folder_still_means_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "CHECKPOINT_PAGES", 20)
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "one")
    with Engine("store.db") as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        await tables.create_plain()
        monkeypatch.chdir(tmp_path / "other")
        for number in range(100):
            await tables.put("plain", pk=f"{number}")
        assert await asyncio.to_thread(asyncio.run, tables.get("plain", pk="99")) == item(pk="99")
    assert list((tmp_path / "other").iterdir()) == []


async def test_a_store_whose_file_was_taken_away_is_not_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "CHECKPOINT_PAGES", 20)
    with Engine(tmp_path / "store.db") as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        await tables.create_plain()
        for path in tmp_path.iterdir():
            path.unlink()
        for number in range(100):
            await tables.put("plain", pk=f"{number}")
    assert [path.name for path in tmp_path.iterdir() if path.name == "store.db"] == []


def test_a_thread_that_ends_takes_its_connection_along(tmp_path: Path) -> None:
    """Each kept two descriptors, and after a thousand threads nothing could be opened any more."""
    with Engine(tmp_path / "store.db") as engine:
        before = len(apsw.connections())
        for _ in range(5):
            thread = threading.Thread(target=asyncio.run, args=(engine.call("ListTables", {}),))
            thread.start()
            thread.join()
        assert len(apsw.connections()) <= before


def test_a_store_opened_in_a_thread_that_has_ended_leaves_no_log(tmp_path: Path) -> None:
    made: list[Engine] = []
    thread = threading.Thread(target=lambda: made.append(Engine(tmp_path / "store.db")))
    thread.start()
    thread.join()
    made[0].close()
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]


def without_a_loop(call: Coroutine[Any, Any, object]) -> None:
    with pytest.raises(StopIteration):
        call.send(None)


CHANGED: list[tuple[str, dict[str, Any]]] = [
    ("PutItem", {"Item": item(pk="a", value="as called")}),
    ("PutItem", {"Item": item(pk="a", value="as called"), "ConditionExpression": "attribute_not_exists(pk)"}),
    ("PutItem", {"Item": item(pk="a", value="as called", many=[1] * 6_000)}),
    (
        "UpdateItem",
        {
            "Key": item(pk="a"),
            "UpdateExpression": "SET #value = :value",
            "ExpressionAttributeNames": {"#value": "value"},
            "ExpressionAttributeValues": {":value": {"S": "as called"}},
        },
    ),
]


@pytest.mark.parametrize("name", [None, "store.db"])
@pytest.mark.parametrize(("operation", "request_"), CHANGED)
async def test_what_a_caller_changes_after_the_call_is_not_written(
    tmp_path: Path, name: str | None, operation: str, request_: dict[str, Any]
) -> None:
    with Engine(name and tmp_path / name, housekeeping_seconds=None) as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        await tables.create_plain()
        request = {"TableName": "plain", **copy.deepcopy(request_)}
        # In memory the first of a turn is written where it is called.
        calls = [tables.put("plain", pk="another"), engine.call(operation, request)]
        tasks = [asyncio.ensure_future(call) for call in calls]
        await asyncio.sleep(0)
        if "many" in request.get("Item", {}):
            await asyncio.sleep(0.05)  # it is checked in a thread
        holder = request["Item"]["value"] if operation == "PutItem" else request["ExpressionAttributeValues"][":value"]
        holder["S"] = "changed"
        await asyncio.gather(*tasks)
        found = await tables.get("plain", pk="a")
        assert found is not None
        assert found["value"] == {"S": "as called"}


async def test_a_request_of_any_depth_is_refused_with_dynamodbs_words(engine: Engine) -> None:
    tables = Tables(engine, None)  # type: ignore[arg-type]
    await tables.create_plain()
    value: dict[str, Any] = {"S": "deep"}
    for _ in range(5_000):
        value = {"L": [value]}
    with pytest.raises(ValidationException, match="Nesting Levels"):
        await tables.put("plain", pk="a", value=value)


class Interrupting:
    """Raises KeyboardInterrupt where a signal may be heard in the writer's functions: after the nth call in them."""

    def __init__(self, nth: int) -> None:
        self.left = nth
        self._has_called: dict[FrameType, bool] = {}

    def __call__(self, frame: FrameType, event: str, argument: object) -> Interrupting | None:
        if frame.f_code.co_filename != writer.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.left -= self._has_called.get(frame, False)
            self._has_called[frame] = dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith("CALL")
            if self.left == 0:
                self.left = -1
                raise KeyboardInterrupt
        elif event == "exception":
            self._has_called[frame] = False
        return self


@pytest.mark.parametrize("name", [None, "store.db"])
def test_whoever_is_interrupted_leaves_the_store_to_others(tmp_path: Path, name: str | None) -> None:
    """Between taking the writer's turn and what puts it down, Ctrl-C left it taken, and the store could not be closed.
    After the transaction's begin, it kept other processes from writing."""
    traced = sys.gettrace()
    engine = Engine(name and tmp_path / name, housekeeping_seconds=None)
    tables = Tables(engine, None)  # type: ignore[arg-type]
    asyncio.run(tables.create_plain())
    connection = engine._writer._connection
    assert connection is not None
    nth, was_interrupted = 0, True
    while was_interrupted:
        nth, was_interrupted = nth + 1, False
        sys.settrace(Interrupting(nth))
        try:
            without_a_loop(tables.put("plain", pk="a", nth=nth))
        except KeyboardInterrupt:
            was_interrupted = True
        finally:
            sys.settrace(traced)
        assert not engine._writer._connection_lock.locked(), nth
        assert not connection.in_transaction, nth
    assert nth > 20
    assert asyncio.run(tables.get("plain", pk="a")) == item(pk="a", nth=nth)
    engine.close()


def leave_alone(call: Coroutine[Any, Any, object]) -> None:
    """An event loop that ends in the turn in which the call is made."""

    async def leaves() -> None:
        left.append(asyncio.ensure_future(call))

    left: list[asyncio.Future[object]] = []
    loop = asyncio.new_event_loop()
    loop.run_until_complete(leaves())
    loop.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_nobody_waits_for_any_more_does_not_come_after_what_was_acknowledged(tmp_path: Path) -> None:
    with Engine(tmp_path / "store.db") as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        asyncio.run(tables.create_plain())
        leave_alone(tables.put("plain", pk="a", colour="left alone"))
        asyncio.run(tables.put("plain", pk="a", colour="in a loop"))  # gathered, as that one was
        assert asyncio.run(tables.get("plain", pk="a")) == item(pk="a", colour="in a loop")
        leave_alone(tables.put("plain", pk="a", colour="left alone"))
        without_a_loop(tables.put("plain", pk="a", colour="without a loop"))
        assert asyncio.run(tables.get("plain", pk="a")) == item(pk="a", colour="without a loop")
    with Engine(tmp_path / "store.db") as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        assert asyncio.run(tables.get("plain", pk="a")) == item(pk="a", colour="without a loop")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_loop_that_ended_in_an_iteration_shares_no_commit(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wrote later, alone, was taken for one among several for as long as the store was open."""
    tables = Tables(engine, None)  # type: ignore[arg-type]
    asyncio.run(tables.create_plain())
    leave_alone(tables.put("plain", pk="a"))
    gathered: list[Job] = []
    monkeypatch.setattr(engine._writer, "_gather", lambda job, loop: gathered.append(job))
    asyncio.run(asyncio.wait_for(tables.put("plain", pk="b"), 60))
    assert gathered == []


FORKING = """
import asyncio, os, sys
from sekkei.engine import Engine

TABLE = {"TableName": "tab", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}

def put(engine, name):
    asyncio.run(engine.call("PutItem", {"TableName": "tab", "Item": {"pk": {"S": name}}}))

engine = Engine(sys.argv[1] or None)
asyncio.run(engine.call("CreateTable", TABLE))
put(engine, "before")
child = os.fork()
if not child:
    for deed in (lambda: put(engine, "child"), lambda: asyncio.run(engine.call("Scan", {"TableName": "tab"}))):
        try:
            deed()
        except RuntimeError as error:
            print(error, flush=True)
    engine.close()
    own = Engine(None)
    asyncio.run(own.call("CreateTable", TABLE))
    put(own, "child's own")
    own.close()
    sys.exit(0)
os.waitpid(child, 0)
put(engine, "after")
print(asyncio.run(engine.call("Scan", {"TableName": "tab"}))["Count"])
engine.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.parametrize("name", ["", "store.db"])
def test_a_forked_process_leaves_its_parents_store_alone(tmp_path: Path, name: str) -> None:
    """SQLite's connections must not be used on both sides of a fork."""
    path = str(tmp_path / name) if name else ""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKING, path], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    first, second, count = done.stdout.splitlines()
    assert (
        first == second == "This store was opened before this process was forked; open one in the process that uses it."
    )
    assert count == "2"


async def test_only_a_request_that_its_caller_keeps_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the wire nobody else has it, and a copy of a batch takes a fifth of its time."""
    copied: list[Any] = []
    monkeypatch.setattr(engine_file, "_own", lambda request: copied.append(request) or request)
    keys = [{"AttributeName": "pk", "KeyType": "HASH"}]
    types = [{"AttributeName": "pk", "AttributeType": "S"}]
    table = {"TableName": "tab", "KeySchema": keys, "AttributeDefinitions": types, "BillingMode": "PAY_PER_REQUEST"}
    with Engine(None) as engine:
        assert Service(engine)._call == engine.call_owned
        await engine.call("CreateTable", table)
        copied.clear()
        await engine.call_owned("UpdateItem", {"TableName": "tab", "Key": {"pk": {"S": "a"}}})
        assert copied == []
        await engine.call("UpdateItem", {"TableName": "tab", "Key": {"pk": {"S": "a"}}})
        assert len(copied) == 1
