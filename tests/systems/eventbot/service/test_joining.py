"""Places, the waiting list and other answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from sekkei_systems.eventbot.demo.guild import GUILD_ID
from sekkei_systems.eventbot.design import (
    Answer,
    Event,
    Member,
    SignUpOption,
    Status,
    events,
    members,
    replies_of_event,
)
from sekkei_systems.eventbot.refusals import (
    AlreadyIn,
    Cancelled,
    Closed,
    NoSuchEvent,
    NoSuchOption,
    NotIn,
    OptionFull,
    Started,
)
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.rules.drafts import Draft
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.joining import Crowds
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, YUI, Bot, somebody


async def test_leaving_after_the_closing_tells_the_organiser(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.service.events.close(await quick.host(AOI, event.event_id))
    await quick.service.joining.leave(REN.actor, event.event_id)
    await quick.work()
    told = [body for _, body in await quick.posts() if "取り消しました" in body.get("content", "")]
    assert [one["allowed_mentions"] for one in told] == [{"users": [AOI.id]}]
    with pytest.raises(NotIn):
        await quick.service.joining.leave(REN.actor, event.event_id)


async def test_nobody_leaves_what_has_started(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=1))
    await quick.service.joining.join(REN.actor, event.event_id)
    quick.clock.advance(3601)
    with pytest.raises(Started):
        await quick.service.joining.leave(REN.actor, event.event_id)
    with pytest.raises(Started):
        await quick.service.joining.join(MEI.actor, event.event_id)


async def test_maybe_and_no_give_the_place_to_whoever_waits(quick: Bot) -> None:
    event = await quick.event(capacity=1)
    await quick.service.joining.join(REN.actor, event.event_id)
    assert (await quick.service.joining.join(MEI.actor, event.event_id)).waiting
    await quick.service.joining.answer(REN.actor, event.event_id, Answer.MAYBE)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [MEI.id]
    assert [one.user_id for one in view.maybe] == [REN.id]
    await quick.service.joining.answer(REN.actor, event.event_id, Answer.NO)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert ([one.user_id for one in view.no], view.maybe) == ([REN.id], ())


async def test_more_places_move_people_up_and_newcomers_queue_behind(quick: Bot) -> None:
    event = await quick.event(capacity=1)
    for person in (REN, MEI, SOTA):
        await quick.service.joining.join(person.actor, event.event_id)
        quick.clock.advance(0.01)
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    await quick.service.events.edit(
        await quick.host(AOI, event.event_id), Draft("会", start=now.event_start_at, capacity=2)
    )
    # A place is free, but somebody has waited for it: a newcomer does not overtake.
    assert (await quick.service.joining.join(YUI.actor, event.event_id)).waiting
    await quick.work()
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [REN.id, MEI.id]
    assert [one.user_id for one in view.waiting] == [SOTA.id, YUI.id]


async def test_a_name_is_kept_as_people_write_it(quick: Bot) -> None:
    """Tables, pages and spreadsheets have the name; only what goes into a message of Discord is escaped."""
    event = await quick.event(capacity=1)
    ren, mei = replace(REN.actor, name="ren_01 (昼)"), replace(MEI.actor, name="*mei*")
    await quick.service.joining.join(ren, event.event_id)
    await quick.service.joining.join(mei, event.event_id)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.username for one in (*view.members, *view.waiting)] == ["ren_01 (昼)", "*mei*"]


async def test_somebody_who_cannot_move_up_is_not_tried_forever(quick: Bot) -> None:
    """A row that should not be there, such as a place beside a place in the queue, must not hang the bot."""
    event = await quick.event(capacity=1)
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.service.joining.join(MEI.actor, event.event_id)
    place = Member(
        guild_id=GUILD_ID,
        event_id=event.event_id,
        user_id=MEI.id,
        username="mei",
        joined_at=quick.service.desk.now(),
    )
    await quick.service.desk.db.write(members.put(place))
    async with asyncio.timeout(60):
        await quick.service.joining.leave(REN.actor, event.event_id)


class Written:
    """Counts the transactions of a desk."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.transactions = 0
        done = Desk.transact

        async def counted(desk: Desk, *actions: Any, **given: Any) -> None:
            self.transactions += 1
            await done(desk, *actions, **given)

        monkeypatch.setattr(Desk, "transact", counted)


