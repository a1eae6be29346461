"""Interactions as Discord sends them, and the answers that it takes, by their types in its documentation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson

from sekkei.kit.text import one_line
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.settings import Settings
from sekkei_systems.eventbot.design import GuildSettings
from sekkei_systems.eventbot.jobs.events import EventSettling
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.rules.identifiers import Press, is_snowflake
from sekkei_systems.eventbot.rules.markdown import EPHEMERAL
from sekkei_systems.eventbot.rules.zones import of_new_guild
from sekkei_systems.eventbot.service import Service
from sekkei_systems.eventbot.service.access import Actor
from sekkei_systems.eventbot.service.desk import Request
from sekkei_systems.eventbot.texts import Wording

Answer = dict[str, Any]
PONG: Answer = {"type": 1}
DEFERRED_UPDATE: Answer = {"type": 6}


def message(content: Mapping[str, Any]) -> Answer:
    return {"type": 4, "data": dict(content)}


def deferred_private() -> Answer:
    """«… is thinking»; the message follows within 15 minutes."""
    return {"type": 5, "data": {"flags": EPHEMERAL}}


def update(content: Mapping[str, Any]) -> Answer:
    """Puts another message into the place of the one that the button stands in."""
    data = {name: value for name, value in content.items() if name != "flags"}
    return {"type": 7, "data": {"content": "", "embeds": [], "components": [], **data}}


def choices(found: list[tuple[str, str]]) -> Answer:
    return {"type": 8, "data": {"choices": [{"name": name[:100], "value": value} for name, value in found[:25]]}}


def modal(content: Mapping[str, Any]) -> Answer:
    return {"type": 9, "data": dict(content)}


# An interaction as it arrives, read with suspicion: whatever is missing or of another shape makes it a bad one.


PING, COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 1, 2, 3, 4, 5
_TOKEN_LENGTH_MAX = 1000


class BadInteraction(ValueError):
    """Signed, perhaps, but nothing that Discord's documentation knows."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """What the bot uses of an interaction in a guild. `actor` is None outside of one."""

    id: str
    type: int
    token: str
    actor: Actor | None
    channel_id: str
    data: Mapping[str, Any]
    locale: str | None
    guild_locale: str | None
    app_permissions: int
    from_private: bool
    """The button stands in a message that only one person sees."""
    body: bytes
    """As it came, so that it can be done later."""


def read(body: bytes) -> Interaction:
    """Raises BadInteraction."""
    try:
        raw = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise BadInteraction("the body is no JSON") from None
    if not isinstance(raw, dict) or raw.get("type") not in (PING, COMMAND, COMPONENT, AUTOCOMPLETE, MODAL):
        raise BadInteraction("the type is unknown")
    if raw["type"] == PING:
        return Interaction("", PING, "", None, "", {}, None, None, 0, False, body)
    id, token, data = raw.get("id"), raw.get("token"), raw.get("data")
    if not is_snowflake(id) or not isinstance(token, str) or not 0 < len(token) <= _TOKEN_LENGTH_MAX:
        raise BadInteraction("id or token are missing")
    if not isinstance(data, dict):
        raise BadInteraction("there is no data")
    message = raw.get("message")
    flags = message.get("flags", 0) if isinstance(message, dict) else 0
    return Interaction(
        id=str(id),
        type=raw["type"],
        token=token,
        actor=_actor(raw),
        channel_id=str(raw["channel_id"]) if is_snowflake(raw.get("channel_id")) else "",
        data=data,
        locale=_text(raw.get("locale")),
        guild_locale=_text(raw.get("guild_locale")),
        app_permissions=permissions.bits(raw.get("app_permissions")),
        from_private=isinstance(flags, int) and bool(flags & EPHEMERAL),
        body=body,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= 10 else None


def _actor(raw: Mapping[str, Any]) -> Actor | None:
    """The member; their server nickname, else their display name, else their user name."""
    member = raw.get("member")
    if not is_snowflake(raw.get("guild_id")) or not isinstance(member, dict):
        return None
    user = member.get("user")
    if not isinstance(user, dict) or not is_snowflake(user.get("id")):
        raise BadInteraction("the member has no user")
    names = (member.get("nick"), user.get("global_name"), user.get("username"))
    name = next((seen for one in names if isinstance(one, str) and (seen := one_line(one))), "?")
    roles = member.get("roles")
    return Actor(
        guild_id=str(raw["guild_id"]),
        user_id=str(user["id"]),
        name=name[:100],
        roles=frozenset(str(role) for role in roles) if isinstance(roles, list) else frozenset(),
        permissions=permissions.bits(member.get("permissions")),
        request=None if raw["type"] == AUTOCOMPLETE else Request(str(raw["id"])),
    )


_DRAFT_KEPT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Asked:
    """An interaction in a guild, with what every handler needs."""

    interaction: Interaction
    actor: Actor
    words: Wording
    """For this person alone; what everybody in the channel sees follows the guild's settings."""


Handler = Callable[[Asked], Awaitable[Answer]]
PressHandler = Callable[[Asked, Press], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Tools:
    """What handlers work with."""

    service: Service
    jobs: Jobs
    idempotency: Idempotency
    settings: Settings
    settling: EventSettling

    async def keep_draft(self, values: dict[str, str]) -> str:
        """Remember what somebody typed, so that a mistake does not cost them all of it."""
        id = uuid7(self.service.desk.clock)
        await self.service.desk.transact(self.idempotency.mark(f"eventbot/draft/{id}", values, _DRAFT_KEPT))
        return id

    async def draft(self, id: str) -> dict[str, str]:
        found = await self.idempotency.answer(f"eventbot/draft/{id}")
        return {name: str(value) for name, value in (found or {}).items()}


async def welcome(service: Service, asked: Asked) -> GuildSettings:
    """The guild's settings; a guild that has none yet gets those of its language."""
    interaction = asked.interaction
    chosen = of_new_guild(interaction.guild_locale, interaction.locale)
    return await service.guilds.welcome(asked.actor.guild_id, *chosen)
