"""A server of Discord: its roles, channels and people, and what the bot may do where. Tests change it by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sekkei_systems.eventbot.ports.discord import permissions

TEXT, DIRECT, PUBLIC_THREAD = 0, 1, 11


@dataclass(slots=True)
class Server:
    """Objects as Discord describes them in its documentation, by id."""

    guild: dict[str, Any]
    channels: dict[str, dict[str, Any]]
    members: dict[str, dict[str, Any]]
    bot_id: str
    closed_to_bots: set[str] = field(default_factory=set)
    """Users who take no direct messages from members of the server."""
    emojis: set[str] = field(default_factory=set)
    """Ids of the server's own emoji. The bot is in no other server, so it can use no others."""

    @property
    def id(self) -> str:
        return str(self.guild["id"])

    def role(self, id: str) -> dict[str, Any] | None:
        return next((one for one in self.guild["roles"] if one["id"] == id), None)

    def remove_role(self, id: str) -> None:
        self.guild["roles"] = [one for one in self.guild["roles"] if one["id"] != id]
        for member in self.members.values():
            member["roles"] = [role for role in member["roles"] if role != id]

    def let(self, role_id: str, *, allow: int = 0, deny: int = 0) -> None:
        """Change what a role may do everywhere."""
        role = self.role(role_id)
        assert role is not None
        role["permissions"] = str(permissions.bits(role["permissions"]) & ~deny | allow)

    def overwrite(self, channel_id: str, target: str, *, allow: int = 0, deny: int = 0) -> None:
        """Change what a role or somebody may do in one channel."""
        channel = self.channels[channel_id]
        others = [one for one in channel["permission_overwrites"] if one["id"] != target]
        kind = 0 if self.role(target) else 1
        channel["permission_overwrites"] = [
            *others,
            {"id": target, "type": kind, "allow": str(allow), "deny": str(deny)},
        ]

    def bot_may(self, channel_id: str | None = None) -> int:
        """The bot's permissions in the server, or in a channel."""
        bot = self.members.get(self.bot_id)
        if bot is None:
            return 0  # thrown out
        if channel_id is None:
            return permissions.of_member(self.guild, bot)
        return permissions.in_channel(self.guild, self.channels[channel_id], bot)

    def bot_stands_above(self, role: dict[str, Any]) -> bool:
        return permissions.top_position(self.guild, self.members[self.bot_id]) > int(role["position"])