async def test_a_crowd_shares_transactions_and_keeps_its_order(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    event = await quick.event(capacity=40)
    written = Written(monkeypatch)
    people = [somebody(number) for number in range(96)]
    joined = await asyncio.gather(*(quick.service.joining.join(one.actor, event.event_id) for one in people))
    assert written.transactions == 4  # 32 come in, 8 come in and 24 queue, 32 queue
    assert [one.waiting for one in joined] == [False] * 40 + [True] * 56
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id for one in view.members} == {one.id for one in people[:40]}
    assert (view.event.member_count, view.event.waiting_count, len(view.waiting)) == (40, 56, 56)


async def test_a_crowd_shares_transactions_by_option_too(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    raid = tuple(drafts.read_options("Tank 8\nDPS 40"))
    event = await quick.event(options=raid, capacity=44)
    written = Written(monkeypatch)
    people = [somebody(number) for number in range(64)]
    ways = ["01" if number % 4 == 0 else "02" for number in range(64)]
    choose = quick.service.joining.choose
    asking = (choose(one.actor, event.event_id, way) for one, way in zip(people, ways, strict=True))
    joined = await asyncio.gather(*asking)
    assert written.transactions <= 10, "and not one for each of 64"
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id for one in view.members} == {
        one.id for one, got in zip(people, joined, strict=True) if not got.waiting
    }
    seated, waiting = (Counter(one.option_id for one in rows) for rows in (view.members, view.waiting))
    now = view.event
    assert (now.member_count, now.waiting_count) == (len(view.members), len(view.waiting)) == (44, 20)
    for id, option in now.options.items():
        assert (option.member_count, option.waiting_count) == (seated[id], waiting[id])
        assert option.member_count <= (option.capacity or 0)


async def test_a_crowd_at_an_option_that_is_not_there_is_told_so(quick: Bot) -> None:
    event = await quick.event(options=tuple(drafts.read_options("Tank 8")))
    asking = [quick.service.joining.choose(one.actor, event.event_id, "07") for one in (MEI, REN)]
    found = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(one) for one in found] == [NoSuchOption, NoSuchOption]


