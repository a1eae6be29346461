"""The store as a world has it: one truth behind a network that is slow, loses requests and loses answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sekkei.design.driving import drive
from sekkei.engine.engine import Engine
from sekkei.errors import NoAnswer
from sekkei.store import Embedded
from sekkei.store.protocol import Request, Response
from sekkei.worlds.chance import ASKER, Asker
from sekkei.worlds.clock import WorldClock

WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
TIMEOUT_SECONDS = 2.0


@dataclass(slots=True)
class Network:
    """What can happen between a process and the store."""

    latency_seconds: float = 0.01
    lost_requests: float = 0.0
    lost_answers: float = 0.0


@dataclass
class Truth:
    """The store itself, and who looks at it after every commit."""

    clock: WorldClock
    seed: int
    network: Network = field(default_factory=Network)
    after_write: list[Callable[[str, Request], None]] = field(default_factory=list)
    calls: int = 0

    def __post_init__(self) -> None:
        self.embedded = Embedded(Engine(None, clock=self.clock, housekeeping_seconds=None), clock=self.clock)

    def now(self, operation: str, request: Request) -> Response:
        """Carry out one call at once, without a network; for those who look at the truth."""
        return drive(self.embedded.call(operation, request))

    def items(self, table: str) -> list[dict[str, Any]]:
        """All items of a table, as they are now."""
        found: list[dict[str, Any]] = []
        request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
        while True:
            answer = self.now("Scan", request)
            found += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return found
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def sweep(self) -> None:
        """Delete what has expired by now, as DynamoDB does in its own time."""
        drive(self.embedded.engine.sweep())

    def close(self) -> None:
        drive(self.embedded.close())


class Seam:
    """One process's way to the store."""

    def __init__(self, truth: Truth, process: str) -> None:
        self._truth, self._itself = truth, Asker(process)

    async def call(self, operation: str, request: Request) -> Response:
        truth, network = self._truth, self._truth.network
        dice = ASKER.get(self._itself).dice(truth.seed)
        await asyncio.sleep(dice.seconds(network.latency_seconds))
        if dice.chance(network.lost_requests):
            await asyncio.sleep(TIMEOUT_SECONDS)
            raise NoAnswer("the request was lost on its way")
        truth.calls += 1
        response = truth.now(operation, request)
        if operation in WRITES:
            for check in truth.after_write:
                check(operation, request)
        if dice.chance(network.lost_answers):
            await asyncio.sleep(TIMEOUT_SECONDS)
            raise NoAnswer("the answer was lost on its way")
        await asyncio.sleep(dice.seconds(network.latency_seconds))
        return response

    async def close(self) -> None:
        """The store outlives its clients."""
