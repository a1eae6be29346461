"""The people of an event: the queue, what a host does with people, and the order in which they are listed."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from sekkei.runtime.refusals import Refusal
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import GUILD_ID, RECRUIT, Person
from sekkei_systems.eventbot.design import Answer, Event, Reply
from sekkei_systems.eventbot.refusals import (
    AlreadyIn,
    AlreadyMember,
    AlreadyWaiting,
    ChooseOption,
    NoSuchMember,
    NoSuchOption,
    NotIn,
    OptionFull,
    OptionTaken,
)
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.service.members import Hands, Queue
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, YUI, Bot, somebody

# The queue: places of options go to whoever waits for them, and counters equal a recount whatever happens.


RAID = tuple(drafts.read_options("🛡️ Tank 1\n💚 Healer 1\n⚔️ DPS 2"))
TANK, HEALER, DPS = "01", "02", "03"


async def recounted(bot: Bot, event: Event) -> Event:
    """The event, whose counters are those of the rows."""
    view = await bot.service.events.view(GUILD_ID, event.event_id)
    now = view.event
    assert (now.member_count, now.waiting_count) == (len(view.members), len(view.waiting))
    members, waiting = Counter(one.option_id for one in view.members), Counter(one.option_id for one in view.waiting)
    for id, option in now.options.items():
        assert (option.member_count, option.waiting_count) == (members[id], waiting[id]), option.name
    return now


async def test_each_option_has_places_and_a_queue_of_its_own(bot: Bot) -> None:
    event = await bot.event(options=RAID)
    joining = bot.service.joining
    assert not (await joining.choose(REN.actor, event.event_id, TANK)).waiting
    assert (await joining.choose(MEI.actor, event.event_id, TANK)).waiting
    assert not (await joining.choose(SOTA.actor, event.event_id, HEALER)).waiting, "another option has places"
    with pytest.raises(AlreadyIn):
        await joining.choose(REN.actor, event.event_id, TANK)
    with pytest.raises(AlreadyWaiting) as again:
        await joining.choose(MEI.actor, event.event_id, TANK)
    assert again.value.values["position"] == 1
    await joining.leave(REN.actor, event.event_id)
    now = await recounted(bot, event)
    view = await bot.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id: one.option_id for one in view.members} == {MEI.id: TANK, SOTA.id: HEALER}
    assert now.waiting_count == 0
    with pytest.raises(ChooseOption):
        await joining.join(YUI.actor, event.event_id)


async def test_changing_frees_the_old_place_and_never_costs_it(quick: Bot) -> None:
    event = await quick.event(options=RAID)
    joining = quick.service.joining
    await joining.choose(REN.actor, event.event_id, TANK)
    await joining.choose(MEI.actor, event.event_id, TANK)  # waits
    await joining.choose(SOTA.actor, event.event_id, HEALER)
    with pytest.raises(OptionFull):
        await joining.choose(REN.actor, event.event_id, HEALER)
    await joining.choose(REN.actor, event.event_id, DPS)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id: one.option_id for one in view.members} == {REN.id: DPS, MEI.id: TANK, SOTA.id: HEALER}
    await recounted(quick, event)


async def test_whoever_waits_can_wait_for_something_else(quick: Bot) -> None:
    event = await quick.event(options=RAID)
    joining = quick.service.joining
    await joining.choose(REN.actor, event.event_id, TANK)
    await joining.choose(MEI.actor, event.event_id, TANK)
    assert not (await joining.choose(MEI.actor, event.event_id, DPS)).waiting, "there is a place: it is theirs at once"
    await recounted(quick, event)
    await joining.answer(MEI.actor, event.event_id, Answer.MAYBE)
    await joining.choose(SOTA.actor, event.event_id, TANK)
    await joining.leave(SOTA.actor, event.event_id)
    now = await recounted(quick, event)
    assert (now.member_count, now.waiting_count) == (1, 0)


async def test_places_over_all_go_to_the_first_who_can_have_one(quick: Bot) -> None:
    event = await quick.event(options=RAID, capacity=2)
    joining = quick.service.joining
    await joining.choose(REN.actor, event.event_id, TANK)
    await joining.choose(MEI.actor, event.event_id, DPS)
    for person, option in ((SOTA, TANK), (YUI, DPS)):
        assert (await joining.choose(person.actor, event.event_id, option)).waiting
        quick.clock.advance(0.01)
    await joining.leave(MEI.actor, event.event_id)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id for one in view.members} == {REN.id, YUI.id}, "Tank is full: its queue lets others by"
    assert (await joining.choose(MEI.actor, event.event_id, DPS)).waiting
    await recounted(quick, event)


async def test_who_waits_for_a_full_option_keeps_nobody_out_of_another(quick: Bot) -> None:
    """Nor is anybody told that they moved up who was never in the queue."""
    event = await quick.event(options=RAID, capacity=10)
    joining = quick.service.joining
    await joining.choose(REN.actor, event.event_id, TANK)
    assert (await joining.choose(MEI.actor, event.event_id, TANK)).waiting
    assert not (await joining.choose(SOTA.actor, event.event_id, DPS)).waiting
    await quick.work()
    assert [body for _, body in await quick.posts() if "繰り上" in body.get("content", "")] == []
    await recounted(quick, event)


async def test_late_is_said_and_taken_back(quick: Bot) -> None:
    event = await quick.event(options=RAID)
    joining = quick.service.joining
    with pytest.raises(NotIn):
        await joining.come_late(REN.actor, event.event_id)
    await joining.choose(REN.actor, event.event_id, TANK, late=True)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.late for one in view.members] == [True]
    assert await joining.come_late(REN.actor, event.event_id) is False
    assert await joining.come_late(REN.actor, event.event_id) is True


@pytest.mark.parametrize("seed", range(4))
async def test_a_storm_ends_with_right_counters(quick: Bot, seed: int) -> None:
    event = await quick.event(options=RAID, capacity=3 if seed % 2 else None)
    people, hands = [somebody(at) for at in range(12)], quick.service.hands
    host = await quick.host(AOI, event.event_id)

    async def live(number: int) -> None:
        chance = random.Random(seed * 100 + number)
        actor = people[number].actor
        for _ in range(12):
            act = chance.choice(("choose", "choose", "leave", "maybe", "late", "seat", "unseat", "move"))
            option = chance.choice((TANK, HEALER, DPS))
            try:
                if act == "choose":
                    await quick.service.joining.choose(actor, event.event_id, option)
                elif act == "leave":
                    await quick.service.joining.leave(actor, event.event_id)
                elif act == "maybe":
                    await quick.service.joining.answer(actor, event.event_id, Answer.MAYBE)
                elif act == "late":
                    await quick.service.joining.come_late(actor, event.event_id)
                elif act == "seat":
                    await hands.seat(host, actor.user_id, actor.name, chance.choice((None, option)))
                elif act == "unseat":
                    await hands.unseat(host, actor.user_id)
                else:
                    await hands.move(host, actor.user_id, option)
            except Refusal:
                pass
            quick.clock.advance(0.001)

    await asyncio.gather(*(live(number) for number in range(len(people))))
    await quick.service.queue.move_up(GUILD_ID, event.event_id)
    await recounted(quick, event)


async def test_a_crowd_gets_exactly_the_places(quick: Bot) -> None:
    event = await quick.event(options=tuple(drafts.read_options("Tank 2\nHealer 3\nDPS 5")))
    people = [somebody(at) for at in range(40)]
    await asyncio.gather(
        *(quick.service.joining.choose(one.actor, event.event_id, f"{1 + at % 3:02d}") for at, one in enumerate(people))
    )
    now = await recounted(quick, event)
    assert [one.member_count for _, one in drafts.ordered_options(now.options)] == [2, 3, 5]
    assert now.waiting_count == 30


async def test_who_queues_while_another_moves_up_is_counted(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by seed 10595 of the world: the count was put to nought, because the queue had just been empty."""
    event = await quick.event(capacity=1)
    joining = quick.service.joining
    await joining.join(REN.actor, event.event_id)
    await joining.join(MEI.actor, event.event_id)  # waits
    waiting = Queue.waiting

    async def overtaken(self: Queue, guild_id: str, event_id: str) -> list[Reply]:
        monkeypatch.setattr(Queue, "waiting", waiting)
        await self.move_up(guild_id, event_id)
        found = await self.waiting(guild_id, event_id)
        await joining.join(SOTA.actor, event_id)
        return found

    monkeypatch.setattr(Queue, "waiting", overtaken)
    await joining.leave(REN.actor, event.event_id)
    now = await recounted(quick, event)
    assert (now.member_count, now.waiting_count) == (1, 1)