async def test_one_who_cannot_come_in_keeps_nobody_out(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    asking = [quick.service.joining.join(one.actor, event.event_id) for one in (MEI, REN, SOTA, SOTA)]
    mei, ren, *sota = await asyncio.gather(*asking, return_exceptions=True)
    assert not isinstance(mei, BaseException)
    assert isinstance(ren, AlreadyIn)
    assert [isinstance(one, AlreadyIn) for one in sota].count(True) == 1
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert view.event.member_count == len(view.members) == 3


async def test_a_crowd_at_a_closed_event_is_told_so(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.events.close(await quick.host(AOI, event.event_id))
    asking = [quick.service.joining.join(one.actor, event.event_id) for one in (MEI, REN)]
    assert [type(one) for one in await asyncio.gather(*asking, return_exceptions=True)] == [Closed, Closed]
    gone = [quick.service.joining.join(one.actor, "EVT#nowhere") for one in (MEI, REN)]
    assert [type(one) for one in await asyncio.gather(*gone, return_exceptions=True)] == [NoSuchEvent, NoSuchEvent]


async def test_within_a_second_too_the_first_stands_first(quick: Bot) -> None:
    """Times are stored to the second, and the sort key orders by user."""
    event = await quick.event()
    people = [SOTA, MEI, REN]
    for person in people:
        await quick.service.joining.join(person.actor, event.event_id)
        quick.clock.advance(0.01)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert len({one.joined_at for one in view.members}) == 1
    assert [one.user_id for one in view.members] == [one.id for one in people]


@pytest.mark.parametrize("before", ["nothing", "in", "waiting"])
async def test_nothing_is_said_to_what_was_called_off_meanwhile(
    quick: Bot, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever removes an event stops it first and then takes away what was said: later words would stay for ever."""
    event = await quick.event(capacity=1)
    if before == "waiting":
        await quick.service.joining.join(MEI.actor, event.event_id)
    if before != "nothing":
        await quick.service.joining.join(REN.actor, event.event_id)
    db = quick.service.desk.db
    sound, told = db.snapshot, await db.all(replies_of_event(GUILD_ID, event.event_id))

    async def snapshot(*refs: Any) -> Any:
        found = await sound(*refs)
        stopped = events.update(GUILD_ID, event.event_id).set(Event.status, Status.CLOSED)
        await db.write(stopped.set(Event.cancelled_at, quick.service.desk.now()))
        return found

    monkeypatch.setattr(db, "snapshot", snapshot)
    with pytest.raises(Cancelled):
        await quick.service.joining.answer(REN.actor, event.event_id, Answer.NO)
    assert await db.all(replies_of_event(GUILD_ID, event.event_id)) == told


async def test_two_who_joined_before_there_were_options_do_not_share_a_place(
    quick: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await quick.event(capacity=2)
    joining, db = quick.service.joining, quick.service.desk.db
    for person in (REN, MEI):
        await joining.join(person.actor, event.event_id)
    one = SignUpOption(name="机", capacity=1, position=1)
    await db.write(events.update(GUILD_ID, event.event_id).set(Event.options, {"01": one}))
    sound = db.snapshot

    async def snapshot(*refs: Any) -> Any:
        found = await sound(*refs)
        monkeypatch.setattr(db, "snapshot", sound)
        await joining.choose(MEI.actor, event.event_id, "01")
        return found

    monkeypatch.setattr(db, "snapshot", snapshot)
    with pytest.raises(OptionFull):
        await joining._choose(REN.actor, event.event_id, "01", late=False)
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    assert (now.member_count, now.options["01"].member_count) == (2, 1)


# Those who come together are served together.


class CrowdCounter:
    """Serves whoever comes, and notes who came together; those called "nobody" are refused."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []

    async def __call__(self, key: str, askers: Sequence[str]) -> list[str | BaseException]:
        self.groups.append(list(askers))
        await asyncio.sleep(0)
        if "broken" in askers:
            raise RuntimeError("the counter fell over")
        return [LookupError(one) if one == "nobody" else f"{key}/{one}" for one in askers]


async def test_whoever_comes_meanwhile_is_served_next_in_order() -> None:
    counter = CrowdCounter()
    crowds = Crowds(counter, most=3)
    got = await asyncio.gather(*(crowds.served("a", str(number)) for number in range(7)))
    assert got == [f"a/{number}" for number in range(7)]
    assert counter.groups == [["0", "1", "2"], ["3", "4", "5"], ["6"]]
    assert await crowds.served("a", "alone") == "a/alone"


async def test_everybody_gets_their_own_refusal() -> None:
    crowds = Crowds(CrowdCounter(), most=3)
    got = await asyncio.gather(*(crowds.served("a", one) for one in ("x", "nobody", "y")), return_exceptions=True)
    assert [str(one) for one in got] == ["a/x", "nobody", "a/y"]


async def test_a_fault_is_told_to_all_of_its_group_and_to_nobody_else() -> None:
    counter = CrowdCounter()
    crowds = Crowds(counter, most=2)
    askers = ("broken", "with it", "later")
    got = await asyncio.gather(*(crowds.served("a", one) for one in askers), return_exceptions=True)
    assert [type(one) for one in got] == [RuntimeError, RuntimeError, str]


async def test_other_keys_do_not_wait_and_who_has_gone_is_no_obstacle() -> None:
    counter = CrowdCounter()
    crowds = Crowds(counter, most=9)
    gone = asyncio.create_task(crowds.served("a", "gone"))
    others = asyncio.gather(crowds.served("a", "stays"), crowds.served("b", "other"))
    await asyncio.sleep(0)
    gone.cancel()
    assert await others == ["a/stays", "b/other"]
    assert ["other"] in counter.groups
    with pytest.raises(asyncio.CancelledError):
        await gone
