"""Services outside a world, and the internet between them and its processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from sekkei.clock import Clock
from sekkei.design.sync_driver import drive
from sekkei.errors import NoAnswer
from sekkei.runtime.design import Message
from sekkei.runtime.fakes import Counterpart, fake
from sekkei.runtime.outbox import Undeliverable
from sekkei.runtime.transports.mail import address, as_email
from sekkei.store.http import Answer
from sekkei.worlds.chance import ASKER, Asker, dice_of
from sekkei.worlds.loop import LIFE

# Services outside: ends of the outbox with a will of their own. They are slow, hang, fail, and remember.
#
# A mail is made as it is for a mail server, and judged by the rules of the fake mail server (`sekkei_fakes.smtp`):
# what such a server would refuse breaks the world.


HANG_SECONDS = 600.0
SENDER = "sekkei@world.example"


@dataclass(slots=True)
class Received:
    at: float
    id: str
    to: str
    body: Any
    by: str = ""
    """The process that sent it."""
    answered: bool = True


@dataclass(slots=True)
class Outside:
    """A transport of one kind. What it accepted is in `received`, also when its answer was lost afterwards."""

    kind: str
    seed: int
    clock: Clock
    slow: float = 0.0
    hang: float = 0.0
    fail: float = 0.0
    lost: float = 0.0
    refuse: float = 0.0
    received: list[Received] = field(default_factory=list)
    wrong: str = ""
    """What a mail server said to the first mail that it would not take, whoever it is for."""
    _calls: int = 0

    async def send(self, message: Message) -> str:
        self._calls += 1
        dice = dice_of(self.seed, "outside", self.kind, self._calls)
        await asyncio.sleep(dice.seconds(10.0 if dice.chance(self.slow) else 0.1))
        if dice.chance(self.hang):
            await asyncio.sleep(HANG_SECONDS)
        if dice.chance(self.fail):
            raise ConnectionError(f"{self.kind} is not to be reached")
        if dice.chance(self.refuse):
            raise Undeliverable(f"{self.kind} refuses {message.to}")
        if self.kind == "mail":
            self._judge(message)
        now = asyncio.get_running_loop().time()
        life, lost = LIFE.get(), dice.chance(self.lost)
        by = life.name if life is not None else ""
        self.received.append(Received(now, message.id, message.to, message.body, by, not lost))
        if lost:
            raise ConnectionError(f"the answer of {self.kind} was lost")
        return f"{self.kind}-{self._calls}"

    def _judge(self, message: Message) -> None:
        try:
            to, content = address(message.to).addr_spec, as_email(message, SENDER).as_bytes()
            refusal = fake("mail-server")(self.clock).take(SENDER, [to], content)
        except Undeliverable as error:
            refusal = str(error)
        if refusal is not None:
            self.wrong = self.wrong or f"{message.id} to {message.to}: {refusal}"
            raise Undeliverable(refusal)

    def calm(self) -> None:
        """From now on it does what it should."""
        self.slow = self.hang = self.fail = self.lost = self.refuse = 0.0


# The internet of a world: requests of the processes to services outside, and what those send to the processes.
#
# A service is a `sekkei.runtime.fakes.Counterpart`, strict and without faults of its own. On the way there and back
# things get lost; a service may be slow, hang, or be out of order for a while.


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
