"""A call that the roles of a system's functions would refuse is told; what tests ask for themselves is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sekkei.clock import SYSTEM as CLOCK
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.sealing import Sealed
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.wakeups import Watched
from sekkei.store import Embedded, Store, Weather
from sekkei.web import Given, Pages, Redirect
from sekkei.web.testing import opened
from sekkei.worlds import run
from sekkei_systems.tasks.system import SYSTEM
from tests import calls
from tests.web.example.design import design
from tests.worlds.eventbot import WORLD as eventbot_world


@pytest.fixture(autouse=True)
def nothing_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_seen", set())


async def told(monkeypatch: pytest.MonkeyPatch, without: str) -> list[str]:
    """What is said when somebody opens their teams and one action was never noted."""
    noted = frozenset(note for note in calls.allowed() if f"{note[2]} {note[3]}" != without)
    monkeypatch.setattr(calls, "allowed", lambda: noted)
    with calls.listening() as refused:
        store = Embedded()
        async with opened(SYSTEM, store=store, demo=True) as client:
            await store.call("Scan", {"TableName": "task-table-invitation-v3"})
            await client.sign_in("demo-aoi")
            assert (await client.get("/tasks/")).status == 200
        await store.close()
    return refused


async def test_what_is_noted_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await told(monkeypatch, without="") == []


async def test_what_is_not_noted_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    (said,) = await told(monkeypatch, without="task-table-v3 Query")
    assert said.startswith("Query on task-table-v3 by http: not in calls.json")


async def test_a_scan_of_the_test_itself_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await told(monkeypatch, without="task-table-invitation-v3 Scan") == []


async def test_what_is_noted_for_another_function_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages may not do what only the clock's function was seen to do."""
    everything = calls.allowed()
    noted = frozenset(note for note in everything if note[1:] != ("http", "task-table-v3", "Query"))
    assert noted != everything
    monkeypatch.setattr(calls, "allowed", lambda: noted | {(*next(iter(noted))[:1], "work", "task-table-v3", "Query")})
    with calls.listening() as refused:
        async with opened(SYSTEM, demo=True) as client:
            await client.sign_in("demo-aoi")
            assert (await client.get("/tasks/")).status == 200
    (said,) = refused
    assert "by http" in said


def test_what_nobody_asks_any_more_is_written_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "calls.json"
    file.write_text('{"http": {"things": ["GetItem", "PutItem", "Scan"]}}')
    monkeypatch.setattr(calls, "tables", lambda: {"things": [(str(file), "things")]})
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen" / "1.json").write_text(json.dumps([[str(file), "http", "things", "GetItem"]]))
    (tmp_path / "seen" / "2.json").write_text(json.dumps([[str(file), "work", "things", "PutItem"]]))
    (tmp_path / "seen" / "3.json").write_text(json.dumps([[str(file), "http?", "things", "PutItem"]]))
    told = calls.unasked(tmp_path / "seen")
    assert [each.partition("http may ")[2] for each in told] == [
        "PutItem on things, but only a test asked for it",
        "Scan on things, but nobody asked for it",
    ]
    calls.gather(tmp_path / "seen")
    assert len(calls.unasked(tmp_path / "seen")) == 1, "it stays until it is known who asks, and is told"
    assert json.loads(file.read_text()) == {"http": {"things": ["GetItem", "PutItem"]}, "work": {"things": ["PutItem"]}}


# --- whose call it is -------------------------------------------------------------------------------------------------

