"""The local Discord inside a program, as a counterpart, and as `sekkei counterpart discord` serves it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.routing import BaseRoute

from sekkei.clock import Clock
from sekkei.runtime.live import Live
from sekkei.runtime.system import Context
from sekkei.store import Embedded
from sekkei.store.http import Answer
from sekkei.web import Given
from sekkei_fakes.discord import demo, simulator
from sekkei_fakes.discord.discord import LocalDiscord
from sekkei_fakes.discord.simulator import Simulator
from sekkei_fakes.offers import Offer, over_http
from sekkei_systems.eventbot.ports.discord.rest import Unavailable
from sekkei_systems.eventbot.ports.discord.signature import Signer

API = "/api/v10"
APPLICATION, TOKEN = "8000000000000000001", "discord-token"
OWN_TOKEN = "local"


class OwnDiscord:
    """The Discord of an event bot that has none: kept in the bot's store, and shown by the simulator."""

    application_id, token = APPLICATION, OWN_TOKEN

    def __init__(self, context: Context, redirect: str) -> None:
        settings, clock = context.settings, context.clock
        self._context, self._signer = context, Signer(settings.secrets.key("eventbot-discord"))
        self._local = LocalDiscord(
            context.store, settings.env, clock, context.live, demo.server(), APPLICATION, OWN_TOKEN
        )
        self._local.client_secret, self._local.redirects = OWN_TOKEN, {redirect}
        self.public_key, self.send = self._signer.public_key, self._local.send

    def routes(self, given: Given) -> list[BaseRoute]:
        context = self._context
        url = context.settings.public_url
        made = Simulator(self._local, self._signer, APPLICATION, context.clock, context.live, url)
        given.value(Simulator, made).per_request(simulator.Player, simulator.player_of)
        return simulator.pages.routes(given)


class DiscordEnd:
    """The local Discord as a counterpart."""

    def __init__(self, local: LocalDiscord) -> None:
        self._local = local

    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        try:
            found = await self._local.send(method, target.removeprefix(API), headers, body)
        except Unavailable:
            return Answer(504, {}, b"")
        fields = {name.lower().encode(): value.encode() for name, value in found.headers.items()}
        return Answer(found.status, fields, found.body)


def offer(clock: Clock) -> Offer:
    """A town's server with its people, in memory."""
    local = LocalDiscord(Embedded(clock=clock), "local", clock, Live(), demo.server(), APPLICATION, TOKEN)
    return over_http(
        DiscordEnd(local),
        lambda url: {
            "discord_api_url": f"{url}{API}",
            "discord_application_id": APPLICATION,
            "discord_bot_token": TOKEN,
        },
    )
