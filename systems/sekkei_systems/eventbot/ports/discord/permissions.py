"""Discord's permission bits, as far as this bot asks about them, and how they add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntFlag
from typing import Any


class Permission(IntFlag):
    """One permission, or several of which any is enough unless it says otherwise."""

    KICK_MEMBERS = 1 << 1
    BAN_MEMBERS = 1 << 2
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    VIEW_AUDIT_LOG = 1 << 7
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    VIEW_GUILD_INSIGHTS = 1 << 19
    MUTE_MEMBERS = 1 << 22
    DEAFEN_MEMBERS = 1 << 23
    MOVE_MEMBERS = 1 << 24
    MANAGE_NICKNAMES = 1 << 27
    MANAGE_ROLES = 1 << 28
    MANAGE_WEBHOOKS = 1 << 29
    MANAGE_EXPRESSIONS = 1 << 30
    MANAGE_EVENTS = 1 << 33
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    SEND_MESSAGES_IN_THREADS = 1 << 38
    MODERATE_MEMBERS = 1 << 40
    VIEW_MONETIZATION = 1 << 41
    CREATE_EVENTS = 1 << 44
    EVERYTHING = (1 << 53) - 1

    ORGANISING = ADMINISTRATOR | MANAGE_GUILD | MANAGE_EVENTS
    """Any of these makes an organiser."""
    CREATING = ORGANISING | CREATE_EVENTS
    """Any of these lets somebody make events, as Discord itself has it for its own."""
    MANAGING_GUILD = ADMINISTRATOR | MANAGE_GUILD
    MANAGING_ROLES = ADMINISTRATOR | MANAGE_ROLES
    RINGING = ADMINISTRATOR | MENTION_EVERYONE
    """Any of these lets somebody ring everyone, and every role."""
    POSTING = VIEW_CHANNEL | SEND_MESSAGES | EMBED_LINKS
    """All of these are needed to post."""
    ADMINISTRATIVE = (
        KICK_MEMBERS | BAN_MEMBERS | ADMINISTRATOR | MANAGE_CHANNELS | MANAGE_GUILD | VIEW_AUDIT_LOG | MANAGE_MESSAGES
        | MENTION_EVERYONE | VIEW_GUILD_INSIGHTS | MUTE_MEMBERS | DEAFEN_MEMBERS | MOVE_MEMBERS | MANAGE_NICKNAMES
        | MANAGE_ROLES | MANAGE_WEBHOOKS | MANAGE_EXPRESSIONS | MANAGE_EVENTS | MANAGE_THREADS | MODERATE_MEMBERS
        | VIEW_MONETIZATION
    )  # fmt: skip
    """A role with any of these is for people to give, never for a program."""


def bits(text: object) -> int:
    """The decimal text of an interaction; anything else is no permission at all."""
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 30:
        return 0
    return int(text)


def of_member(guild: Mapping[str, Any], member: Mapping[str, Any]) -> int:
    """What a member may do in a guild: everybody's role (its id is the guild's) and their own; the owner everything."""
    if _owns(guild, member):
        return Permission.EVERYTHING
    found = 0
    for role in _roles(guild, member):
        found |= bits(role.get("permissions"))
    return Permission.EVERYTHING if found & Permission.ADMINISTRATOR else found


def in_channel(guild: Mapping[str, Any], channel: Mapping[str, Any], member: Mapping[str, Any]) -> int:
    """The same, with a channel's overwrites: those of everybody, of all their roles together, then their own."""
    found = of_member(guild, member)
    if found == Permission.EVERYTHING:
        return found
    overwrites = {str(one["id"]): one for one in channel.get("permission_overwrites") or ()}
    mine = [str(role) for role in member.get("roles") or ()]
    for ids in ([str(guild.get("id"))], mine, [_user_id(member)]):
        matching = [overwrites[id] for id in ids if id in overwrites]
        found &= ~_any(one.get("deny") for one in matching)
        found |= _any(one.get("allow") for one in matching)
    return found


def top_position(guild: Mapping[str, Any], member: Mapping[str, Any]) -> int:
    """How high somebody stands among the roles; the owner above all."""
    if _owns(guild, member):
        return 1 << 30
    return max((int(role.get("position", 0)) for role in _roles(guild, member)), default=0)


def may_post(app_permissions: int) -> bool:
    return (
        bool(app_permissions & Permission.ADMINISTRATOR) or app_permissions & Permission.POSTING == Permission.POSTING
    )


def _owns(guild: Mapping[str, Any], member: Mapping[str, Any]) -> bool:
    return guild.get("owner_id") == _user_id(member)


def _user_id(member: Mapping[str, Any]) -> str:
    return str((member.get("user") or {}).get("id"))


def _roles(guild: Mapping[str, Any], member: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    theirs = {str(guild.get("id")), *map(str, member.get("roles") or ())}
    return [role for role in guild.get("roles") or () if str(role.get("id")) in theirs]


def _any(texts: Iterable[object]) -> int:
    found = 0
    for text in texts:
        found |= bits(text)
    return found
