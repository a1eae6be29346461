"""The log is put into the database while writes go on. Shared commits: `tests/engine/test_shared_commits.py`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from sekkei.engine import Engine
from sekkei.engine.storage import file, writer
from sekkei.engine.upkeep.verify import verify_file

PAGES = 20
TABLE = {
    "TableName": "tab",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(writer, "CHECKPOINT_PAGES", PAGES)
    return tmp_path / "store.db"


async def write(engine: Engine, numbers: range) -> None:
    for number in numbers:
        await engine.call("PutItem", {"TableName": "tab", "Item": {"pk": {"S": f"{number}"}}})


def pages_of_the_log(path: Path) -> int:
    connection = file.connect_to_read(str(path))
    try:
        pages, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    finally:
        connection.close()
    return pages


@contextmanager
def held(engine: Engine) -> Iterator[threading.Event]:
    """Whoever copies the log does not come to its end; the event says that somebody has begun."""
    began, may_end = threading.Event(), threading.Event()
    connect = engine._writer._connect

    def slow(*, as_it_is: bool = False) -> apsw.Connection:
        began.set()
        may_end.wait(100)
        return connect(as_it_is=as_it_is)

    engine._writer._connect = slow
    try:
        yield began
    finally:
        may_end.set()


async def test_others_write_while_the_log_is_put_into_the_database(path: Path) -> None:
    with Engine(path) as engine:
        await engine.call("CreateTable", TABLE)
        with held(engine) as began:
            await write(engine, range(20))
            assert began.wait(60)
            async with asyncio.timeout(60):
                await write(engine, range(20, 60))
                await engine._writer.run(lambda transaction: None)  # in the writer's own thread
            assert pages_of_the_log(path) > 2 * PAGES, "nothing was begun anew under the hands of who copies"
        for start in range(100, 3_000, 20):
            await write(engine, range(start, start + 20))
        assert pages_of_the_log(path) < 10 * PAGES, "the log is begun anew"
    assert list(verify_file(str(path))) == []


async def test_who_closes_waits_for_the_copy(path: Path) -> None:
    engine = Engine(path)
    await engine.call("CreateTable", TABLE)
    with held(engine) as began:
        await write(engine, range(20))
        assert began.wait(60)
        closing = asyncio.create_task(asyncio.to_thread(engine.close))
        done, _ = await asyncio.wait([closing], timeout=0.2)
        assert not done
    await closing
    assert not Path(f"{path}-wal").exists(), "all of it is in the database"


@pytest.mark.parametrize("fault", ["no connection", "no thread"])
async def test_a_copy_that_fails_is_made_at_the_end(path: Path, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: Any, **named: Any) -> Any:
        raise apsw.CantOpenError if fault == "no connection" else RuntimeError("can't start new thread")

    with Engine(path) as engine:
        await engine.call("CreateTable", TABLE)
        if fault == "no connection":
            monkeypatch.setattr(engine._writer, "_connect", fails)
        else:
            monkeypatch.setattr(writer.threading.Thread, "start", fails)
        for start in range(0, 3_000, 20):
            await write(engine, range(start, start + 20))
        assert pages_of_the_log(path) < 10 * PAGES
