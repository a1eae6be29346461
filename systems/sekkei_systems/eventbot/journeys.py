"""What people do with events in Discord (`sekkei measure eventbot --journeys`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.runtime.fakes import fake
from sekkei.web.journeys import JourneyFailed, Journeys, Traveller
from sekkei_systems.eventbot.demo.guild import GUILD_ID, PEOPLE, RECRUIT
from sekkei_systems.eventbot.design import events_of_guild
from sekkei_systems.eventbot.ports.discord.signature import Signer
from sekkei_systems.eventbot.system import SYSTEM

JOURNEYS = Journeys(SYSTEM)
AOI, REN, *_ = PEOPLE.values()
TITLE = "もくもく会"


@JOURNEYS.begin
async def arrive(me: Traveller) -> None:
    await me.sign_in("demo-aoi")
    deployment = me.client.shell.deployment
    signer = Signer(deployment.settings.secrets.key("eventbot-discord"))
    local = deployment.systems["eventbot"].parts.transports["discord"].rest._send.__self__  # type: ignore[attr-defined]

    async def deliver(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        reply = await me.send("/eventbot/interactions", body, dict(headers))
        return reply.status, reply.body

    me.memory["app"] = fake("discord-client")(local, signer, deliver, local.application_id, me.clock)


def _done(outcome: Any) -> None:
    if not outcome.ok:
        raise JourneyFailed(outcome.reason)


async def _press(me: Traveller, verb: str) -> None:
    db = me.client.shell.deployment.systems["eventbot"].context.db
    found = await db.all(events_of_guild(GUILD_ID))
    event = next(one for one in found if one.title == TITLE and one.recruit_message_id)
    custom_id = f"e1:{verb}:{event.event_id.partition('#')[2]}"
    app = me.memory["app"]
    _done(await app.press(REN, RECRUIT, str(event.recruit_message_id), custom_id))


@JOURNEYS.journey
async def makes_an_event(me: Traveller) -> None:
    """Make an event; it is posted and its reminders are set."""
    values = {"title": TITLE, "start": "2026-11-20 21:00", "capacity": "8"}
    app = me.memory["app"]
    _done(await app.submit(AOI, RECRUIT, "e1:create:", values))


@JOURNEYS.journey
async def joins(me: Traveller) -> None:
    """Press "join" under an event; its post changes and the role is given."""
    await _press(me, "join")


@JOURNEYS.journey
async def leaves(me: Traveller) -> None:
    """Press "leave"."""
    await _press(me, "leave")


@JOURNEYS.journey
async def is_unsure(me: Traveller) -> None:
    """Press "maybe"."""
    await _press(me, "maybe")


@JOURNEYS.journey
async def lists_events(me: Traveller) -> None:
    """List what is coming: /event list."""
    app = me.memory["app"]
    _done(await app.command(REN, RECRUIT, "event list", {}))


@JOURNEYS.journey
async def opens_the_organisers_page(me: Traveller) -> None:
    """Open the page of the server's events."""
    await me.get(f"/eventbot/guilds/{GUILD_ID}")
