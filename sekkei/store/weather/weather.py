"""A store in weather: late indexes, throttling, partial batches, conflicts, lost answers; and the forecasts of it."""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Protocol, cast

from sekkei.clock import SYSTEM, Clock
from sekkei.engine.items.values import Item
from sekkei.engine.operation import Render
from sekkei.engine.storage.catalogue import Table
from sekkei.errors import (
    ConfigurationError,
    DynamoDBError,
    InternalServerError,
    ThrottlingException,
    TransactionCanceledException,
    TransactionConflictException,
    TransactionInProgressException,
)
from sekkei.store.protocol import Request, Response, Store
from sekkei.store.retries import is_retryable
from sekkei.store.weather import requests
from sekkei.store.weather.capacity import ON_DEMAND_MESSAGE, Capacity, as_asked
from sekkei.store.weather.replica import Replica
from sekkei.store.weather.requests import BATCHES, TRANSACTIONS, Act, Acts, Tables, changed_by


@dataclass(frozen=True)
class Forecast:
    """Seconds are the most that something may take; chances lie between 0 and 1."""

    index_lag: float = 0.0
    """Seconds by which a global secondary index may be behind its table."""
    base_lag: float = 0.0
    """Seconds by which an eventually consistent read of a table may be behind."""
    throttle: bool = False
    """Whether capacity is limited: the provisioned units, and 1,000 / 3,000 units a second of a partition."""
    throttled: float = 0.0
    """Chance that a call is throttled however little was used, as by a neighbour's load or a table that is growing."""
    unprocessed: float = 0.0
    """Chance, for each item of a batch, to come back unprocessed."""
    conflicts: float = 0.0
    """Chance of a transaction to be cancelled for a conflict; also of a write to a table that has had transactions."""
    in_progress: float = 0.0
    """Chance of a transaction with a token to be told that it is already in progress."""
    latency: float = 0.0
    """Seconds that a call may take longer."""
    lost_responses: float = 0.0
    """Chance of a write to happen and yet to be answered with an internal error."""

    def __post_init__(self) -> None:
        for name in ("index_lag", "base_lag", "latency"):
            if not 0 <= getattr(self, name) <= 24 * 3600:
                raise ConfigurationError(f"{name} must be between 0 seconds and a day, not {getattr(self, name)!r}")
        for name in ("throttled", "unprocessed", "conflicts", "in_progress", "lost_responses"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigurationError(f"{name} is a chance between 0 and 1, not {getattr(self, name)!r}")

    @cached_property
    def is_clear(self) -> bool:
        return not any(getattr(self, field.name) for field in fields(self))


PRESETS = {
    "clear": Forecast(),
    "fog": Forecast(index_lag=2.0, base_lag=0.5),
    "drizzle": Forecast(
        index_lag=0.5, base_lag=0.1, throttle=True, throttled=0.01, unprocessed=0.02, conflicts=0.01, latency=0.01
    ),
    "storm": Forecast(
        index_lag=5.0,
        base_lag=1.0,
        throttle=True,
        throttled=0.05,
        unprocessed=0.2,
        conflicts=0.1,
        in_progress=0.05,
        latency=0.05,
        lost_responses=0.05,
    ),
}
"""Fog hides the present; drizzle is a common day of the cloud; a storm is the worst one."""


def _preset(name: str) -> Forecast:
    try:
        return PRESETS[name]
    except KeyError:
        raise ConfigurationError(f"there is no weather {name!r}: choose one of {', '.join(PRESETS)}") from None


_NONE = {"Code": "None"}
_CONFLICT = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
_REASON_CODES = {
    "ProvisionedThroughputExceededException": "ProvisionedThroughputExceeded",
    "ThrottlingException": "ThrottlingError",
}


class Rendering(Protocol):
    """A store; or an engine, which also takes how to render items."""

    def call(self, operation: str, request: Request, render: Render = ...) -> Coroutine[Any, Any, Response]: ...


@dataclass(slots=True)
class _Call:
    """One call and what is known of it."""

    operation: str
    request: Request
    render: tuple[Render, ...]
    chance: random.Random
    acts: list[Act]
    tables: dict[str, Table]

    def hits(self, probability: float) -> bool:
        return probability > 0 and self.chance.random() < probability

    @property
    def writes(self) -> bool:
        return any(act.writes for act in self.acts)

    @property
    def token(self) -> str | None:
        return self.request.get("ClientRequestToken")


class Weather:
    """Any store, as it is on a bad day. The n-th call of a run with the same seed meets the same weather.

        store = Weather(Embedded(), seed=7, index_lag=2.0, lost_responses=0.05)
        store = Weather.preset("storm", Embedded())

    See `Forecast` for what each setting means; without any, the store is as it was. Weather knows the writes that pass
    through it: for late reads it must be the only way to its store. It raises errors as they come; `Retrying` around it
    tries again, as the AWS SDKs do. One event loop may use it.
    """

    def __init__(
        self,
        store: Store | Rendering,
        seed: int = 7,
        *,
        index_lag: float = 0.0,
        base_lag: float = 0.0,
        throttle: bool = False,
        throttled: float = 0.0,
        unprocessed: float = 0.0,
        conflicts: float = 0.0,
        in_progress: float = 0.0,
        latency: float = 0.0,
        lost_responses: float = 0.0,
        clock: Clock = SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.forecast = Forecast(
            index_lag, base_lag, throttle, throttled, unprocessed, conflicts, in_progress, latency, lost_responses
        )
        self.seed = seed
        self._store = cast(Rendering, store)
        self._sleep = sleep
        self._calls = 0
        self._tables = Tables(cast(Store, store))
        self._capacity = Capacity(clock) if throttle else None
        self._of_indexes = Replica(cast(Store, store), index_lag, clock) if index_lag else None
        self._of_tables = Replica(cast(Store, store), base_lag, clock) if base_lag else None
        self._replicas = [replica for replica in (self._of_indexes, self._of_tables) if replica is not None]
        self._recording = asyncio.Lock()
        self._writes_under_way: set[asyncio.Task[Response]] = set()
        self._transacted: set[str] = set()

    @classmethod
    def preset(
        cls,
        name: str,
        store: Store | Rendering,
        seed: int = 7,
        *,
        clock: Clock = SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> Weather:
        """One of the named kinds of weather: clear, fog, drizzle, storm."""
        return cls(store, seed, **vars(_preset(name)), clock=clock, sleep=sleep)

    async def call(self, operation: str, request: Request, render: Render | None = None) -> Response:
        """Perform one operation, weather permitting; see `Store.call`."""
        rendering = () if render is None else (render,)
        if self.forecast.is_clear:
            return await self._store.call(operation, request, *rendering)
        self._calls += 1
        chance = random.Random(f"{self.seed}/{self._calls}")
        await self._pause(chance)
        said = Acts(operation, request)
        tables = await self._tables.known(sorted(said.tables))
        acts = said.in_tables(tables)
        call = _Call(operation, request, rendering, chance, acts, tables)
        response = await (self._meet(call) if acts else self._pass(call))
        await self._pause(chance)
        return response

    async def close(self) -> None:
        """Finish the writes under way, then close the store."""
        if self._writes_under_way:
            await asyncio.wait(self._writes_under_way)
        for replica in self._replicas:
            await replica.close()
        closing = cast(Any, self._store).close()
        if inspect.isawaitable(closing):
            await closing

    # --- what may come between a call and its answer ------------------------------------------------------------------

    async def _meet(self, call: _Call) -> Response:
        """The way of a call on items: it may be refused, done in part, done late, or done and not told."""
        self._refuse_by_chance(call)
        is_in_progress = call.token is not None and call.writes and call.hits(self.forecast.in_progress)
        if is_in_progress and call.chance.random() < 0.5:
            raise _in_progress()  # an earlier attempt is still busy, and nothing has happened yet
        items = await self._items(call)
        request, kept = self._admitted(call, items)
        response = await self._charged(call, request, items)
        if kept:
            requests.give_back(call.operation, response, kept)
        if is_in_progress:
            raise _in_progress()  # and here it got through meanwhile
        if call.writes and call.hits(self.forecast.lost_responses):
            raise InternalServerError("Internal server error")
        return response

    def _refuse_by_chance(self, call: _Call) -> None:
        forecast = self.forecast
        if call.hits(forecast.throttled):
            raise ThrottlingException(ON_DEMAND_MESSAGE)
        if call.operation in TRANSACTIONS:
            self._transacted.update(act.table for act in call.acts)
            if call.hits(forecast.conflicts):
                loser = call.chance.randrange(len(call.acts))
                reasons = [_CONFLICT if at == loser else _NONE for at in range(len(call.acts))]
                raise TransactionCanceledException.of([dict(reason) for reason in reasons])
        elif self._may_meet_a_transaction(call) and call.hits(forecast.conflicts):
            raise TransactionConflictException

    def _may_meet_a_transaction(self, call: _Call) -> bool:
        is_single = len(call.acts) == 1 and call.operation not in BATCHES
        return is_single and call.writes and call.acts[0].table in self._transacted

    def _admitted(self, call: _Call, items: list[Item | None]) -> tuple[Request, dict[str, Any]]:
        """What of the request is to be done, and the entries of a batch that are not."""
        refusals = self._refusals(call, items)
        if call.operation not in BATCHES:
            _raise_refusals(call, refusals)
            return call.request, {}
        held_back = {at for at, refusal in enumerate(refusals) if refusal is not None}
        if len(held_back) == len(call.acts):
            _raise_refusals(call, refusals)
        for at in range(len(call.acts)):
            if len(held_back) + 1 < len(call.acts) and call.hits(self.forecast.unprocessed):
                held_back.add(at)
        return requests.split(call.operation, call.request, held_back) if held_back else (call.request, {})

    def _refusals(self, call: _Call, items: list[Item | None]) -> list[DynamoDBError | None]:
        refusals: list[DynamoDBError | None] = []
        for act, item in zip(call.acts, items, strict=True):
            table = call.tables.get(act.table)
            if self._capacity is None or table is None:
                refusals.append(None)
            else:
                refusals.append(self._capacity.refusal(act, table, item))
        return refusals

    async def _pause(self, chance: random.Random) -> None:
        if self.forecast.latency:
            await self._sleep(self.forecast.latency / 2 * chance.random())

    # --- the call itself ----------------------------------------------------------------------------------------------

    async def _pass(self, call: _Call) -> Response:
        """A call that is not about items, or that the store will refuse."""
        changed = changed_by(call.operation, call.request)
        try:
            return await self._store.call(call.operation, call.request, *call.render)
        finally:
            if changed is not None:
                await self._forget(changed)

    async def _charged(self, call: _Call, request: Request, items: list[Item | None]) -> Response:
        if self._capacity is None:
            return await self._done(call, request)
        response = await self._done(call, {**request, "ReturnConsumedCapacity": "INDEXES"})
        if "ConsumedCapacity" in response:
            acts = list(zip(call.acts, items, strict=True))
            self._capacity.charge(acts, call.tables, response["ConsumedCapacity"])
        as_asked(response, request.get("ReturnConsumedCapacity"))
        return response

    async def _done(self, call: _Call, request: Request) -> Response:
        if not self._replicas:
            return await self._store.call(call.operation, request, *call.render)
        for table in call.tables.values():
            for replica in self._replicas:
                await replica.prepare(table)
        if call.writes:
            # A caller who goes away must not keep the copies from learning what happened.
            write = asyncio.ensure_future(self._written(call, request))
            self._writes_under_way.add(write)
            write.add_done_callback(self._writes_under_way.discard)
            return await asyncio.shield(write)
        return await self._read(call, request)

    async def _written(self, call: _Call, request: Request) -> Response:
        try:
            response = await self._store.call(call.operation, request, *call.render)
        except DynamoDBError as error:
            if is_retryable(error):  # it may have happened all the same
                await self._record(call)
            raise
        await self._record(call)
        return response

    async def _record(self, call: _Call) -> None:
        """Tell the copies what the written items have become. One at a time, so that no older state comes last."""
        async with self._recording:
            for act in call.acts:
                table = call.tables.get(act.table)
                if table is None or not act.changes or act.item is None:
                    continue
                key = table.key_of(act.item)
                lateness = [call.chance.random() for _ in self._replicas]
                try:
                    item = await self._now(table, key)
                except DynamoDBError:
                    await self._forget(table.name)
                    continue
                for replica, late in zip(self._replicas, lateness, strict=True):
                    await replica.learn(table, key, item, late)

    async def _read(self, call: _Call, request: Request) -> Response:
        if call.operation == "BatchGetItem":
            return await self._read_batch(call, request)
        replica = self._replica_for(call)
        if replica is None:
            return await self._store.call(call.operation, request, *call.render)
        if "TableName" in request:
            request = {**request, "TableName": call.acts[0].table}
        return await replica.read(call.operation, request, *call.render)

    def _replica_for(self, call: _Call) -> Replica | None:
        """Who answers an eventually consistent read; None when the store itself does."""
        if call.operation in TRANSACTIONS or any(act.consistent for act in call.acts):
            return None
        if any(act.table not in call.tables for act in call.acts):
            return None
        indexes = [call.tables[act.table].indexes.get(act.index) for act in call.acts if act.index is not None]
        if any(index is None for index in indexes):
            return None
        on_global = any(index is not None and index.is_global for index in indexes)
        return self._of_indexes if on_global else self._of_tables

    async def _read_batch(self, call: _Call, request: Request) -> Response:
        """The store says what is wrong with a batch and what it left out; the copy says what was there."""
        response = await self._store.call(call.operation, request, *call.render)
        unprocessed = response.get("UnprocessedKeys", {})
        late = {}
        for name, wanted in request["RequestItems"].items():
            left = unprocessed.get(name, {}).get("Keys", ())
            keys = [key for key in wanted["Keys"] if key not in left]
            if keys and not wanted.get("ConsistentRead") and name in call.tables:
                late[name] = {**wanted, "Keys": keys}
        if late and self._of_tables is not None:
            past = await self._of_tables.read(call.operation, {"RequestItems": late}, *call.render)
            response["Responses"].update(past["Responses"])
            requests.give_back(call.operation, response, past["UnprocessedKeys"])
        return response

    # --- what the store holds now -------------------------------------------------------------------------------------

    async def _items(self, call: _Call) -> list[Item | None]:
        """For each act the item that is put, or is there before it is changed: it tells which indexes are written."""
        items = []
        for act in call.acts:
            table = call.tables.get(act.table)
            is_indexed = table is not None and any(index.is_global for index in table.indexes.values())
            if self._capacity is None or act.puts or not (act.changes and is_indexed) or act.item is None:
                items.append(act.item)
            else:
                assert table is not None
                items.append(await self._now(table, table.key_of(act.item)))
        return items

    async def _now(self, table: Table, key: Item) -> Item | None:
        request = {"TableName": table.name, "Key": key, "ConsistentRead": True}
        return (await self._store.call("GetItem", request)).get("Item")

    async def _forget(self, table: str) -> None:
        self._tables.forget(table)
        if self._capacity is not None:
            self._capacity.forget(table)
        for replica in self._replicas:
            await replica.forget(table)


def _raise_refusals(call: _Call, refusals: list[DynamoDBError | None]) -> None:
    """One error for all that were refused: a transaction's says which."""
    refused = [refusal for refusal in refusals if refusal is not None]
    if not refused:
        return
    if call.operation not in TRANSACTIONS:
        raise refused[0]
    raise TransactionCanceledException.of(
        [
            dict(_NONE) if refusal is None else {"Code": _REASON_CODES[refusal.code], "Message": refusal.message}
            for refusal in refusals
        ]
    )


def _in_progress() -> TransactionInProgressException:
    return TransactionInProgressException("The transaction with the given request token is already in progress.")
