"""The demo's server as Discord describes it."""

from __future__ import annotations

from typing import Any

from sekkei_fakes.discord.server import TEXT, Server
from sekkei_systems.eventbot.demo.guild import (
    ATTENDEE_ROLE,
    BOT_ID,
    BOT_PERMISSIONS,
    BOT_ROLE,
    CHANNELS,
    EVERYBODY,
    GUILD_ID,
    GUILD_NAME,
    MANAGER,
    MANAGER_ROLE,
    MODERATOR_ROLE,
    ORGANISER_ROLE,
    PEOPLE,
    Person,
)
from sekkei_systems.eventbot.ports.discord import permissions


def server() -> Server:
    """A fresh one, because people change it."""
    guild = {
        "id": GUILD_ID,
        "name": GUILD_NAME,
        "owner_id": "930000000000000000",
        "preferred_locale": "ja",
        "roles": [
            _role(GUILD_ID, "@everyone", 0, EVERYBODY),
            _role(ATTENDEE_ROLE, "参加者", 1),
            _role(ORGANISER_ROLE, "主催", 2),
            _role(BOT_ROLE, "イベント Bot", 3, BOT_PERMISSIONS, managed=True),
            _role(MANAGER_ROLE, "運営", 4, MANAGER),
            _role(
                MODERATOR_ROLE,
                "モデレーター",
                5,
                permissions.Permission.KICK_MEMBERS | permissions.Permission.BAN_MEMBERS,
            ),
        ],
    }
    channels = {
        id: {"id": id, "guild_id": GUILD_ID, "name": name, "type": TEXT, "permission_overwrites": []}
        for id, name in CHANNELS.items()
    }
    members = {one.id: member(one) for one in PEOPLE.values()}
    members[BOT_ID] = {"user": {"id": BOT_ID, "username": "eventbot", "bot": True}, "nick": None, "roles": [BOT_ROLE]}
    return Server(guild, channels, members, BOT_ID)


def _role(id: str, name: str, position: int, rights: int = 0, *, managed: bool = False) -> dict[str, Any]:
    return {
        "id": id,
        "name": name,
        "position": position,
        "permissions": str(rights),
        "managed": managed,
        "mentionable": False,
    }


def member(person: Person) -> dict[str, Any]:
    """As Discord describes them."""
    user = {"id": person.id, "username": person.username, "global_name": person.name}
    return {"user": user, "nick": None, "roles": list(person.roles)}