@pytest.mark.parametrize(
    ("meanwhile", "told"),
    [("nothing", True), ("begun", True), ("left", False), ("queued", False), ("called off", False), ("deleted", False)],
)
async def test_only_whoever_takes_part_is_told_that_they_moved_up(quick: Bot, meanwhile: str, told: bool) -> None:
    """Discord is out of order just then, and people act."""
    event = await quick.event(capacity=1, start=quick.service.desk.now() + timedelta(minutes=20))
    joining = quick.service.joining
    await joining.join(REN.actor, event.event_id)
    await joining.join(MEI.actor, event.event_id)  # waits
    await quick.calm()
    quick.local.faults.append(Fault("error", 2, on="POST .*/messages"))
    await joining.leave(REN.actor, event.event_id)
    await quick.client.work()
    assert await _moved_up(quick) == []
    if meanwhile == "begun":
        quick.clock.advance(20 * 60)
    elif meanwhile == "called off":
        await quick.service.events.cancel(await quick.host(AOI, event.event_id))
    elif meanwhile == "deleted":
        await quick.press(AOI, event, "deleteyes")
    elif meanwhile != "nothing":
        await joining.leave(MEI.actor, event.event_id)
    if meanwhile == "queued":
        await joining.join(SOTA.actor, event.event_id)
        await joining.join(MEI.actor, event.event_id)
    await quick.calm()
    assert await _moved_up(quick) == ([[MEI.id]] if told else [])


