"""A call that the roles of a system's functions would refuse is told; what tests ask for themselves is not."""

from __future__ import annotations

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
    noted = frozenset(note for note in calls.allowed() if f"{note[1]} {note[2]}" != without)
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
    assert said.startswith("Query on task-table-v3: not in calls.json")


async def test_a_scan_of_the_test_itself_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await told(monkeypatch, without="task-table-invitation-v3 Scan") == []
