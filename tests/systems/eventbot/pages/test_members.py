"""The organiser's hands."""

from __future__ import annotations

import pytest

from sekkei.runtime.refusals import NotThere
from sekkei.web import Redirect
from sekkei_systems.eventbot.demo.guild import GUILD_ID
from sekkei_systems.eventbot.pages.members import Chosen, NewMember, Present, Told, add, attendance, do, message
from sekkei_systems.eventbot.refusals import AlreadyMember, Missing, NoSuchMember, NotStarted
from sekkei_systems.eventbot.rules import options
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, YUI, Bot, linked


async def test_add_remove_and_give_a_place(quick: Bot) -> None:
    event = await quick.event(capacity=1)
    joining, guilds = quick.service.joining, quick.service.guilds
    hands, queue = quick.service.hands, quick.service.queue
    for person in (REN, MEI, SOTA):
        await joining.join(person.actor, event.event_id)
        quick.clock.advance(1)
    host = await quick.host(AOI, event.event_id)
    back = Redirect("eventbot:event", guild_id=GUILD_ID, event=event.event_id[4:])
    assert await do(host, hands, queue, SOTA.id, "seat", Chosen()) == back.flash("event.done-seat")
    assert await add(host, hands, guilds, NewMember(YUI.id)) == back.flash("event.done-add", name=YUI.name)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id for one in view.members} == {REN.id, SOTA.id, YUI.id}, "more than there are places"
    assert (view.event.member_count, view.event.waiting_count) == (3, 1)
    for person in (REN, SOTA, YUI):
        assert await do(host, hands, queue, person.id, "remove", Chosen()) == back.flash("event.done-remove")
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [MEI.id], "whoever waited moves up when there is room"
    assert (view.event.member_count, view.event.waiting_count) == (1, 0)


async def test_what_cannot_be_done_is_said(quick: Bot) -> None:
    event = await quick.event()
    joining, guilds, host = quick.service.joining, quick.service.guilds, await quick.host(AOI, event.event_id)
    hands, queue = quick.service.hands, quick.service.queue
    await joining.join(REN.actor, event.event_id)
    for answer, refusal in (
        (await add(host, hands, guilds, NewMember(REN.id)), AlreadyMember),
        (await add(host, hands, guilds, NewMember("123")), NoSuchMember),
        (await add(host, hands, guilds, NewMember("だれか")), NoSuchMember),
        (await attendance(host, hands, Present([REN.id])), NotStarted),
        (await message(host, hands, Told("  ")), Missing),
        (await do(host, hands, queue, MEI.id, "remove", Chosen()), NoSuchMember),
        (await do(host, hands, queue, MEI.id, "seat", Chosen()), NoSuchMember),
    ):
        assert isinstance(answer.flashes[0].text, refusal)
    with pytest.raises(NotThere):
        await do(host, hands, queue, MEI.id, "explode", Chosen())


async def test_people_are_found_by_name_and_moved(quick: Bot) -> None:
    event = await quick.event(options=tuple(options.read("Tank 1\nHealer 1")))
    hands, queue, guilds = quick.service.hands, quick.service.queue, quick.service.guilds
    host = await quick.host(AOI, event.event_id)
    await add(host, hands, guilds, NewMember(REN.name, "01"))
    await add(host, hands, guilds, NewMember(f"@{MEI.username}", "01"))
    await do(host, hands, queue, MEI.id, "move", Chosen("02"))
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id: one.option_id for one in view.members} == {REN.id: "01", MEI.id: "02"}


async def test_who_was_there_and_what_everybody_is_told(quick: Bot) -> None:
    event = await quick.event()
    for person in (REN, MEI):
        await quick.service.joining.join(person.actor, event.event_id)
    host, hands = await quick.host(AOI, event.event_id), quick.service.hands
    back = Redirect("eventbot:event", guild_id=GUILD_ID, event=event.event_id[4:])
    assert await message(host, hands, Told("会場が変わりました")) == back.flash("event.done-message", n=2)
    await quick.work()
    [(post, body)] = [(one, body) for one, body in await quick.posts() if "会場が変わりました" in body["content"]]
    assert sorted(post.pinged) == sorted([REN.id, MEI.id])
    assert "allowed_mentions" in body
    await quick.work(24 * 3600)
    host = await quick.host(AOI, event.event_id)
    assert await attendance(host, hands, Present([REN.id, YUI.id])) == back.flash("event.done-attendance", n=1)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id: one.attended for one in view.members} == {REN.id: True, MEI.id: False}
    assert view.event.attended_count == 1
    shown = await (await linked(quick, "aoi@example.com", AOI)).get(
        f"/eventbot/guilds/{GUILD_ID}/events/{event.event_id[4:]}"
    )
    assert "1 / 2" in shown.text
