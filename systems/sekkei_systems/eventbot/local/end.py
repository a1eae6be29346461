"""The local Discord as a counterpart, and as `sekkei counterpart discord` serves it."""

from __future__ import annotations

from collections.abc import Mapping

from sekkei.clock import Clock
from sekkei.runtime.counterparts.offers import Offer, over_http
from sekkei.runtime.live import Live
from sekkei.store import Embedded
from sekkei.store.http import Answer
from sekkei_systems.eventbot.local import world as town
from sekkei_systems.eventbot.local.discord import LocalDiscord
from sekkei_systems.eventbot.ports.discord.errors import Unavailable

API = "/api/v10"
APPLICATION, TOKEN = "8000000000000000001", "discord-token"


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
    local = LocalDiscord(Embedded(clock=clock), "local", clock, Live(), town.server(), APPLICATION, TOKEN)
    return over_http(
        DiscordEnd(local),
        lambda url: {
            "discord_api_url": f"{url}{API}",
            "discord_application_id": APPLICATION,
            "discord_bot_token": TOKEN,
        },
    )
