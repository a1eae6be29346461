"""The outbox's ways to Discord: messages into channels, calls to many people, and late answers to interactions."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sekkei.clock import Clock
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Outbox, Rejected, TryAgain, Undeliverable
from sekkei_systems.eventbot.ports.discord.rest import (
    FORBIDDEN,
    LOST,
    OVER,
    UNREACHABLE,
    Code,
    RateLimited,
    Refused,
    Rest,
    Unauthorised,
)
from sekkei_systems.eventbot.rules.identifiers import is_snowflake
from sekkei_systems.eventbot.rules.markdown import ringing

log = logging.getLogger("sekkei_systems.eventbot.ports.transports")

_NEVER = FORBIDDEN | LOST | OVER | {Code.INVALID_FORM}
_NONCE_LENGTH = 25
UNANSWERED_SECONDS = 30.0
"""Discord, which at times takes ten to note an answer, will note none any more."""
_Troubled = Callable[[str, str, str, str], Awaitable[None]]
"""Guild, event, step and error: written down for the organisers."""
_Unwanted = Callable[[str, str], Awaitable[None]]
"""Guild and user: somebody who takes no direct messages."""
_Concerned = Callable[[Mapping[str, Any], Sequence[str]], Awaitable[list[str] | None]]
"""What a message is about and whom it would ring: those of them whom it concerns now, or None where it has become
untrue since it was written down."""
UNTRUE = "it is no longer true"


class _Untrue(Exception):
    """What a message says has changed since it was written down."""


@contextmanager
def obeyed() -> Iterator[None]:
    """What Discord says of rates and of our token holds for every process on the store, not for this one alone."""
    try:
        yield
    except RateLimited as limited:
        raise TryAgain(limited.retry_after, str(limited), everywhere=limited.scope == "global") from None
    except Unauthorised as error:
        raise Rejected(str(error)) from None


@dataclass
class ToChannel:
    """Kind `discord`: `to` is a channel, the body a message. The reason of the message makes its nonce."""

    rest: Rest

    async def send(self, message: Message) -> str:
        if not is_snowflake(message.to):
            raise Undeliverable("there is no channel to post in")
        nonce = _nonce_of(message.id)
        try:
            with obeyed():
                return await self.rest.post(message.to, {**message.body, "nonce": nonce, "enforce_nonce": True})
        except Refused as refused:
            if refused.code in _NEVER:
                raise Undeliverable(str(refused)) from None
            raise


@dataclass
class Calls:
    """Kind `eventbot.call`: people are rung in several messages, one after the other, so that the text comes first.

    Each message that went out puts the rest into the outbox, so a crash repeats at most what its nonce lets through.
    One that says what it is `about` may have waited while that changed, and is judged when it goes out: when nothing
    is left to wait for, a rate of Discord's included.
    """

    rest: Rest
    outbox: Outbox
    troubled: _Troubled
    concerned: _Concerned

    async def send(self, message: Message) -> str:
        first, *rest = message.body["calls"]
        try:
            to, sent = await self._said(message, first)
        except _Untrue:
            return UNTRUE
        if rest:
            reason = message.id.partition("/")[2]
            await self.outbox.put(message.kind, to, {**message.body, "calls": rest}, id=f"{reason}+")
        return sent

    async def _as_of_now(self, body: Mapping[str, Any], call: Mapping[str, Any]) -> Mapping[str, Any]:
        """It rings only those whom it still concerns; raises Untrue."""
        if "about" not in body:
            return call
        users = call["allowed_mentions"].get("users", [])
        concerned = await self.concerned(body["about"], users)
        if concerned is None:
            raise _Untrue
        return ringing(call, concerned)

    async def _said(self, message: Message, call: Mapping[str, Any]) -> tuple[str, str]:
        """In which channel, and under which id; without one where nobody was left to be rung."""
        try:
            return message.to, await self._post(message.to, message, call)
        except Refused as refused:
            if refused.code not in _NEVER:
                raise
            to = await self._elsewhere(message, refused)
            return to, await self._post(to, message, call)

    async def _post(self, to: str, message: Message, call: Mapping[str, Any]) -> str:
        async def compose() -> Mapping[str, Any] | None:
            as_of_now = await self._as_of_now(message.body, call)
            if not as_of_now["content"]:
                return None
            if not is_snowflake(to):
                raise Undeliverable("there is no channel to post in")
            return {**as_of_now, "nonce": _nonce_of(message.id), "enforce_nonce": True}

        with obeyed():
            return await self.rest.post_composed(to, compose) or ""

    async def _elsewhere(self, message: Message, refused: Refused) -> str:
        """The channel for when the first one is gone; raises Undeliverable where there is none."""
        body = message.body
        if "event_id" in body:
            await self.troubled(str(body["guild_id"]), str(body["event_id"]), "reminder", str(refused))
        if "fallback" not in body or body["fallback"] == message.to:
            raise Undeliverable(str(refused)) from None
        return str(body["fallback"])


@dataclass
class Directs:
    """Kind `eventbot.direct`: the same message to several people, each by themselves, one after the other.

    Whoever takes none is not asked again until they say so anew. Nobody waits for one of whom Discord says no."""

    rest: Rest
    outbox: Outbox
    refused: _Unwanted
    concerned: _Concerned

    async def send(self, message: Message) -> str:
        first, *rest = message.body["users"]
        try:
            concerned = await self._concerns(message.body.get("about"), str(first))  # else no channel
            sent = await self._sent(message, str(first)) if concerned else ""
        except _Untrue:
            return UNTRUE
        if rest:
            reason = message.id.partition("/")[2]
            await self.outbox.put(message.kind, rest[0], {**message.body, "users": rest}, id=f"{reason}+")
        return sent

    async def _sent(self, message: Message, user_id: str) -> str:
        async def compose() -> Mapping[str, Any] | None:
            if not await self._concerns(message.body.get("about"), user_id):
                return None
            return {**message.body["message"], "nonce": _nonce_of(message.id), "enforce_nonce": True}

        try:
            with obeyed():
                return await self.rest.post_composed(await self.rest.direct_channel(user_id), compose) or ""
        except Refused as refused:
            if not refused.code:  # not Discord's own word
                raise
            log.warning("a direct message was refused", extra={"message_id": message.id, "reason": str(refused)})
            if refused.code in UNREACHABLE:
                await self.refused(str(message.body["guild_id"]), user_id)
            return ""

    async def _concerns(self, about: Mapping[str, Any] | None, user_id: str) -> bool:
        """Raises Untrue."""
        if about is None:
            return True
        concerned = await self.concerned(about, [user_id])
        if concerned is None:
            raise _Untrue
        return bool(concerned)


@dataclass
class ToInteraction:
    """Kind `eventbot.reply`: an answer to an interaction, whose token lives for a quarter of an hour.

    It is good only when Discord has our first answer, which may still be on its way; where that came too late, never.
    The token lets anybody answer in our name, so it stands in the body, which is sealed."""

    rest: Rest
    clock: Clock

    async def send(self, message: Message) -> str:
        content, token = message.body["message"], message.body["token"]
        try:
            with obeyed():
                if message.body.get("original"):
                    await self.rest.edit_original(token, {name: content[name] for name in content if name != "flags"})
                    return "@original"
                return await self.rest.follow_up(token, content)
        except Refused as refused:
            age = self.clock.now() - message.created_at.timestamp()
            if refused.code == Code.UNKNOWN_WEBHOOK and age < UNANSWERED_SECONDS:
                raise TryAgain(max(1.0, age / 2), str(refused), everywhere=False) from None
            if refused.code in _NEVER or refused.status == 404:
                raise Undeliverable(str(refused)) from None
            raise


def _nonce_of(reason: str) -> str:
    return sha256(reason.encode()).hexdigest()[:_NONCE_LENGTH]