SERVICE = """
async def ask(store, operation, **more):
    return await store.call(operation, {"TableName": "things", **more})
"""
TABLE = {
    "TableName": "things",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
Told = Callable[[Callable[[Store], Awaitable[Any]]], Awaitable[set[str]]]
KEY = {"Key": {"id": {"S": "1"}}}


def within(place: str) -> Any:
    """`ask(store, operation)` as a file of this checkout would do it."""
    names: dict[str, Any] = {}
    exec(compile(SERVICE, f"{calls.ROOT}/{place}", "exec"), names)
    return names["ask"]


ask = within("systems/sekkei_systems/tasks/services/things.py")


@pytest.fixture
def things(monkeypatch: pytest.MonkeyPatch) -> Told:
    """What is told of somebody's calls on an empty table, when nothing is noted yet."""
    monkeypatch.setattr(calls, "tables", lambda: {"things": [("calls.json", "things")]})
    monkeypatch.setattr(calls, "allowed", frozenset)

    async def said(do: Callable[[Store], Awaitable[Any]]) -> set[str]:
        calls._seen.clear()
        with calls.listening() as refused:
            store = Embedded()
            await store.call("CreateTable", TABLE)
            await do(store)
            await store.close()
        return {one.partition(":")[0] for one in refused}

    return said


def on_pages(handler: Callable[[], Awaitable[Any]]) -> System:
    pages = Pages()

    @pages.get("/", name="first")
    async def first() -> Redirect:
        await handler()
        return Redirect("/sign-in")

    async def no_demo(context: Context, parts: Parts) -> None: ...

    parts = Parts(routes=pages.routes(Given()))
    return System(name="things", title={}, about={}, design=design, build=lambda context: parts, demo=no_demo)


async def visit(handler: Callable[[], Awaitable[Any]]) -> None:
    async with opened(on_pages(handler)) as client:
        assert (await client.get("/things/")).status == 303


async def test_a_page_scans_for_itself(things: Told) -> None:
    told = await things(lambda store: visit(lambda: ask(store, "Scan")))
    assert told == {"Scan on things by http"}


async def test_what_a_page_asks_side_by_side_is_its_own(things: Told) -> None:
    """A task has no callers that one could look at."""

    async def both(store: Store) -> None:
        plain = within("sekkei/design/things.py")  # the floor below, which the task begins with
        await asyncio.gather(plain(store, "Scan"), plain(store, "GetItem", **KEY))

    told = await things(lambda store: visit(lambda: both(store)))
    assert told == {"Scan on things by http", "GetItem on things by http"}


async def test_a_page_that_starts_a_job_writes_for_itself(things: Told) -> None:
    jobs = within("sekkei/runtime/jobs.py")
    assert await things(lambda store: visit(lambda: jobs(store, "DeleteItem", **KEY))) == {
        "DeleteItem on things by http"
    }
    assert await things(lambda store: jobs(store, "DeleteItem", **KEY)) == {"DeleteItem on things by work"}


async def test_a_job_scans_for_the_clock(things: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(store: Store) -> None:
        async def work_on(self: Jobs) -> None:
            await ask(store, "Scan")

        with monkeypatch.context() as patch:
            patch.setattr(Jobs, "work_on", calls._as("work", work_on))
            await Jobs.work_on(Jobs.__new__(Jobs))  # type: ignore[call-arg]

    assert await things(work) == {"Scan on things by work"}


async def test_what_is_done_at_once_or_later_is_asked_by_both(things: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page begins it; what it leaves over is the clock's."""

    class Inbox:
        async def handle(self, store: Store) -> None:
            await ask(store, "GetItem", **KEY)

    monkeypatch.setattr(calls, "shared", lambda: [(Inbox, "handle", ("http", "work"))])
    both = {"GetItem on things by http", "GetItem on things by work"}
    assert await things(lambda store: visit(lambda: Inbox().handle(store))) == both
    assert await things(lambda store: Inbox().handle(store)) == both, "by a test, which is no function"


def test_a_world_asks_for_its_functions(things: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the clock does there is heard, although the world stands between it and the engine."""
    monkeypatch.setattr(calls, "tables", lambda: {"Events": [("calls.json", "Events")]})
    calls._seen.clear()
    with calls.listening() as refused:
        assert run(eventbot_world, 0).operations
    assert {one.partition(":")[0] for one in refused} >= {
        "UpdateItem on Events by http",
        "UpdateItem on Events by work",
    }


async def test_a_scan_outside_of_functions_is_not_guessed(things: Told) -> None:
    assert await things(lambda store: ask(store, "Scan")) == {"Scan on things by some function"}
    assert await things(lambda store: ask(store, "GetItem", **KEY)) == {"GetItem on things by http"}


async def test_what_is_guessed_is_written_as_a_guess(things: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(calls.WRITING, "somewhere")
    assert await things(lambda store: ask(store, "GetItem", **KEY)) == {"GetItem on things by http?"}
    assert await things(lambda store: visit(lambda: ask(store, "GetItem", **KEY))) == {"GetItem on things by http"}


async def test_seams_do_not_hide_who_asks(things: Told) -> None:
    """A test's own call through the runtime's wrappers is no system's."""
    own = within("tests/systems/test_things.py")
    for door in (Watched, lambda store: Sealed(store, "things", ("body",), b"k" * 32)):
        assert await things(lambda store, door=door: own(door(store), "GetItem", **KEY)) == set()  # type: ignore[misc]
        assert await things(lambda store, door=door: ask(door(store), "GetItem", **KEY)) == {  # type: ignore[misc]
            "GetItem on things by http"
        }


async def test_demo_data_do_not_count(things: Told) -> None:
    names: dict[str, Any] = {"ask": ask}
    source = "async def load(store):\n    await ask(store, 'Query')\n"
    exec(compile(source, f"{calls.ROOT}/systems/sekkei_systems/tasks/demo.py", "exec"), names)

    async def load(store: Store) -> None:
        with pytest.raises(Exception, match="Key"):
            await names["load"](store)

    assert await things(load) == set()


async def test_bad_weather_asks_for_itself(things: Told) -> None:
    async def rainy(store: Store) -> None:
        weather = Weather(store, 1, index_lag=1.0, base_lag=1.0, clock=CLOCK)
        await ask(weather, "GetItem", **KEY)

    assert await things(rainy) == {"GetItem on things by http"}
