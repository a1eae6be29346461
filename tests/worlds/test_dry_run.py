"""Runs of recurring work that would do nothing are left out; one that has something to do is done in its minute."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any

import pytest

from sekkei.design import Attr, Design, Key, attr, model, part
from sekkei.runtime import days
from sekkei.runtime.http import NETWORK, Http
from sekkei.runtime.system import Context, Parts, Payload, System
from sekkei.store.http import Answer
from sekkei.worlds import CALM, Script, World, run
from sekkei.worlds.clock import START
from sekkei.worlds.idle_skip import Quiet
from sekkei_systems.q.service.questions import Planning
from tests.worlds.q import WORLD as Q

design = Design("diary")
table = design.table("pages", "id")
HOURS = 8.0
AT = timedelta(hours=5, minutes=17)
"""So long after the beginning there is something to do, for two minutes and never again."""
Do = Callable[[Context, datetime], Awaitable[None]]


@model
class Page:
    id: Attr[str] = part()
    noted_at: Attr[datetime] = attr()


@table.entity(Page)
def pages(id: str) -> Key:
    return Key(f"{id}")


def note(context: Context, now: datetime) -> Awaitable[object]:
    return context.db.write(pages.put(Page(id=context.clock.uuid(), noted_at=now)))


async def writes(context: Context, now: datetime) -> None:
    await note(context, now)


async def writes_in_a_task(context: Context, now: datetime) -> None:
    await asyncio.gather(note(context, now), context.db.get(pages("none")))


async def writes_after_a_pause(context: Context, now: datetime) -> None:
    await asyncio.sleep(0)
    await note(context, now)


async def writes_what_it_can(context: Context, now: datetime) -> None:
    try:
        await note(context, now)
    except BaseException:
        return


async def asks_a_service(context: Context, now: datetime) -> None:
    """And writes the same whatever it says."""
    exchange = NETWORK.get()
    assert exchange is not None
    answer = await exchange("GET", "https://diary.example/", {}, b"")
    assert answer.status == 200
    await note(context, now)


class Service:
    asked = 0

    async def answer(self, *request: object) -> Answer:
        self.asked += 1
        return Answer(200, {}, b"")


def world(do: Do, hours: float = HOURS) -> Script:
    def build(context: Context) -> Parts:
        async def look(payload: Payload) -> None:
            await context.db.get(pages("none"))
            now = days.now(context.clock)
            since = now.timestamp() - START - AT.total_seconds()
            if 0 <= since < 120:
                await do(context, now)

        return Parts(scheduled={"look": look}, recurring={"look": "* * * * *"})

    async def demo(context: Context, parts: Parts) -> None:
        return None

    words = {"ja": "日記", "en": "Diary"}
    system = System(name="diary", title=words, about=words, design=design, build=build, demo=demo)
    script = Script("diary", [system], seconds=1.0, settle_seconds=hours * 3600)

    @script.prepares
    def open_the_service(world: World) -> None:
        world.internet.services["diary.example"] = world.given["service"] = Service()

    @script.always_in("pages")
    def somebody_looks_after_every_commit(world: World) -> None:
        world.given["commits"] = world.given.get("commits", 0) + 1

    @script.finally_
    def everything_was_noted_in_its_minute(world: World) -> None:
        noted = sorted(each.noted_at for each in world.decoded("pages"))
        late = [
            each.timestamp() - START - (AT + timedelta(minutes=number)).total_seconds()
            for number, each in enumerate(noted)
        ]
        assert (len(noted), world.given["commits"]) == (2, 3), noted  # and a last look at the end
        assert world.given["service"].asked in (0, 2)
        assert all(0 <= seconds < 15 for seconds in late), late

    return script


@pytest.mark.parametrize("do", [writes, writes_in_a_task, writes_after_a_pause, writes_what_it_can, asks_a_service])
def test_what_only_time_brings_is_done_in_its_minute(do: Do) -> None:
    assert run(world(do), 1, faults=CALM).broken == ""


def test_a_promise_sees_it_when_it_is_not_done() -> None:
    async def forgets(context: Context, now: datetime) -> None:
        await context.db.get(pages("none"))

    assert "everything_was_noted" in run(world(forgets), 1, faults=CALM).broken


def test_what_does_nothing_costs_no_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    start = run(world(writes, 0.05), 1, faults=CALM).calls
    idle = (run(world(writes), 1, faults=CALM).calls - start) / HOURS
    assert idle < 15
    monkeypatch.setattr(Quiet, "_rehearsed", lambda self, ear: inf)
    assert run(world(writes, 1.05), 1, faults=CALM).calls - start > 10 * idle


Says = Callable[[datetime], datetime | None]
FIRST_AT = datetime.fromtimestamp(START, UTC) + AT
"""When the diary has something to do."""


def saying(says: Says, tried: list[datetime] | None = None, write_at: timedelta | None = None) -> Script:
    """A world whose job writes once, at its time or as soon as somebody else has written, and says when else."""

    def build(context: Context) -> Parts:
        async def look(payload: Payload) -> datetime | None:
            now = days.now(context.clock)
            if tried is not None:
                tried.append(now)
            noted = await context.db.get(pages("noted"))
            asked = await context.db.get(pages("asked"))
            if noted is None and (asked is not None or now >= FIRST_AT):
                await context.db.write(pages.put(Page(id="noted", noted_at=now)))
                return None
            return says(now)

        async def ask(payload: Payload) -> None:
            await context.db.write(pages.put(Page(id="asked", noted_at=days.now(context.clock))))

        return Parts(scheduled={"look": look, "ask": ask}, recurring={"look": "* * * * *"})

    async def demo(context: Context, parts: Parts) -> None:
        return None

    words = {"ja": "日記", "en": "Diary"}
    system = System(name="diary", title=words, about=words, design=design, build=build, demo=demo)
    script = Script("diary", [system], seconds=1.0, settle_seconds=HOURS * 3600)

    @script.lives
    async def somebody_asks_for_it(world: World) -> None:
        if write_at is not None:
            opened = world.processes[0].app.state.shell.deployment.systems["diary"]
            at = datetime.fromtimestamp(START, UTC) + write_at
            await opened.context.schedules.put("diary/ask", "ask", {}, at=at)

    @script.finally_
    def it_was_noted_in_its_minute(world: World) -> None:
        noted = [each.noted_at for each in world.decoded("pages") if each.id == "noted"]
        due = FIRST_AT if write_at is None else datetime.fromtimestamp(START, UTC) + write_at
        assert len(noted) == 1
        assert timedelta(0) <= noted[0] - due <= timedelta(seconds=75), noted

    return script


def truly(now: datetime) -> datetime:
    return FIRST_AT if now < FIRST_AT else now + timedelta(days=365)


def test_work_that_says_when_is_tried_seldom_and_done_in_its_minute() -> None:
    tried: list[datetime] = []
    assert run(saying(truly, tried), 1, faults=CALM).broken == ""
    later = [each for each in tried if each.timestamp() > START + 60]
    assert len(later) < 40  # of 480 minutes


def test_what_it_said_is_forgotten_when_somebody_writes() -> None:
    assert run(saying(truly, write_at=timedelta(hours=2, minutes=3)), 1, faults=CALM).broken == ""


@pytest.mark.parametrize("late", [timedelta(minutes=1), timedelta(hours=1), timedelta(days=300)])
def test_work_that_says_too_late_a_time_breaks_its_world(late: timedelta) -> None:
    def wrongly(now: datetime) -> datetime:
        return truly(now) + late

    broken = run(saying(wrongly), 1, faults=CALM).broken
    assert broken.startswith("idle_until_it_says: at 2025-12-31 ")
    assert "diary's look said that it would find nothing before" in broken


def test_what_is_said_of_the_past_or_not_at_all_leaves_every_run_to_be_tried() -> None:
    for says in (lambda now: now, lambda now: None):
        tried: list[datetime] = []
        assert run(saying(says, tried), 1, faults=CALM).broken == ""
        assert len(tried) > 470


class Teller:
    """Says how late it is, and hears what it is told."""

    def __init__(self, changes_nothing: bool) -> None:
        self.get_changes_nothing = changes_nothing
        self.asked: list[str] = []

    async def answer(self, method: str, *request: object) -> Answer:
        self.asked.append(method)
        return Answer(200, {}, b"")


def asking(teller: Teller, method: str) -> Script:
    """A world whose job asks a service every minute, and does nothing else."""

    def build(context: Context) -> Parts:
        async def look(payload: Payload) -> None:
            assert (await Http().request(method, "https://diary.example/")).status == 200

        return Parts(scheduled={"look": look}, recurring={"look": "* * * * *"})

    async def demo(context: Context, parts: Parts) -> None:
        return None

    words = {"ja": "日記", "en": "Diary"}
    system = System(name="diary", title=words, about=words, design=design, build=build, demo=demo)
    script = Script("diary", [system], seconds=1.0, settle_seconds=3600)

    @script.prepares
    def open_the_service(world: World) -> None:
        world.internet.services["diary.example"] = teller

    return script


def test_who_only_looks_at_a_service_is_left_out_where_that_changes_nothing_there() -> None:
    looked_at, told, careful = Teller(changes_nothing=True), Teller(changes_nothing=True), Teller(changes_nothing=False)
    calls = [
        run(asking(each, method), 1, faults=CALM).calls
        for each, method in ((looked_at, "GET"), (told, "POST"), (careful, "GET"))
    ]
    assert [len(each.asked) > 55 for each in (looked_at, told, careful)] == [True] * 3
    assert 3 * calls[0] < min(calls[1:])
    assert len(told.asked) < 65, "a rehearsal tells nobody anything"
    assert len(careful.asked) < 65


def test_a_claim_of_ours_that_is_a_minute_late_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Q. says when the next question comes out. Seeds settle for minutes, so this one goes on for a day."""
    script = replace(Q, rests=(), settle_seconds=30 * 3600)
    assert run(script, 1).broken == ""
    sound = Planning.publish_due

    async def a_minute_late(self: Planning) -> Any:
        found = await sound(self)
        return found + timedelta(minutes=1) if isinstance(found, datetime) else found

    monkeypatch.setattr(Planning, "publish_due", a_minute_late)
    assert "q's publish said that it would find nothing" in run(script, 1).broken
