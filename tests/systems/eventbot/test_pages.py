"""The organisers' pages: who may do what, and what they show."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import sekkei_systems.eventbot
from sekkei.web.testing import Client
from sekkei_systems.eventbot.design import OrganiserLink, Status, organiser_links
from sekkei_systems.eventbot.local.discord import Fault
from sekkei_systems.eventbot.local.world import BOT_ROLE, EVERYBODY, GUILD_ID, ORGANISER_ROLE, RECRUIT, Person
from sekkei_systems.eventbot.ports.discord.permissions import (
    CREATE_PUBLIC_THREADS,
    MANAGE_EVENTS,
    MANAGE_GUILD,
    MANAGE_ROLES,
)
from sekkei_systems.eventbot.service import NewNotice
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot, settled
from tests.web.authorisation import Rule, deviations, uncovered

EVENT = "/eventbot/guilds/{guild_id}/events/{event}"


NOTICE = EVENT + "/notices/{notice}"


GUILD = "/eventbot/guilds/{guild_id}"


def everyone(anonymous: int, stranger: int, member: int, organiser: int) -> dict[str, int]:
    return {"anonymous": anonymous, "stranger": stranger, "member": member, "organiser": organiser}


def seen() -> dict[str, int]:
    return everyone(303, 404, 403, 200)


def done() -> dict[str, int]:
    return everyone(303, 404, 403, 303)


MATRIX = {
    "POST /eventbot/interactions": Rule(everyone(401, 401, 401, 401), json={"type": 1}),
    "GET /eventbot/": Rule(everyone(303, 200, 303, 303)),
    "GET /eventbot/link": Rule(everyone(303, 200, 200, 200)),
    "POST /eventbot/link": Rule(everyone(303, 403, 403, 403), form={"token": "forged.token"}),
    "GET /eventbot/calendar/{guild_id}/{key}.ics": Rule(everyone(200, 200, 200, 200)),
    f"GET {GUILD}": Rule(seen()),
    f"GET {GUILD}/settings": Rule(seen()),
    f"POST {GUILD}/settings": Rule(done(), form={"recruit_channel_id": RECRUIT, "one_open_notice": "on"}),
    f"POST {GUILD}/purge": Rule(everyone(303, 404, 403, 403), form={}),
    f"GET {GUILD}/new": Rule(seen()),
    f"POST {GUILD}/events": Rule(done(), form={"title": "会", "start": "明日 21時"}),
    f"POST {GUILD}/templates/{{template}}/delete": Rule(everyone(303, 404, 403, 404), form={}),
    f"GET {EVENT}": Rule(seen()),
    f"GET {EVENT}/edit": Rule(seen()),
    f"POST {EVENT}/edit": Rule(done(), form={"title": "会", "start": "明日 21時"}),
    f"POST {EVENT}/details": Rule(done(), form={"remind": "1時間前"}),
    f"GET {EVENT}/members.csv": Rule(seen()),
    f"POST {EVENT}/notices": Rule(everyone(303, 404, 403, 409), form={"title": "もう一つ", "body": "本文"}),
    f"POST {EVENT}/do/{{verb}}": Rule(done(), form={}),
    f"GET {NOTICE}": Rule(seen()),
    f"GET {NOTICE}/confirmations.csv": Rule(seen()),
    f"POST {NOTICE}/do/{{verb}}": Rule(done(), form={}),
    "GET /eventbot/simulator": Rule(everyone(404, 404, 404, 404)),
    "GET /eventbot/simulator/state": Rule(everyone(404, 404, 404, 404)),
    "GET /eventbot/simulator/live": Rule(everyone(404, 404, 404, 404)),
    "POST /eventbot/simulator/act": Rule(everyone(404, 404, 404, 404), json={}),
    "POST /eventbot/simulator/fault": Rule(everyone(404, 404, 404, 404), json={"kind": "none"}),
    "POST /eventbot/simulator/clock": Rule(everyone(404, 404, 404, 404), json={"seconds": 1}),
    f"POST {GUILD}/unlink": Rule(everyone(303, 404, 303, 303), form={}),
}


ENDLESS = {f"GET {GUILD}/live"}
"""An answer without an end; asked for alone below."""


ORGANISER = replace(AOI, permissions=EVERYBODY | MANAGE_EVENTS)
"""Manages events, but not the server."""


async def linked(bot: Bot, email: str, person: Person) -> Client:
    """Somebody with an account that stands for a Discord user."""
    client = bot.client.another(address="10.0.0.9")
    link = OrganiserLink(
        account_id=await client.sign_in_by_email(email),
        guild_id=GUILD_ID,
        user_id=person.id,
        user_name=person.name,
        roles=list(person.roles),
        permissions=str(person.permissions),
        checked_at=bot.service.desk.now(),
        expires=bot.service.desk.now() + timedelta(days=1),
    )
    await bot.service.desk.db.write(organiser_links.put(link))
    return client


async def test_who_may_do_what(quick: Bot) -> None:
    await quick.service.guilds.change_settings(AOI.actor, recruit_channel_id=RECRUIT)
    event = await quick.event()
    notice = await quick.service.notices.post(AOI.actor, event.event_id, NewNotice("連絡", "本文"))
    stranger = quick.client.another(address="10.0.0.9")
    await stranger.sign_in_by_email("stranger@example.com")
    actors = {
        "anonymous": quick.client.another(address="10.0.0.9"),
        "stranger": stranger,
        "member": await linked(quick, "member@example.com", SOTA),
        "organiser": await linked(quick, "organiser@example.com", ORGANISER),
    }
    assert uncovered(quick.client.app, "eventbot", {**MATRIX, **{name: Rule({}) for name in ENDLESS}}) == []
    parameters = {
        "guild_id": GUILD_ID,
        "event": event.event_id[4:],
        "notice": notice.notice_id[4:],
        "template": "00000000-0000-7000-8000-000000000000",
        "verb": "repost",
        "key": quick.service.guilds.calendar_key(GUILD_ID),
    }
    assert await deviations(MATRIX, actors, parameters) == []
    forbidden = await stranger.get(f"/eventbot/guilds/{GUILD_ID}/live")
    assert forbidden.status == 404


async def test_a_link_from_discord_opens_the_pages_once_it_is_accepted(quick: Bot) -> None:
    said = await quick.app.command(AOI, RECRUIT, "event web", {})
    content = said.response["data"]["content"]
    token = content.partition("token=")[2].partition(">")[0]
    assert token
    refused = await quick.app.command(SOTA, RECRUIT, "event web", {})
    assert "token=" not in str(refused.response)
    client = quick.client
    await client.sign_in("demo-yui")
    assert (await client.get(f"/eventbot/guilds/{GUILD_ID}")).status == 404
    assert (
        await client.post("/eventbot/link", {"token": token[:-1] + ("0" if token[-1] != "0" else "1")})
    ).status == 403
    accepted = await client.post("/eventbot/link", {"token": token})
    assert accepted.status == 303
    assert (await client.get(accepted.location)).status == 200
    quick.clock.advance(601)
    assert (await client.post("/eventbot/link", {"token": token})).status == 403


async def test_organising_by_web(quick: Bot) -> None:
    await quick.service.guilds.change_settings(AOI.actor, recruit_channel_id=RECRUIT)
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


async def test_whoever_manages_the_server_can_have_everything_deleted(quick: Bot) -> None:
    event = await quick.event(capacity=1)
    for person in (REN, MEI):
        await quick.service.joining.join(person.actor, event.event_id)
    await quick.service.guilds.save_template(AOI.actor, event, "ひな型")
    await quick.service.notices.post(AOI.actor, event.event_id, NewNotice("連絡", "本文"))
    await quick.work()
    manager = await linked(quick, "manager@example.com", replace(AOI, permissions=AOI.permissions | MANAGE_GUILD))
    assert "/purge" in (await manager.get(f"/eventbot/guilds/{GUILD_ID}/settings")).text
    assert (await manager.post(f"/eventbot/guilds/{GUILD_ID}/purge")).status == 303
    for _ in range(4):
        await quick.work(6)
    store = quick.service.desk.db.store
    kept = {"OrganiserLinks"}
    for table in sekkei_systems.eventbot.SYSTEM.design.tables.values():
        if table.name not in kept:
            assert (await store.call("Scan", {"TableName": table.name}))["Count"] == 0, table.name


async def test_the_pages_go_by_the_roles_of_today(quick: Bot) -> None:
    """Whoever loses the organisers' role in Discord loses the pages, without waiting for the link to end."""
    await quick.service.guilds.change_settings(AOI.actor, organiser_role_id=ORGANISER_ROLE)
    client = await linked(quick, "ren@example.com", REN)
    page = f"/eventbot/guilds/{GUILD_ID}"
    assert (await client.get(page)).status == 200
    quick.local.server.members[REN.id]["roles"].remove(ORGANISER_ROLE)
    assert (await client.get(page)).status == 200  # for five minutes what was said last holds
    quick.clock.advance(301)
    assert (await client.get(page)).status == 403
    quick.local.server.members[REN.id]["roles"].append(ORGANISER_ROLE)
    quick.clock.advance(301)
    assert (await client.get(page)).status == 200


