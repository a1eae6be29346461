"""The outbox's ways to Discord: messages into channels, and late answers to interactions."""

from __future__ import annotations

from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Undeliverable
from sekkei_systems.eventbot.ports.discord.errors import FORBIDDEN, INVALID_FORM, LOST, OVER, Refused
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.rules.identifiers import is_snowflake

NEVER = FORBIDDEN | LOST | OVER | {INVALID_FORM}
NONCE_LENGTH = 25


class ToChannel:
    """Kind `discord`: `to` is a channel, the body a message. The reason of the message makes its nonce."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    async def send(self, message: Message) -> str:
        if not is_snowflake(message.to):
            raise Undeliverable("there is no channel to post in")
        nonce = nonce_of(message.id)
        try:
            return await self._rest.post(message.to, {**message.body, "nonce": nonce, "enforce_nonce": True})
        except Refused as refused:
            if refused.code in NEVER:
                raise Undeliverable(str(refused)) from None
            raise


class ToInteraction:
    """Kind `eventbot.reply`: `to` is an interaction's token, which lives for a quarter of an hour."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    async def send(self, message: Message) -> str:
        content = message.body["message"]
        try:
            if message.body.get("original"):
                await self._rest.edit_original(message.to, {name: content[name] for name in content if name != "flags"})
                return "@original"
            return await self._rest.follow_up(message.to, content)
        except Refused as refused:
            if refused.code in NEVER or refused.status == 404:
                raise Undeliverable(str(refused)) from None
            raise


def nonce_of(reason: str) -> str:
    import hashlib

    return hashlib.sha256(reason.encode()).hexdigest()[:NONCE_LENGTH]
