"""The bot on several stores, a clock that stands still, and a Discord of our own around it."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.store import Store
from sekkei.web.testing import Client, opened
from sekkei_fakes.discord import client
from sekkei_fakes.discord.client import AppClient, Outcome
from sekkei_fakes.discord.design import LocalMessage
from sekkei_fakes.discord.discord import LocalDiscord
from sekkei_fakes.discord.end import APPLICATION
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, GUILD_ID, PEOPLE, RECRUIT, Person
from sekkei_systems.eventbot.design import Event, Notice, OrganiserLink, organiser_links
from sekkei_systems.eventbot.ports.discord.signature import Signer
from sekkei_systems.eventbot.rules.drafts import Draft
from sekkei_systems.eventbot.service import Service, desk
from sekkei_systems.eventbot.service.access import Creator, Host, Organiser
from sekkei_systems.eventbot.system import SYSTEM
from sekkei_systems.eventbot.webhooks import desk as interaction_desk

START = 1_768_372_200.0  # 2026-01-14 15:30 in Japan, a Wednesday
AOI, REN, MEI, SOTA, YUI = PEOPLE.values()


@dataclass
class Bot:
    """The system with everything around it."""

    client: Client
    clock: ManualClock
    app: AppClient
    local: LocalDiscord

    @property
    def service(self) -> Service:
        service: Service = self.client.shell.deployment.systems["eventbot"].parts.service
        return service

    async def work(self, seconds: float = 2.0) -> None:
        """Let some time pass, and do what is due."""
        self.clock.advance(seconds)
        await self.client.work()

    async def calm(self) -> None:
        """Until nothing is left to do, even where an answer was lost and somebody's lease has to run out first."""
        for _ in range(14):
            await self.work(11)

    async def posts(self, channel: str = RECRUIT, viewer: Person = AOI) -> list[tuple[LocalMessage, dict[str, Any]]]:
        return [(one, orjson.loads(one.body)) for one in await self.local.messages(channel, viewer.id)]

    async def posts_of(self, channel: str) -> list[tuple[LocalMessage, dict[str, Any]]]:
        """All that was ever posted there."""
        return [(one, orjson.loads(one.body)) for one in await self.local.messages(channel, "", size=1000)]

    async def event(self, **changes: Any) -> Event:
        """One that is posted already."""
        given = {"title": "もくもく会", "start": self.service.desk.now().replace(hour=21), **changes}
        made = await self.service.events.create(await self.creator(AOI), Draft(**given), RECRUIT)
        await self.work()
        found = await self.service.events.get(GUILD_ID, made.event_id)
        while found.recruit_message_id is None and found.delivery_error is None:
            await self.work(11)
            found = await self.service.events.get(GUILD_ID, made.event_id)
        return found

    # Proofs, made as the bot and the pages make them

    async def host(self, person: Person, event_id: str) -> Host:
        return await self.service.access.host(person.actor, event_id)

    async def creator(self, person: Person) -> Creator:
        return await self.service.access.creator(person.actor)

    async def organiser(self, person: Person) -> Organiser:
        return await self.service.access.organiser(person.actor)

    async def notices_seen_by(self, person: Person, event: Event) -> list[Notice]:
        event = await self.service.events.get(GUILD_ID, event.event_id)
        hidden = await self.service.access.may_organise(person.actor, event)
        return await self.service.notices.of_event(event, hidden=hidden)

    async def press(self, person: Person, event: Event, verb: str) -> Outcome:
        uuid = event.event_id.partition("#")[2]
        assert event.recruit_message_id is not None
        return await self.app.press(person, RECRUIT, event.recruit_message_id, f"e1:{verb}:{uuid}")


def somebody(number: int) -> Person:
    return Person(f"94{number:016d}", f"user{number}", f"参加者{number}")


@asynccontextmanager
async def bot_on(store: Store, clock: ManualClock) -> AsyncIterator[Bot]:
    async with opened(SYSTEM, store=store, clock=clock) as client:
        deployment = client.shell.deployment
        signer = Signer(deployment.settings.secrets.key("eventbot-discord"))
        context = deployment.systems["eventbot"].context
        local = deployment.systems["eventbot"].parts.transports["discord"].rest._send.__self__  # type: ignore[attr-defined]

        async def deliver(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
            reply = await client.request("POST", "/eventbot/interactions", body, dict(headers))
            return reply.status, reply.body

        yield Bot(client, clock, AppClient(local, signer, deliver, APPLICATION, context.clock), local)


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a slow machine takes its time over is no failure; tests of lateness set these themselves."""
    monkeypatch.setattr(client, "DEADLINE_SECONDS", 300.0)
    monkeypatch.setattr(interaction_desk, "ANSWER_SECONDS", 300.0)
    monkeypatch.setattr(desk, "PATIENCE_SECONDS", 300.0)


@pytest.fixture
def clock(request: pytest.FixtureRequest) -> ManualClock:
    """Its chance is always the same, except where a store outlives the test and remembers its tokens."""
    return ManualClock(START, seed=random.getrandbits(64) if "ministack" in request.node.name else 0)


@pytest.fixture
async def bot(store: Store, clock: ManualClock) -> AsyncIterator[Bot]:
    async with bot_on(store, clock) as found:
        yield found


@pytest.fixture
async def quick(plain: Store, clock: ManualClock) -> AsyncIterator[Bot]:
    """On the embedded store alone."""
    async with bot_on(plain, clock) as found:
        yield found


async def send(bot: Bot, body: bytes) -> tuple[int, bytes]:
    headers = bot.app._signer.headers(body, bot.clock.now())
    reply = await bot.client.request("POST", "/eventbot/interactions", body, headers)
    return reply.status, reply.body


@pytest.fixture
async def rich(quick: Bot) -> Bot:
    """With everything around an event."""
    await quick.service.guilds.change_settings(
        await quick.organiser(AOI), make_thread=True, mirror_events=True, attendee_role_id=ATTENDEE_ROLE
    )
    return quick


async def settled(bot: Bot, event: Event) -> Event:
    for _ in range(3):
        await bot.work(6)
    return await bot.service.events.get(GUILD_ID, event.event_id)


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
