"""What a host does with people, one by one."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei_systems.eventbot.demo.guild import GUILD_ID, Person
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.refusals import AlreadyMember, NoSuchMember, NoSuchOption, OptionTaken
from sekkei_systems.eventbot.rules import options
from sekkei_systems.eventbot.service import Hands
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot
from tests.systems.eventbot.service.test_queue import DPS, HEALER, RAID, TANK, recounted


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
        await set_options(await quick.host(AOI, event.event_id), options.read(""))
    now = await set_options(await quick.host(AOI, event.event_id), options.read("タンク 3\nHealer 1\nDPS 2"))
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
