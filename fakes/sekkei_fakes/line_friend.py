"""Somebody at a terminal, as a friend of the channel: what they type is delivered, and what the bot says is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from sekkei.clock import Clock
from sekkei.errors import NoAnswer
from sekkei_fakes.line import LineCounterpart, Sent

USER = "U" + "7" * 32
LOOKS, LOOK_SECONDS = 40, 0.1
"""How often and how long apart we look for an answer, which comes behind the webhook's 200."""

Deliver = Callable[[bytes, Mapping[str, str]], Awaitable[int]]
"""Body and headers of a delivery; the status of its answer."""


class FriendAtTerminal:
    hint = "Write to the bot as a friend would; /block and /follow do what they say."

    def __init__(
        self, line: LineCounterpart, clock: Clock, write: Callable[[str], None], deliver: Deliver | None = None
    ) -> None:
        self._line, self._clock, self._write = line, clock, write
        self._send = deliver or self._over_network
        self._got = 0
        line.heard = self._show

    @property
    def webhook(self) -> str:
        return self._line.endpoint.used

    @webhook.setter
    def webhook(self, url: str) -> None:
        self._line.endpoint.set({"endpoint": url})

    async def start(self) -> None:
        await self._deliver(self._line.befriend(USER))

    async def take(self, typed: str) -> None:
        if typed == "/follow":
            await self.start()
        elif typed == "/block":
            await self._deliver(self._line.block(USER))
        elif typed.startswith("/"):
            self._write(f"? {self.hint}")
        elif typed:
            await self._deliver(self._line.text(USER, typed))

    async def _deliver(self, event: dict[str, Any]) -> None:
        # Unlike any of another rehearsal: the bot remembers for a week what it has heard.
        event["webhookEventId"] = self._clock.uuid().replace("-", "")[:26].upper()
        self._got = len(self._line.received(USER))
        status = await self._send(*self._line.webhook([event], self._line.secret))
        if status != 200:
            self._write(f"! the webhook answered {status or 'nothing'}")
        await self.listen()

    async def _over_network(self, body: bytes, headers: Mapping[str, str]) -> int:
        try:
            return await self._line.endpoint.post(self.webhook, body, headers)
        except (OSError, NoAnswer) as error:
            self._write(f"! {self.webhook}: {error!r}")
            return 0

    async def listen(self) -> None:
        """Until the bot has said something since, or is silent; it answers behind its 200."""
        for _ in range(LOOKS):
            if len(self._line.received(USER)) > self._got:
                break
            await asyncio.sleep(LOOK_SECONDS)
        self._got = len(self._line.received(USER))

    def _show(self, sent: Sent) -> None:
        for message in sent.messages if sent.to == USER else []:
            self._write(f"{sent.way}: {message.get('text') or message.get('altText')}")
            for link in links(message):
                self._write(f"  {link}")

    def links(self) -> list[str]:
        """All that they were sent, in order."""
        return [link for sent in self._line.received(USER) for one in sent.messages for link in links(one)]


def links(message: Any) -> Iterator[str]:
    """The addresses that a message leads to, wherever they stand in it."""
    if isinstance(message, list):
        for part in message:
            yield from links(part)
    elif isinstance(message, dict):
        if message.get("type") == "uri" and isinstance(message.get("uri"), str):
            yield message["uri"]
        for part in message.values():
            yield from links(part)
