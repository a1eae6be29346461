"""The page of an event."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.runtime.refusals import NotThere
from sekkei.web import Redirect
from sekkei_systems.eventbot.demo.guild import BOT_ROLE, GUILD_ID, RECRUIT
from sekkei_systems.eventbot.design import Status
from sekkei_systems.eventbot.pages.event import (
    Chosen,
    NewMember,
    Present,
    Told,
    act_on_member,
    act_on_notice,
    add,
    attendance,
    message,
)
from sekkei_systems.eventbot.ports.discord.permissions import Permission
from sekkei_systems.eventbot.refusals import AlreadyMember, AlreadySo, Missing, NoSuchMember, NoSuchNotice, NotStarted
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.rules.drafts import Details, NewNotice
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, YUI, Bot, linked, settled


async def test_each_refusal_has_its_own_sentence_and_a_way_to_try_again(rich: Bot) -> None:
    rich.local.server.let(BOT_ROLE, deny=Permission.CREATE_PUBLIC_THREADS | Permission.MANAGE_ROLES)
    event = await rich.event()
    await rich.service.joining.join(REN.actor, event.event_id)
    await settled(rich, event)
    client = await linked(rich, "aoi@example.com", AOI)
    page = f"/eventbot/guilds/{GUILD_ID}/events/{event.event_id[4:]}"
    shown = (await client.get(page)).text
    assert "「公開スレッドの作成」を許可" in shown
    assert "「ロールの管理」を許可" in shown
    assert "create public threads" in (await client.get(f"{page}?lang=en")).text
    rich.local.server.let(BOT_ROLE, allow=Permission.CREATE_PUBLIC_THREADS | Permission.MANAGE_ROLES)
    assert (await client.post(f"{page}/do/retry")).status == 303
    await settled(rich, event)
    assert "do/retry" not in (await client.get(page)).text


async def test_further_reminders_are_shown_also_without_a_first_one(quick: Bot) -> None:
    start = quick.service.desk.now() + timedelta(days=2)
    event = await quick.event(start=start)
    details = Details(further=(start - timedelta(hours=5),))
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), details)
    client = await linked(quick, "aoi@example.com", AOI)
    shown = (await client.get(f"/eventbot/guilds/{GUILD_ID}/events/{event.event_id[4:]}?lang=en")).text
    assert "Reminder" in shown
    assert f"{start - timedelta(hours=5):%H:%M}</time>" in shown


# Making and changing an event on the web.


async def test_organising_by_web(quick: Bot) -> None:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), recruit_channel_id=RECRUIT)
    client = await linked(quick, "organiser@example.com", AOI)
    wrong = await client.post(f"/eventbot/guilds/{GUILD_ID}/events", {"title": "会", "start": "いつか"})
    assert wrong.status == 422
    assert "いつか" in wrong.text
    made = await client.post(
        f"/eventbot/guilds/{GUILD_ID}/events", {"title": "<b>会</b>", "start": "明日 21時", "capacity": "3"}
    )
    assert made.status == 303
    shown = await client.get(made.location)
    assert "&lt;b&gt;会&lt;/b&gt;" in shown.text
    assert "<b>会</b>" not in shown.text
    await quick.work()
    [event] = await quick.service.events.of_guild(GUILD_ID)
    for person in (REN, MEI):
        await quick.service.joining.join(person.actor, event.event_id)
    sheet = await client.get(made.location + "/members.csv")
    assert sheet.body.startswith(b"\xef\xbb\xbf")
    assert REN.name in sheet.text
    assert (await client.post(made.location + "/do/close")).status == 303
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).status is Status.CLOSED
    stale = await client.post(made.location + "/edit", {"title": "古い", "start": "明日 21時", "version": "1"})
    assert stale.status == 412
    assert (await client.post(made.location + "/do/nonsense")).status == 404
    assert 'value="None"' not in (await client.get(f"/eventbot/guilds/{GUILD_ID}/settings")).text
    feed = await client.get(f"/eventbot/calendar/{GUILD_ID}/{quick.service.guilds.calendar_key(GUILD_ID)}.ics")
    assert "SUMMARY:<b>会</b>" in feed.text
    assert (await client.get(f"/eventbot/calendar/{GUILD_ID}/{'0' * 32}.ics")).status == 404


# The organiser's hands.


async def test_add_remove_and_give_a_place(quick: Bot) -> None:
    event = await quick.event(capacity=1)
    joining, guilds = quick.service.joining, quick.service.guilds
    hands, queue = quick.service.hands, quick.service.queue
    for person in (REN, MEI, SOTA):
        await joining.join(person.actor, event.event_id)
        quick.clock.advance(1)
    host = await quick.host(AOI, event.event_id)
    back = Redirect("eventbot:event", guild_id=GUILD_ID, event=event.event_id[4:])
    assert await act_on_member(host, hands, queue, SOTA.id, "seat", Chosen()) == back.flash("event.done-seat")
    assert await add(host, hands, guilds, NewMember(YUI.id)) == back.flash("event.done-add", name=YUI.name)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id for one in view.members} == {REN.id, SOTA.id, YUI.id}, "more than there are places"
    assert (view.event.member_count, view.event.waiting_count) == (3, 1)
    for person in (REN, SOTA, YUI):
        assert await act_on_member(host, hands, queue, person.id, "remove", Chosen()) == back.flash("event.done-remove")
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
        (await act_on_member(host, hands, queue, MEI.id, "remove", Chosen()), NoSuchMember),
        (await act_on_member(host, hands, queue, MEI.id, "seat", Chosen()), NoSuchMember),
    ):
        assert isinstance(answer.flashes[0].text, refusal)
    with pytest.raises(NotThere):
        await act_on_member(host, hands, queue, MEI.id, "explode", Chosen())


async def test_people_are_found_by_name_and_moved(quick: Bot) -> None:
    event = await quick.event(options=tuple(drafts.read_options("Tank 1\nHealer 1")))
    hands, queue, guilds = quick.service.hands, quick.service.queue, quick.service.guilds
    host = await quick.host(AOI, event.event_id)
    await add(host, hands, guilds, NewMember(REN.name, "01"))
    await add(host, hands, guilds, NewMember(f"@{MEI.username}", "01"))
    await act_on_member(host, hands, queue, MEI.id, "move", Chosen("02"))
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


# A notice's page.


async def test_closing_says_so_and_a_second_time_why_not(quick: Bot) -> None:
    event = await quick.event()
    host, notices = await quick.host(AOI, event.event_id), quick.service.notices
    notice = await notices.post(host, NewNotice("集合", "21 時に"))
    back = Redirect("eventbot:event", guild_id=GUILD_ID, event=event.event_id[4:])
    assert await act_on_notice(host, notices, notice.notice_id[4:], "close") == back.flash("notice.done-close")
    assert (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).status is Status.CLOSED
    again = await act_on_notice(host, notices, notice.notice_id[4:], "close")
    assert isinstance(again.flashes[0].text, AlreadySo)


async def test_another_events_notice_is_not_there(quick: Bot) -> None:
    mine, other = await quick.event(), await quick.event()
    notices = quick.service.notices
    theirs = await notices.post(await quick.host(AOI, other.event_id), NewNotice("集合", "21 時に"))
    host = await quick.host(AOI, mine.event_id)
    with pytest.raises(NoSuchNotice):
        await act_on_notice(host, notices, theirs.notice_id[4:], "close")
    for notice, verb in (("nonsense", "close"), (theirs.notice_id[4:], "explode")):
        with pytest.raises(NotThere):
            await act_on_notice(host, notices, notice, verb)