async def _moved_up(bot: Bot) -> list[list[str]]:
    found = [(message, body.get("content") or "") for message, body in await bot.posts_of(RECRUIT)]
    return [message.pinged for message, text in found if "「もくもく会」の補欠から" in text]


# What a host does with people, one by one.


async def test_places_are_given_moved_and_taken_by_hand(quick: Bot) -> None:
    event = await quick.event(options=RAID)
    hands, host = quick.service.hands, await quick.host(AOI, event.event_id)
    await hands.seat(host, REN.id, REN.name, TANK)
    await hands.seat(host, MEI.id, MEI.name, TANK)  # full, but the host says so
    with pytest.raises(AlreadyMember):
        await hands.seat(host, MEI.id, MEI.name, TANK)
    with pytest.raises(NoSuchOption):
        await hands.seat(host, SOTA.id, SOTA.name, "09")
    await hands.move(host, MEI.id, HEALER)
    with pytest.raises(NoSuchMember):
        await hands.move(host, SOTA.id, DPS)
    await quick.service.joining.choose(SOTA.actor, event.event_id, TANK)  # waits
    await hands.unseat(host, REN.id)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id: one.option_id for one in view.members} == {SOTA.id: TANK, MEI.id: HEALER}
    await recounted(quick, event)


async def test_whoever_waits_is_seated_where_they_wait(quick: Bot) -> None:
    event = await quick.event(options=RAID)
    host = await quick.host(AOI, event.event_id)
    await quick.service.joining.choose(REN.actor, event.event_id, TANK)
    await quick.service.joining.choose(MEI.actor, event.event_id, TANK)
    await quick.service.hands.seat(host, MEI.id, "")
    now = await recounted(quick, event)
    assert now.options[TANK].member_count == 2


