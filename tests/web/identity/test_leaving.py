"""The end of an account: at once for whoever leaves, in every system soon after, whatever is cut off meanwhile."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import jobs
from sekkei.store import Embedded
from sekkei.web.identity import leaving
from sekkei.web.identity.leaving import begin_leaving
from sekkei.web.identity.users import User, person_of
from sekkei.web.testing import Client, opened
from tests.web.example import SYSTEM

AOI, REN = "demo-aoi", "demo-ren"


@pytest.fixture
async def store() -> AsyncIterator[Embedded]:
    made = Embedded(clock=ManualClock())
    yield made
    await made.close()


@pytest.fixture
async def client(store: Embedded) -> AsyncIterator[Client]:
    async with opened(SYSTEM, store=store, clock=ManualClock()) as found:
        await found.sign_in(AOI)
        yield found


async def traces(store: Embedded, *marks: str) -> list[tuple[str, str]]:
    """Where a table says anything of somebody, looked at from below everything that could hide it."""
    found = []
    for table in (await store.call("ListTables", {}))["TableNames"]:
        rows: dict[str, Any] = await store.call("Scan", {"TableName": table})
        assert "LastEvaluatedKey" not in rows
        found += [(table, str(row)) for row in rows["Items"] if any(mark in str(row) for mark in marks)]
    return found


async def settle_in(client: Client) -> None:
    for text in ("牛乳", "卵", "パン"):
        await client.post("/example/", {"text": text})
    await client.post("/account/tokens", {"name": "script"})
    await client.post("/account/email", {"email": "new@example.com"})
    await client.shell.accounts.identities.link(AOI, "https://id.example", "aoi-1")
    await client.shell.apps.begin(await _account(client), "phone")
    await client.work()


async def _account(client: Client) -> Any:
    return await client.shell.accounts.get(AOI)


async def test_nothing_is_left_in_any_table(client: Client, store: Embedded) -> None:
    await settle_in(client)
    other = client.another()
    await other.sign_in(REN)
    await other.post("/example/", {"text": "蓮のメモ"})
    assert len(await traces(store, AOI, "aoi@demo.example")) > 5
    answer = await client.post("/account/leave", {"sure": "on"})
    assert (answer.status, answer.header("location")) == (303, "/")
    assert await _account(client) is None
    assert (await client.get("/account")).status == 303, "signed out at once, before any job has run"
    await client.work()
    assert await traces(store, AOI, "aoi@demo.example", "new@example.com", "https://id.example") == []
    assert (await other.get("/account")).status == 200
    assert "蓮のメモ" in (await other.get("/example/")).text


class Killed(BaseException):
    """As if the process had been killed: nobody catches it."""


@pytest.mark.parametrize("seed", range(4))
async def test_it_goes_on_after_any_cut(
    client: Client, store: Embedded, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Killed again and again, before or after where a job stands is written down."""
    await settle_in(client)
    await client.post("/account/leave", {"sure": "on"})
    clock, dice, kills, take = client.shell.clock, random.Random(seed), 0, jobs.take
    assert isinstance(clock, ManualClock)

    async def dying(runtime: Any, update: Any) -> Any:
        nonlocal kills
        fate = dice.random() if kills < 12 else 1.0
        kills += fate < 0.6
        if fate < 0.3:
            raise Killed
        answer = await take(runtime, update)
        if fate < 0.6:
            raise Killed
        return answer

    monkeypatch.setattr(jobs, "take", dying)
    for _ in range(100):
        try:
            await client.shell.deployment.worker.work_on_jobs()
        except Killed:
            clock.advance(61)
    assert kills == 12
    assert await traces(store, AOI, "aoi@demo.example", "new@example.com") == []


async def test_a_proof_a_tick_and_nothing_in_the_way(client: Client) -> None:
    assert (await client.post("/account/leave", {})).status == 422
    page = await client.get("/account/leave")
    assert "メモはすべて消えます。" in page.text
    await client.post("/example/", {"text": "hold me"})
    page = await client.get("/account/leave")
    assert "「hold me」を消してください。" in page.text
    assert 'name="sure"' not in page.text
    assert (await client.post("/account/leave", {"sure": "on"})).status == 409
    clock = client.shell.clock
    assert isinstance(clock, ManualClock)
    clock.advance(601)
    answer = await client.post("/account/leave", {"sure": "on"})
    assert (answer.header("location") or "").startswith("/prove")
    assert await _account(client) is not None


async def test_leaving_twice_is_leaving_once(client: Client) -> None:
    aoi = person_of(User(AOI, "aoi@demo.example", "葵", verified=True))
    assert await begin_leaving(client.shell, aoi, ["example"])
    assert not await begin_leaving(client.shell, aoi, ["example"])
    await client.work()


async def test_what_has_no_table_here_is_not_loaded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "load_all", lambda: pytest.fail("systems that have no table here were loaded"))
    assert "削除" in (await client.get("/account/leave")).text


async def test_a_system_of_another_process_is_told_too(store: Embedded) -> None:
    """Tables of a system that is installed but not served here: its job waits for a process that serves it."""
    from sekkei.runtime.discovery import load

    clock = ManualClock()
    async with opened(SYSTEM, load("tasks"), store=store, clock=clock) as both:
        await both.sign_in(AOI)
        await both.get("/tasks/")
    async with opened(SYSTEM, store=store, clock=clock) as alone:
        await alone.sign_in(AOI)
        assert "チームタスク" in (await alone.get("/account/leave")).text
        await alone.post("/account/leave", {"sure": "on"})
        await alone.work()
    waiting = await traces(store, "tasks/leave-account/")
    assert len(waiting) == 1
