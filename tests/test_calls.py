"""A call that the roles of a system's functions would refuse is told; what tests ask for themselves is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekkei.store import Embedded
from sekkei.web.testing import opened
from sekkei_systems.tasks import SYSTEM
from tests import calls


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
    file.write_text('{"http": {"things": ["GetItem", "Scan"]}}')
    monkeypatch.setattr(calls, "tables", lambda: {"things": [(str(file), "things")]})
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen" / "1.json").write_text(json.dumps([[str(file), "http", "things", "GetItem"]]))
    (tmp_path / "seen" / "2.json").write_text(json.dumps([[str(file), "work", "things", "PutItem"]]))
    calls.gather(tmp_path / "seen")
    assert json.loads(file.read_text()) == {"http": {"things": ["GetItem"]}, "work": {"things": ["PutItem"]}}
