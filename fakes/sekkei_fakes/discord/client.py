"""What Discord and its app do around a press: build the interaction, sign it, send it, show what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei_fakes.discord import objects
from sekkei_fakes.discord.discord import LocalDiscord
from sekkei_fakes.discord.limits import problems_of_response
from sekkei_systems.eventbot.demo.guild import GUILD_ID, Person
from sekkei_systems.eventbot.ports.discord.signature import Signer
from sekkei_systems.eventbot.rules.markdown import EPHEMERAL
from sekkei_systems.eventbot.webhooks.interactions import AUTOCOMPLETE, COMMAND, COMPONENT, MODAL

DEADLINE_SECONDS = 3.0
Deliver = Callable[[bytes, Mapping[str, str]], Awaitable[tuple[int, bytes]]]
"""The raw body and its headers to the endpoint; its status and body come back."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the app shows: a form, choices, a message, or that it failed and why."""

    ok: bool
    modal: dict[str, Any] | None = None
    choices: list[dict[str, Any]] = field(default_factory=list)
    message_id: str | None = None
    private: bool = False
    reason: str = ""
    response: dict[str, Any] = field(default_factory=dict)


class AppClient:
    """Acts for any of the people."""

    def __init__(
        self,
        local: LocalDiscord,
        signer: Signer,
        deliver: Deliver,
        application_id: str,
        clock: Clock,
        locale: str = "ja",
    ) -> None:
        self._locale = locale
        self._local, self._signer, self._deliver = local, signer, deliver
        self._application_id, self._clock = application_id, clock

    async def command(self, person: Person, channel_id: str, words: str, options: Mapping[str, Any]) -> Outcome:
        return await self._send(COMMAND, person, channel_id, command_data(words, options))

    async def complete(self, person: Person, channel_id: str, words: str, options: Mapping[str, Any]) -> Outcome:
        return await self._send(AUTOCOMPLETE, person, channel_id, command_data(words, options))

    async def press(
        self, person: Person, channel_id: str, message_id: str, custom_id: str, chosen: Sequence[str] | None = None
    ) -> Outcome:
        """A button, or a menu with what was chosen from it."""
        data: dict[str, Any] = {"custom_id": custom_id, "component_type": 2}
        if chosen is not None:
            data |= {"component_type": 3, "values": list(chosen)}
        return await self._send(COMPONENT, person, channel_id, data, message_id)

    async def submit(
        self, person: Person, channel_id: str, custom_id: str, values: Mapping[str, str], message_id: str | None = None
    ) -> Outcome:
        components = [
            {"type": 18, "id": at, "component": {"type": 4, "id": at + 100, "custom_id": name, "value": value}}
            for at, (name, value) in enumerate(values.items(), 1)
        ]
        return await self._send(
            MODAL, person, channel_id, {"custom_id": custom_id, "components": components}, message_id
        )

    async def _send(
        self, kind: int, person: Person, channel_id: str, data: Mapping[str, Any], message_id: str | None = None
    ) -> Outcome:
        await self._local.prepare()
        token = f"{self._local.new_id()}-{self._clock.uuid()}"
        interaction = self.interaction(kind, person, channel_id, data, token)
        if message_id is not None:
            message = await self._local.message(channel_id, message_id)
            shown = objects.message(self._local.server, message)
            interaction["message"] = {**shown, "flags": shown["flags"] | (EPHEMERAL if message.seen_by else 0)}
        body, at = orjson.dumps(interaction), self._clock.now()
        headers = {**self._signer.headers(body, at), "content-type": "application/json"}
        try:
            status, answer = await asyncio.wait_for(self._deliver(body, headers), DEADLINE_SECONDS)
        except TimeoutError:
            return Outcome(False, reason="the bot did not answer within three seconds")
        if status != 200:
            return Outcome(False, reason=f"the bot answered {status}: {answer.decode(errors='replace')[:200]}")
        response: dict[str, Any] = orjson.loads(answer)
        problems = problems_of_response(response, kind, from_message=message_id is not None)
        if problems:
            return Outcome(False, reason="; ".join(problems), response=response)
        outcome = await self._show(response, person, channel_id, message_id)
        await self._local.answered(interaction, at, outcome.message_id)
        return outcome

    def interaction(
        self, kind: int, person: Person, channel_id: str, data: Mapping[str, Any], token: str
    ) -> dict[str, Any]:
        """As in Discord's documentation."""
        server = self._local.server
        user: dict[str, Any] = {"id": person.id, "username": person.username, "global_name": person.name}
        user |= {"discriminator": "0", "avatar": None}
        member = objects.member(server, {"user": user, "nick": None}, list(person.roles))
        return {
            "id": self._local.new_id(),
            "application_id": self._application_id,
            "type": kind,
            "token": token,
            "version": 1,
            "guild_id": GUILD_ID,
            "guild": {"id": GUILD_ID, "locale": server.guild["preferred_locale"], "features": []},
            "channel_id": channel_id,
            "channel": objects.channel(server.channels[channel_id]),
            "member": {**member, "user": user, "permissions": str(person.permissions)},
            "data": dict(data),
            "app_permissions": str(server.bot_may(channel_id)),
            "locale": self._locale,
            "guild_locale": server.guild["preferred_locale"],
            "context": 0,
            "entitlements": [],
            "authorizing_integration_owners": {"0": GUILD_ID},
            "attachment_size_limit": 10 * 1024 * 1024,
        }

    async def _show(self, response: dict[str, Any], person: Person, channel_id: str, message_id: str | None) -> Outcome:
        kind, data = response["type"], response.get("data") or {}
        if kind == 9:
            return Outcome(True, modal=data, response=response)
        if kind == 8:
            return Outcome(True, choices=data["choices"], response=response)
        if kind in (4, 5):
            private = bool(data.get("flags", 0) & EPHEMERAL)
            seen_by = person.id if private else None
            posted = await self._local.post(channel_id, data, seen_by=seen_by, thinking=kind == 5)
            return Outcome(True, message_id=posted.message_id, private=private, response=response)
        if kind == 7 and message_id is not None:
            await self._local.edit(await self._local.message(channel_id, message_id), data)
        return Outcome(True, message_id=message_id, response=response)


def command_data(words: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """`event create` with its options, nested as Discord nests them."""
    name, _, sub = words.partition(" ")
    kinds = {str: 3, int: 4, bool: 5}
    given = [{"name": key, "type": kinds.get(type(value), 3), "value": value} for key, value in options.items()]
    inner = [{"name": sub, "type": 1, "options": given}] if sub else given
    return {"id": "1", "name": name, "type": 1, "options": inner}
