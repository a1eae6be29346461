"""Who somebody is in a guild at this moment, asked of Discord: the web pages go by it, not by what a link once said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.kit.text import one_line
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.ports.discord.errors import NOT_HERE, Refused
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.service import Actor
from sekkei_systems.eventbot.service.guilds import Choices, Standing

POSTABLE = (0, 5)
"""Text and announcement channels."""


class Membership:
    """Raises DiscordError when Discord does not answer."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    async def choices(self, guild_id: str) -> Choices:
        """Text and announcement channels, and roles, by name."""
        guild = await self._rest.guild(guild_id)
        found = await self._rest.channels(guild_id)
        channels = [(str(one["id"]), str(one["name"])) for one in found if one.get("type") in POSTABLE]
        roles = sorted(guild.get("roles") or (), key=lambda one: -int(one.get("position", 0)))
        named = tuple((str(one["id"]), str(one["name"])) for one in roles if not one.get("managed"))
        givable = {
            str(one["id"])
            for one in roles
            if not permissions.bits(one.get("permissions")) & permissions.ADMINISTRATIVE and one["id"] != guild_id
        }
        return Choices(tuple(channels), named, tuple(one for one in named if one[0] in givable))

    async def emojis(self, guild_id: str) -> frozenset[str]:
        guild = await self._rest.guild(guild_id)
        return frozenset(str(one["id"]) for one in guild.get("emojis") or () if one.get("available", True))

    async def search(self, guild_id: str, text: str) -> list[tuple[str, str]]:
        found = await self._rest.search_members(guild_id, text)
        return [(str(one["user"]["id"]), _name(one)) for one in found if not one["user"].get("bot")]

    async def __call__(self, guild_id: str, user_id: str) -> Standing | None:
        """None when they have left, or the bot has been thrown out."""
        try:
            guild = await self._rest.guild(guild_id)
            member = await self._rest.member(guild_id, user_id)
        except Refused as refused:
            if refused.code in NOT_HERE:
                return None
            raise
        actor = Actor(
            guild_id,
            user_id,
            _name(member),
            frozenset(map(str, member.get("roles") or ())),
            permissions.of_member(guild, member),
        )
        roles = {str(role["id"]): role for role in guild.get("roles") or ()}
        return Standing(actor, str(guild.get("name", ""))[:100], permissions.top_position(guild, member), roles)


def _name(member: Mapping[str, Any]) -> str:
    """What somebody is called on the server."""
    user = member.get("user") or {}
    names = (member.get("nick"), user.get("global_name"), user.get("username"))
    return next((seen for one in names if (seen := one_line(str(one or "")))), "?")[:100]
