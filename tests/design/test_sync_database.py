"""The synchronous face has the calls of the asynchronous one, and works wherever there is no `await`."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import sekkei.design.retries as retries
from sekkei.clock import ManualClock
from sekkei.design import ConditionFailed, Database, NotFound, SyncDatabase, TransactionFailed
from sekkei.engine.engine import Engine
from sekkei.store import Embedded, Remote, Retries, Retrying, Weather
from sekkei.wire.server import Server
from tests.design.example import (
    Member,
    Task,
    Team,
    User,
    add_task,
    design,
    emails,
    everything,
    members,
    tasks,
    teams,
    totals,
    users,
)


@pytest.fixture(params=["embedded", "file", "wire"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SyncDatabase]:
    if request.param == "wire":
        with server() as url, design.open_sync(Remote(endpoint_url=url, credentials=("local", "local"))) as opened:
            opened.create_tables()
            yield opened
        return
    store = Embedded(tmp_path / "store.db" if request.param == "file" else None)
    with design.open_sync(store, secret=b"x") as opened:
        opened.create_tables()
        yield opened


class server:
    """The wire in a thread with a loop of its own."""

    def __enter__(self) -> str:
        self.engine, self.loop = Engine(None), asyncio.new_event_loop()
        self.server = Server(self.engine)
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        asyncio.run_coroutine_threadsafe(self.server.start("127.0.0.1", 0), self.loop).result()
        return f"http://127.0.0.1:{self.server.port}"

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self.server.stop(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.engine.close()


def calls(face: type[Any]) -> dict[str, list[Any]]:
    found = {}
    for name, method in inspect.getmembers(face, inspect.isfunction):
        if not name.startswith("_") and name not in ("measure_into", "measured"):
            found[name] = [(one.name, one.kind, one.default) for one in inspect.signature(method).parameters.values()]
    return found


def test_both_faces_have_the_same_calls() -> None:
    assert calls(SyncDatabase) == calls(Database)
    assert not [name for name in calls(SyncDatabase) if inspect.iscoroutinefunction(getattr(SyncDatabase, name))]


def test_every_call_works(db: SyncDatabase) -> None:
    task = Task(team_id="t", task_id="k", title="x")
    db.transact(add_task(task))
    assert db.get(tasks("t", "k")) == task
    assert db.need(totals("t")).todo == 1
    with pytest.raises(NotFound):
        db.need(tasks("t", "nobody"))
    again = tasks.create(task)
    with pytest.raises(ConditionFailed) as failed:
        db.write(again)
    assert failed.value.old(again) == task
    with pytest.raises(TransactionFailed):
        db.transact(again, totals.delete("t"))
    db.write_many(members.put(Member(team_id="t", user_id=str(n))) for n in range(30))
    db.write(teams.create(Team(team_id="t", name="ours")))
    assert db.get_many([members("t", "3"), members("t", "nobody")])[0] is not None
    query = members.where(Member.team_id == "t")
    assert len(list(db.each(query))) == len(db.all(query)) == db.count(query) == 30
    page = db.page(query, size=20)
    assert len(page) == 20
    assert len(db.page(query, size=20, after=page.cursor)) == 10
    assert db.first(everything.where(Team.team_id == "t")) is not None
    assert db.snapshot(tasks("t", "k"), teams("t"))[1] == Team(team_id="t", name="ours")
    db.write(users.create(User(user_id="u", email="a@b.c")))
    held = db.holder(emails, User.email == "a@b.c")
    assert held is not None
    assert held.user_id == "u"
    assert db.renew(tasks.scan()).cursor is None
    assert db.write(tasks.delete("t", "k"), token="once") == task


def test_on_a_store_in_this_process_everything_runs_in_the_caller_s_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    with design.open_sync(Embedded()) as db:
        db.create_tables()
        db.write(teams.put(Team(team_id="t", name="x")))
        before = set(threading.enumerate())
        monkeypatch.setattr(threading.Thread, "start", lambda self: pytest.fail("a thread for a call"))
        for n in range(50):
            db.write(teams.put(Team(team_id=str(n), name="x")))
            assert db.get(teams(str(n))) is not None
        assert set(threading.enumerate()) == before
        monkeypatch.undo()


async def test_inside_a_loop_that_is_running_as_in_a_notebook(tmp_path: Path) -> None:
    with design.open_sync(Embedded(tmp_path / "store.db")) as db:
        db.create_tables()
        db.write(teams.put(Team(team_id="t", name="x")))
        assert db.get(teams("t")) == Team(team_id="t", name="x")
        other = design.open(db.store)
        assert await other.get(teams("t")) is not None
        await asyncio.gather(*(other.write(teams.put(Team(team_id=str(n), name="x"))) for n in range(5)))


def test_many_threads_share_one(db: SyncDatabase) -> None:
    def add(n: int) -> None:
        db.write(totals.upsert("t").add(type(db.need(totals("t"))).todo, 1))

    db.transact(add_task(Task(team_id="t", task_id="k", title="x")))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(80)))
    assert db.need(totals("t")).todo == 81


def test_waiting_for_a_try_blocks_without_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(retries.time, "sleep", waited.append)
    calm = Embedded()
    with design.open_sync(calm, clock=ManualClock()) as db:
        db.create_tables()
        asyncio.run(_conflict_once(calm))
        db.write(teams.put(Team(team_id="t", name="x")))
    assert len(waited) == 1


async def _conflict_once(store: Embedded) -> None:
    from sekkei.errors import TransactionConflictException

    real, left = store.call, [1]

    async def call(operation: str, request: Any) -> Any:
        if operation == "PutItem" and left.pop() if left else False:
            raise TransactionConflictException
        return await real(operation, request)

    store.call = call  # type: ignore[method-assign]


def test_any_other_store_has_a_loop_of_its_own() -> None:
    weather = Weather(Embedded(), 3, latency=0.001, lost_responses=0.1)
    others = set(threading.enumerate())
    with design.open_sync(Retrying(weather, Retries(base_seconds=0.001))) as db:
        db.create_tables()
        for n in range(20):
            assert db.write(teams.create(Team(team_id=str(n), name="x"))).name == "x"
        assert "sekkei-loop" in {thread.name for thread in set(threading.enumerate()) - others}
    assert "sekkei-loop" not in {thread.name for thread in set(threading.enumerate()) - others}
