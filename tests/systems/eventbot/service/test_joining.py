"""Places, the waiting list and other answers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from sekkei_systems.eventbot.design import Answer, Member, members
from sekkei_systems.eventbot.local.world import GUILD_ID
from sekkei_systems.eventbot.refusals import (
    NotIn,
    Started,
)
from sekkei_systems.eventbot.service import Draft
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, YUI, Bot


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
    await quick.service.events.edit(await quick.host(AOI, event.event_id), Draft("会", now.event_start_at, capacity=2))
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
