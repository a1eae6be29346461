"""The internet of a world: requests of the processes to services outside, and what those send to the processes.

A service is a `sekkei.runtime.fakes.Counterpart`, strict and without faults of its own. On the way there and back
things get lost; a service may be slow, hang, or be out of order for a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from sekkei.design.sync_driver import drive
from sekkei.errors import NoAnswer
from sekkei.runtime.fakes import Counterpart
from sekkei.store.http import Answer
from sekkei.worlds.chance import ASKER, Asker
from sekkei.worlds.loop import LIFE

HANG_SECONDS = 600.0
_OUTAGE_SECONDS = 15.0
SLOW_SECONDS = 1.0
"""Longer than this is worth a word."""
DOWN = Answer(503, {b"content-type": b"application/json"}, b'{"message": "out of order"}')


@dataclass(slots=True)
class Ways:
    """How likely what is on the way to a service and back."""

    slow: float = 0.0
    hang: float = 0.0
    lost_requests: float = 0.0
    lost_answers: float = 0.0
    outage: float = 0.0
    """That a request finds the service out of order, from then on for some seconds."""


@dataclass(slots=True)
class Internet:
    """Services by host name."""

    luck: str
    """Names the dice of every request."""
    context: Context
    """Of the world: what a service does goes on when whoever asked has died."""
    services: dict[str, Counterpart] = field(default_factory=dict)
    ways: Ways = field(default_factory=Ways)
    tell: Callable[[str], None] = lambda what: None
    """Who hears of what goes wrong on the way."""
    requests: int = 0
    _out_of_order_until: dict[str, float] = field(default_factory=dict)

    async def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Of kind `sekkei.runtime.http.Exchange`."""
        parts = urlsplit(url)
        host = parts.hostname or ""
        if host not in self.services:
            raise NoAnswer(f"{host} is not in this world")
        self.requests += 1
        dice = ASKER.get(Asker(f"{host}/{self.requests}")).dice(self.luck)
        ways = self.ways
        life = LIFE.get()
        call = f"{life.name if life else 'somebody'}'s {method} to {host}"
        pause = dice.seconds(10.0 if dice.chance(ways.slow) else 0.2)
        if pause > SLOW_SECONDS:
            self.tell(f"{call} takes {pause:.1f} s")
        await asyncio.sleep(pause)
        if dice.chance(ways.hang):
            self.tell(f"{call} hangs")
            await asyncio.sleep(HANG_SECONDS)
        if dice.chance(ways.lost_requests):
            self.tell(f"{call} is lost before it is done")
            raise NoAnswer(f"the request to {host} was lost on its way")
        if self._is_out_of_order(host, dice.chance(ways.outage), dice.seconds(_OUTAGE_SECONDS)):
            self.tell(f"{call} finds it out of order")
            return DOWN
        work = self._answer(parts, method, headers, body)
        answer = await asyncio.shield(asyncio.get_running_loop().create_task(work, context=self.context.copy()))
        if dice.chance(ways.lost_answers):
            self.tell(f"the answer to {call} is lost")
            raise NoAnswer(f"the answer of {host} was lost on its way")
        return answer

    def _is_out_of_order(self, host: str, breaks: bool, seconds: float) -> bool:
        now = asyncio.get_running_loop().time()
        if breaks:
            self._out_of_order_until[host] = now + seconds
        return now < self._out_of_order_until.get(host, 0.0)

    def _answer(
        self, url: SplitResult, method: str, headers: Mapping[str, str], body: bytes
    ) -> Coroutine[Any, Any, Answer]:
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        fields = {name.lower(): value for name, value in headers.items()}
        return self.services[url.hostname or ""].answer(method, target, fields, body)

    def look(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer | None:
        """What a service says on the spot to whoever only looks; None where asking may be more than that."""
        parts = urlsplit(url)
        service = self.services.get(parts.hostname or "")
        if method != "GET" or not getattr(service, "get_changes_nothing", False):
            return None
        return self.context.copy().run(drive, self._answer(parts, method, headers, body))

    def calm(self) -> None:
        """From now on everything arrives."""
        self.ways = Ways()
        self._out_of_order_until.clear()
