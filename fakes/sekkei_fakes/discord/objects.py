"""Discord's objects as its documentation describes them, complete enough for other people's libraries to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from sekkei_fakes.discord.design import LocalMessage
from sekkei_fakes.discord.pings import ROLE, USER
from sekkei_fakes.discord.server import DIRECT, PUBLIC_THREAD, Server

Object = dict[str, Any]
SCHEDULED = 1


def user(server: Server, id: str) -> Object:
    """Whoever is not on the server has left it, or never came."""
    known = server.members.get(id, {}).get("user", {"id": id, "username": f"user{id}", "global_name": None})
    return {"discriminator": "0", "avatar": None, "global_name": None, "bot": False, **known}


def member(server: Server, found: Mapping[str, Any], roles: list[str]) -> Object:
    more = {"joined_at": "2020-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0, "avatar": None}
    return {**more, **found, "user": user(server, found["user"]["id"]), "roles": roles}


def role(found: Mapping[str, Any]) -> Object:
    return {"color": 0, "colors": {"primary_color": 0}, "hoist": False, "icon": None, "flags": 0, **found}


def guild(server: Server) -> Object:
    empty: Object = {"icon": None, "splash": None, "stickers": [], "features": [], "description": None}
    levels = dict.fromkeys(("verification_level", "default_message_notifications", "explicit_content_filter"), 0)
    levels |= dict.fromkeys(("mfa_level", "nsfw_level", "premium_tier", "afk_timeout", "system_channel_flags"), 0)
    roles = [role(one) for one in server.guild["roles"]]
    emojis = [emoji(id) for id in sorted(server.emojis)]
    return {**empty, **levels, **server.guild, "roles": roles, "emojis": emojis}


def emoji(id: str) -> Object:
    more = {"roles": [], "require_colons": True, "managed": False, "animated": False, "available": True}
    return {"id": id, "name": f"emoji_{id[-4:]}", **more}


def channel(found: Mapping[str, Any]) -> Object:
    more = {"position": 0, "topic": None, "nsfw": False, "rate_limit_per_user": 0, "parent_id": None}
    return {**more, "last_message_id": None, "flags": 0, **found}


def thread(server: Server, id: str, found: Mapping[str, Any]) -> Object:
    metadata = {
        "archived": found["archived"],
        "locked": found["locked"],
        "auto_archive_duration": 10080,
        "archive_timestamp": "2026-01-01T00:00:00+00:00",
    }
    counts = {"message_count": 0, "member_count": 1, "total_message_sent": 0, "rate_limit_per_user": 0}
    place = {"guild_id": server.id, "parent_id": found["parent_id"], "owner_id": server.bot_id}
    return {"id": id, "type": PUBLIC_THREAD, "name": found["name"], **place, **counts, "thread_metadata": metadata}


def direct(server: Server, id: str, recipient: str) -> Object:
    return {"id": id, "type": DIRECT, "last_message_id": None, "flags": 0, "recipients": [user(server, recipient)]}


def message(server: Server, found: LocalMessage) -> Object:
    body = orjson.loads(found.body)
    content = str(body.get("content") or "")
    return {
        "id": found.message_id,
        "channel_id": found.channel_id,
        "type": 0,
        "author": user(server, server.bot_id if found.author == "bot" else found.author),
        "content": content,
        "timestamp": found.at.isoformat(),
        "edited_timestamp": found.edited_at.isoformat() if found.edited_at else None,
        "tts": False,
        "mention_everyone": "everyone" in found.pinged,
        "mentions": [user(server, id) for id in USER.findall(content)],
        "mention_roles": ROLE.findall(content),
        "attachments": [],
        "embeds": [{"type": "rich", **embed} for embed in body.get("embeds") or ()],
        "components": body.get("components") or [],
        "pinned": False,
        "flags": body.get("flags", 0),
        **({"nonce": found.nonce} if found.nonce else {}),
    }


def scheduled_event(server: Server, id: str, found: Mapping[str, Any]) -> Object:
    empty = {"channel_id": None, "entity_id": None, "description": None, "image": None, "user_count": 0}
    return {**empty, "id": id, "guild_id": server.id, "status": SCHEDULED, **found}


def application(server: Server, id: str, public_key: str, endpoint: str) -> Object:
    return {
        "id": id,
        "name": "eventbot",
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": public_key,
        "flags": 0,
        "owner": user(server, str(server.guild["owner_id"])),
        "team": None,
        "bot": user(server, server.bot_id),
        "interactions_endpoint_url": endpoint or None,
    }


def command(id: str, application_id: str, guild_id: str | None, found: Mapping[str, Any]) -> Object:
    more = {"application_id": application_id, "version": id, "default_member_permissions": None, "nsfw": False}
    return {**more, "id": id, **({"guild_id": guild_id} if guild_id else {}), **found}
