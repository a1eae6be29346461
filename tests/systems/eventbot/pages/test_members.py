"""The organiser's hands."""

from __future__ import annotations

import pytest

from sekkei.runtime.refusals import NotThere
from sekkei.web import Redirect
from sekkei_systems.eventbot.local.world import GUILD_ID
from sekkei_systems.eventbot.pages.members import NewMember, add, do
from sekkei_systems.eventbot.refusals import AlreadyMember, NoSuchMember
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, YUI, Bot


async def test_add_remove_and_give_a_place(quick: Bot) -> None:
    event = await quick.event(capacity=1)
    joining, guilds = quick.service.joining, quick.service.guilds
    for person in (REN, MEI, SOTA):
        await joining.join(person.actor, event.event_id)
        quick.clock.advance(1)
    host = await quick.host(AOI, event.event_id)
    back = Redirect("eventbot:event", guild_id=GUILD_ID, event=event.event_id[4:])
    assert await do(host, joining, SOTA.id, "seat") == back.flash("event.done-seat")
    assert await add(host, joining, guilds, NewMember(YUI.id)) == back.flash("event.done-add", name=YUI.name)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id for one in view.members} == {REN.id, SOTA.id, YUI.id}, "more than there are places"
    assert (view.event.member_count, view.event.waiting_count) == (3, 1)
    for person in (REN, SOTA, YUI):
        assert await do(host, joining, person.id, "remove") == back.flash("event.done-remove")
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [MEI.id], "whoever waited moves up when there is room"
    assert (view.event.member_count, view.event.waiting_count) == (1, 0)


async def test_what_cannot_be_done_is_said(quick: Bot) -> None:
    event = await quick.event()
    joining, guilds, host = quick.service.joining, quick.service.guilds, await quick.host(AOI, event.event_id)
    await joining.join(REN.actor, event.event_id)
    for answer, refusal in (
        (await add(host, joining, guilds, NewMember(REN.id)), AlreadyMember),
        (await add(host, joining, guilds, NewMember("123")), NoSuchMember),
        (await do(host, joining, MEI.id, "remove"), NoSuchMember),
        (await do(host, joining, MEI.id, "seat"), NoSuchMember),
    ):
        assert isinstance(answer.flashes[0].text, refusal)
    with pytest.raises(NotThere):
        await do(host, joining, MEI.id, "explode")