async def test_whoever_leaves_the_server_loses_the_pages(quick: Bot) -> None:
    client = await linked(quick, "aoi@example.com", AOI)
    del quick.local.server.members[AOI.id]
    quick.clock.advance(301)
    assert (await client.get(f"/eventbot/guilds/{GUILD_ID}")).status == 404
    assert await quick.service.guilds.links(await client.sign_in_by_email("aoi@example.com")) == []


async def test_while_discord_is_silent_the_old_roles_hold_for_an_hour(quick: Bot) -> None:
    client = await linked(quick, "aoi@example.com", AOI)
    page = f"/eventbot/guilds/{GUILD_ID}"
    for seconds, status in ((301, 200), (3000, 200), (600, 429)):
        quick.clock.advance(seconds)
        quick.local.faults.append(Fault("error", 1))
        assert (await client.get(page)).status == status
    assert (await client.get(page)).status == 200


async def test_the_pages_show_the_clocks_of_the_guild(quick: Bot) -> None:
    await quick.service.guilds.change_settings(AOI.actor, recruit_channel_id=RECRUIT, time_zone="Europe/Berlin")
    client = await linked(quick, "aoi@example.com", AOI)
    base = f"/eventbot/guilds/{GUILD_ID}"
    made = await client.post(f"{base}/events", {"title": "会", "start": "2026-01-20 21:00-23:00"})
    shown = (await client.get(made.location)).text
    assert "1月20日(火)" in shown
    assert ">21:00</time>" in shown
    assert "2026-01-20 21:00-23:00" in (await client.get(f"{made.location}/edit")).text
    wrong = await client.post(f"{base}/settings", {"time_zone": "Mars/Olympus"})
    assert wrong.status == 422
    assert "タイムゾーン「Mars/Olympus」" in wrong.text


async def test_each_refusal_has_its_own_sentence_and_a_way_to_try_again(rich: Bot) -> None:
    rich.local.server.let(BOT_ROLE, deny=CREATE_PUBLIC_THREADS | MANAGE_ROLES)
    event = await rich.event()
    await rich.service.joining.join(REN.actor, event.event_id)
    await settled(rich, event)
    client = await linked(rich, "aoi@example.com", AOI)
    page = f"/eventbot/guilds/{GUILD_ID}/events/{event.event_id[4:]}"
    shown = (await client.get(page)).text
    assert "「公開スレッドの作成」を許可" in shown
    assert "「ロールの管理」を許可" in shown
    assert "create public threads" in (await client.get(f"{page}?lang=en")).text
    rich.local.server.let(BOT_ROLE, allow=CREATE_PUBLIC_THREADS | MANAGE_ROLES)
    assert (await client.post(f"{page}/do/retry")).status == 303
    await settled(rich, event)
    assert "do/retry" not in (await client.get(page)).text
