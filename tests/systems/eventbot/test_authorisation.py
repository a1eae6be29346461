"""Every route, tried as every kind of person."""

from __future__ import annotations

from dataclasses import replace

from sekkei_systems.eventbot.demo.guild import EVERYBODY, GUILD_ID, RECRUIT
from sekkei_systems.eventbot.ports.discord.permissions import Permission
from sekkei_systems.eventbot.rules.drafts import NewNotice
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot, linked
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
    "GET /eventbot/": Rule(everyone(200, 200, 303, 303)),
    "GET /eventbot/discord/sign-in": Rule(everyone(303, 303, 303, 303)),
    "GET /eventbot/discord/callback": Rule(everyone(403, 403, 403, 403)),
    "GET /eventbot/simulator/authorise": Rule(everyone(404, 404, 404, 404)),
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
    f"POST {EVENT}/options": Rule(done(), form={"options": "Tank 2"}),
    f"POST {EVENT}/attendance": Rule(done(), form={"present": REN.id}),
    f"POST {EVENT}/message": Rule(done(), form={"text": "こんにちは"}),
    f"GET {EVENT}/members.csv": Rule(seen()),
    f"POST {EVENT}/notices": Rule(everyone(303, 404, 403, 409), form={"title": "もう一つ", "body": "本文"}),
    f"POST {EVENT}/do/{{verb}}": Rule(done(), form={}),
    f"POST {EVENT}/members": Rule(done(), form={"user_id": MEI.id}),
    f"POST {EVENT}/members/{{user_id}}/{{verb}}": Rule(everyone(303, 404, 403, 404), form={}),
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


ORGANISER = replace(AOI, permissions=EVERYBODY | Permission.MANAGE_EVENTS)
"""Manages events, but not the server."""


async def test_who_may_do_what(quick: Bot) -> None:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), recruit_channel_id=RECRUIT)
    event = await quick.event()
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("連絡", "本文"))
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
        "user_id": REN.id,
        "key": quick.service.guilds.calendar_key(GUILD_ID),
    }
    assert await deviations(MATRIX, actors, parameters) == []
    forbidden = await stranger.get(f"/eventbot/guilds/{GUILD_ID}/live")
    assert forbidden.status == 404