async def test_people_who_came_before_the_options_choose_later(quick: Bot) -> None:
    event = await quick.event(capacity=2)
    for person in (REN, MEI, SOTA):
        await quick.service.joining.join(person.actor, event.event_id)
        quick.clock.advance(0.01)
    await quick.service.events.set_options(await quick.host(AOI, event.event_id), list(RAID))
    await quick.service.joining.choose(REN.actor, event.event_id, TANK)
    await quick.service.joining.choose(SOTA.actor, event.event_id, DPS)
    await recounted(quick, event)
    await quick.service.joining.leave(MEI.actor, event.event_id)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id: one.option_id for one in view.members} == {REN.id: TANK, SOTA.id: DPS}
    await recounted(quick, event)


async def test_an_option_with_somebody_in_it_stays(quick: Bot) -> None:
    event = await quick.event(options=RAID)
    await quick.service.joining.choose(REN.actor, event.event_id, TANK)
    set_options = quick.service.events.set_options
    with pytest.raises(OptionTaken):
        await set_options(await quick.host(AOI, event.event_id), drafts.read_options(""))
    now = await set_options(await quick.host(AOI, event.event_id), drafts.read_options("タンク 3\nHealer 1\nDPS 2"))
    assert now.options[TANK].name == "タンク", "renamed, with whoever is in it"
    await quick.service.hands.unseat(await quick.host(AOI, event.event_id), REN.id)
    assert (await set_options(await quick.host(AOI, event.event_id), [])).options == {}


async def _begun(bot: Bot, *people: Person) -> Event:
    event = await bot.event()
    for person in people:
        await bot.service.joining.join(person.actor, event.event_id)
    await bot.work(6 * 3600)
    return event


async def _came(bot: Bot, event: Event) -> tuple[int | None, int]:
    """How many came by the event, and by what is noted of its members."""
    view = await bot.service.events.view(GUILD_ID, event.event_id)
    return view.event.attended_count, sum(bool(one.attended) for one in view.members)


async def test_whoever_is_removed_afterwards_did_not_come(quick: Bot) -> None:
    event = await _begun(quick, REN, MEI)
    host = await quick.host(AOI, event.event_id)
    assert await quick.service.hands.attend(host, {REN.id, MEI.id}) == 2
    await quick.service.hands.unseat(host, REN.id)
    await quick.calm()
    assert await _came(quick, event) == (1, 1)


async def test_of_two_who_note_who_came_at_once_the_count_is_of_what_is_noted(
    quick: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await _begun(quick, REN, MEI)
    host, hands, sound = await quick.host(AOI, event.event_id), quick.service.hands, Hands._mark

    async def mark(self: Hands, *given: Any) -> None:
        await sound(self, *given)
        monkeypatch.setattr(Hands, "_mark", sound)
        await hands.attend(host, {REN.id})

    monkeypatch.setattr(Hands, "_mark", mark)
    await hands.attend(host, {REN.id, MEI.id})
    await quick.calm()
    assert await _came(quick, event) == (1, 1)


async def test_who_came_is_counted_although_whoever_noted_it_died_over_it(
    quick: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await _begun(quick, REN, MEI)
    sound = Hands._mark

    async def mark(self: Hands, *given: Any) -> None:
        await sound(self, *given)
        raise ConnectionError("killed")

    monkeypatch.setattr(Hands, "_mark", mark)
    with pytest.raises(ConnectionError):
        await quick.service.hands.attend(await quick.host(AOI, event.event_id), {REN.id})
    await quick.calm()
    assert await _came(quick, event) == (1, 1)


# Members and replies come in the order in which people answered.


async def test_people_stand_in_the_order_of_their_answers(quick: Bot) -> None:
    event = await quick.event(capacity=2)
    for person in (YUI, REN, SOTA, AOI):  # by user id it would be another order
        await quick.service.joining.join(person.actor, event.event_id)
        quick.clock.advance(1)
    await quick.service.joining.answer(MEI.actor, event.event_id, Answer.NO)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [YUI.id, REN.id]
    assert [one.user_id for one in view.waiting] == [SOTA.id, AOI.id]
    assert [one.user_id for one in view.no] == [MEI.id]
