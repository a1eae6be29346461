"""Services outside: ends of the outbox with a will of their own. They are slow, hang, fail, and remember."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Undeliverable
from sekkei.worlds.chance import dice_of

HANG_SECONDS = 600.0


@dataclass(slots=True)
class Received:
    at: float
    id: str
    to: str
    body: Any


@dataclass(slots=True)
class Outside:
    """A transport of one kind. What it accepted is in `received`, also when its answer was lost afterwards."""

    kind: str
    seed: int
    slow: float = 0.0
    hang: float = 0.0
    fail: float = 0.0
    lost: float = 0.0
    refuse: float = 0.0
    received: list[Received] = field(default_factory=list)
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
        now = asyncio.get_running_loop().time()
        self.received.append(Received(now, message.id, message.to, message.body))
        if dice.chance(self.lost):
            raise ConnectionError(f"the answer of {self.kind} was lost")
        return f"{self.kind}-{self._calls}"

    def calm(self) -> None:
        """From now on it does what it should."""
        self.slow = self.hang = self.fail = self.lost = self.refuse = 0.0
