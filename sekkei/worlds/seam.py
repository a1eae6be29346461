"""The store as a world has it: one truth behind a network that is slow, loses requests and loses answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextvars import copy_context
from dataclasses import asdict, dataclass
from typing import Any, Protocol, cast

from sekkei.design.sync_driver import drive
from sekkei.engine.engine import Engine
from sekkei.errors import NoAnswer
from sekkei.runtime.wakeups import written
from sekkei.store import Embedded, Retrying
from sekkei.store.protocol import Request, Response
from sekkei.store.weather import Weather
from sekkei.store.weather.weather import Forecast
from sekkei.worlds.chance import ASKER, Asker
from sekkei.worlds.clock import WorldClock

# What is stored, for those who look after every commit: only rows that were written are read and decoded again.


Item = dict[str, Any]


class Mirror:
    """The tables of a store, row by row; `ask` carries out one call at once."""

    def __init__(self, ask: Callable[[str, Request], Response]) -> None:
        self._ask = ask
        self._tables: dict[str, _Table] = {}

    def written(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Rows, or their keys, that are now perhaps different."""
        for name, row in rows:
            if name in self._tables:
                self._tables[name].touch(row)

    def forget(self) -> None:
        """Anything may be different now."""
        self._tables.clear()

    def items(self, table: str) -> list[Item]:
        return list(self._table(table).items().values())

    def decoded(self, table: str, decode: Callable[[Item], Any]) -> list[Any]:
        """The same as models; each row is decoded once."""
        found = self._table(table)
        models = found.models
        for place, item in found.items().items():
            if place not in models:
                models[place] = decode(item)
        return [models[place] for place in found.items()]

    def _table(self, name: str) -> _Table:
        if name not in self._tables:
            self._tables[name] = _Table(self._ask, name)
        return self._tables[name]


class _Table:
    def __init__(self, ask: Callable[[str, Request], Response], name: str) -> None:
        self._ask, self._name = ask, name
        schema = ask("DescribeTable", {"TableName": name})["Table"]["KeySchema"]
        self._key = [each["AttributeName"] for each in schema]
        self._items = {self._place(item): item for item in self._scanned()}
        self._touched: dict[str, Item] = {}
        self.models: dict[str, Any] = {}

    def _scanned(self) -> list[Item]:
        found: list[Item] = []
        request: dict[str, Any] = {"TableName": self._name, "ConsistentRead": True}
        while True:
            answer = self._ask("Scan", request)
            found += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return found
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _place(self, row: Mapping[str, Any]) -> str:
        return repr([row[name] for name in self._key])

    def touch(self, row: Mapping[str, Any]) -> None:
        self._touched[self._place(row)] = {name: row[name] for name in self._key}

    def items(self) -> dict[str, Item]:
        for place, key in self._touched.items():
            self.models.pop(place, None)
            found = self._ask("GetItem", {"TableName": self._name, "Key": key, "ConsistentRead": True}).get("Item")
            if found is None:
                self._items.pop(place, None)
            else:
                self._items[place] = found
        self._touched.clear()
        return self._items


WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
READS = frozenset({"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "DescribeTable", "ListTables"})
READS |= {"DescribeStream", "ListStreams", "GetShardIterator", "GetRecords", "DescribeTimeToLive"}
PAGES = frozenset({"Query", "Scan"})
_PAGE_LATENCIES = 4
"""So many times as long as one item a page is on its way: much can happen between two looks."""
TIMEOUT_SECONDS = 2.0
STORM = Forecast(index_lag=1.5, base_lag=0.5, throttled=0.02, unprocessed=0.1, conflicts=0.03, in_progress=0.02)
"""What the store itself may do, besides what happens on the way to it."""


@dataclass(slots=True)
class Network:
    """What can happen between a process and the store."""

    latency_seconds: float = 0.01
    lost_requests: float = 0.0
    lost_answers: float = 0.0


class Looker(Protocol):
    """Somebody who is told what was written."""

    def written(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> None: ...

    def forget(self) -> None: ...


class Driven:
    """A store that does everything where it is asked; its own thread would work in real time."""

    def __init__(self, store: Embedded) -> None:
        self._store, self.engine = store, self

    async def call(self, operation: str, request: Request, *render: Any) -> Response:
        return drive(self._store.engine.call(operation, request, *render))

    async def close(self) -> None:
        drive(self._store.close())

    @classmethod
    def in_memory(cls, clock: WorldClock) -> Driven:
        """Closed by whoever made it."""
        return cls(Embedded(Engine(None, clock=clock, housekeeping_seconds=None), clock=clock))


class Truth:
    """The store itself, in its weather, and who looks at it after every commit."""

    def __init__(
        self,
        clock: WorldClock,
        seed: int,
        weather: Forecast = Forecast(),  # noqa: B008
        luck: str = "",
    ) -> None:
        self.clock, self.seed = clock, seed
        self.luck = luck or str(seed)
        """Names the dice of every call."""
        self.network = Network()
        self.tell: Callable[[str], None] = lambda what: None
        """Who hears of what is lost on its way."""
        self.after_write: list[Callable[[str, Request], None]] = []
        self.calls = self.writes = 0
        self.rehearsal: Callable[[str, Request], Response] | None = None
        """Who answers while work is only tried out."""
        self.context = copy_context()
        """The world's own: what the store does goes on when whoever asked has died."""
        self.embedded = Embedded(Engine(None, clock=clock, housekeeping_seconds=None), clock=clock)
        self.mirror = Mirror(self.now)
        self.lookers: list[Looker] = [self.mirror]
        """Who is told what was written."""
        self.weather = Weather(self, seed, **asdict(weather), clock=clock)
        for replica in self.weather._replicas:
            replica._copy = cast(Embedded, Driven(replica._copy))

    def now(self, operation: str, request: Request) -> Response:
        """Carry out one call at once, without a network; for those who look at the truth."""
        response = drive(self.embedded.call(operation, request))
        if operation in WRITES:
            for looker in self.lookers:
                looker.written(written(operation, request))
        elif operation not in READS:
            self._forget()
        return response

    def _forget(self) -> None:
        for looker in self.lookers:
            looker.forget()

    async def call(self, operation: str, request: Request) -> Response:
        """Carry out one call, and let those look who look after every commit."""
        self.calls += 1
        response = self.now(operation, request)
        if operation in WRITES:
            self.writes += 1
            for check in self.after_write:
                check(operation, request)
        return response

    async def in_weather(self, operation: str, request: Request) -> Response:
        if self.weather.forecast.is_clear:
            return await self.call(operation, request)
        work = asyncio.get_running_loop().create_task(
            self.weather.call(operation, request), context=self.context.copy()
        )
        return await asyncio.shield(work)

    def items(self, table: str) -> list[dict[str, Any]]:
        """All items of a table, as they are now; not to be changed."""
        return self.mirror.items(table)

    def sweep(self) -> None:
        """Delete what has expired by now, as DynamoDB does in its own time."""
        before = self.embedded.version()
        drive(self.embedded.engine.sweep())
        if self.embedded.version() != before:
            self._forget()

    def calm(self) -> None:
        self.network = Network()
        self.weather.forecast = Forecast()

    async def close(self) -> None:
        """The store outlives its clients."""

    def shut(self) -> None:
        for replica in self.weather._replicas:
            drive(replica.close())
        drive(self.embedded.close())


class Seam:
    """One process's way to the store."""

    def __init__(self, truth: Truth, process: str) -> None:
        self._truth, self._itself, self._process = truth, Asker(process), process

    async def call(self, operation: str, request: Request) -> Response:
        truth, network = self._truth, self._truth.network
        if truth.rehearsal is not None:
            return truth.rehearsal(operation, request)
        dice = ASKER.get(self._itself).thrown(truth.luck)
        there = dice.seconds(network.latency_seconds * (_PAGE_LATENCIES if operation in PAGES else 1))
        request_lost, answer_lost = dice.chance(network.lost_requests), dice.chance(network.lost_answers)
        back = dice.seconds(network.latency_seconds)
        await _on_its_way(there)
        if request_lost:
            truth.tell(f"{self._process}'s {operation} is lost before it is done")
            await asyncio.sleep(TIMEOUT_SECONDS)
            raise NoAnswer("the request was lost on its way")
        response = await truth.in_weather(operation, request)
        if answer_lost:
            truth.tell(f"the answer to {self._process}'s {operation} is lost")
            await asyncio.sleep(TIMEOUT_SECONDS)
            raise NoAnswer("the answer was lost on its way")
        await _on_its_way(back)
        return response

    async def close(self) -> None:
        """The store outlives its clients."""


async def _on_its_way(seconds: float) -> None:
    """As `asyncio.sleep`, which costs more: there are two for every call."""
    loop = asyncio.get_running_loop()
    arrived = loop.create_future()
    timer = loop.call_later(seconds, _arrive, arrived)
    try:
        await arrived
    except asyncio.CancelledError:
        timer.cancel()
        raise


def _arrive(arrived: asyncio.Future[None]) -> None:
    if not arrived.done():
        arrived.set_result(None)


class Telling(Retrying):
    """A way to a store that can tell whether anybody has written, as one in a file can."""

    def __init__(self, truth: Truth, process: str, clock: WorldClock) -> None:
        super().__init__(Seam(truth, process), clock=clock)
        self._truth = truth

    def version(self) -> int:
        return self._truth.writes
