"""Services outside: ends of the outbox with a will of their own. They are slow, hang, fail, and remember.

A mail is made as it is for a mail server, and judged by the rules of the fake mail server (`sekkei_fakes.smtp`):
what such a server would refuse breaks the world.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from sekkei.clock import Clock
from sekkei.runtime.design import Message
from sekkei.runtime.fakes import fake
from sekkei.runtime.outbox import Undeliverable
from sekkei.runtime.transports.mail import address, as_email
from sekkei.worlds.chance import dice_of
from sekkei.worlds.loop import LIFE

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
