"""The one object that talks to a store: a design, opened on it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from sekkei.clock import SYSTEM, Clock

from . import backfill, commit, reading
from .actions import Action, Transaction
from .backfill import Renewal
from .codecs import AttributeValue
from .conditions import Condition
from .errors import NotFound
from .keys import Ref
from .measured import Measurements
from .query import Query
from .reading import First, Page
from .unique import Unique

if TYPE_CHECKING:
    from sekkei.store.protocol import Store

    from .design import Design
    from .table import Table

M = TypeVar("M")
T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


class Database:
    """Made by `design.open(store)`.

    `env`      fills `{env}` in the tables' names
    `secret`   signs cursors; without one they last as long as this object
    `measure`  ask the store for the units of every call and keep them per pattern in `.measurements`
    """

    def __init__(
        self,
        design: Design,
        store: Store,
        *,
        env: str = "dev",
        secret: bytes | None = None,
        clock: Clock = SYSTEM,
        measure: bool = False,
    ) -> None:
        self.design, self.store, self.env, self.clock = design, store, env, clock
        self.secret = secret or os.urandom(32)
        self.measurements = Measurements()
        self.measure = measure
        self._names: dict[Table, str] = {}

    def table_name(self, table: Table) -> str:
        """The table's name in the store."""
        name = self._names.get(table)
        if name is None:
            name = self._names[table] = self.design.table_name(table, self.env)
        return name

    # Reading

    async def get(self, ref: Ref[M]) -> M | None:
        """The item, or None."""
        return await reading.get(self, ref)

    async def need(self, ref: Ref[M]) -> M:
        """The item; raises NotFound when there is none."""
        found = await reading.get(self, ref)
        if found is None:
            raise NotFound("SK306", f"{ref!r} is not there. Use db.get where that may happen.")
        return found

    async def get_many(self, refs: Iterable[Ref[M]]) -> list[M | None]:
        """Any number of items, in the order asked; None where there is none."""
        wanted = list(refs)
        return await reading.get_many(self, wanted) if wanted else []

    @overload
    async def snapshot(self, a: Ref[A], b: Ref[B], /) -> tuple[A | None, B | None]: ...
    @overload
    async def snapshot(self, a: Ref[A], b: Ref[B], c: Ref[C], /) -> tuple[A | None, B | None, C | None]: ...
    @overload
    async def snapshot(
        self, a: Ref[A], b: Ref[B], c: Ref[C], d: Ref[D], /
    ) -> tuple[A | None, B | None, C | None, D | None]: ...
    @overload
    async def snapshot(self, *refs: Ref[A]) -> tuple[A | None, ...]: ...
    async def snapshot(self, *refs: Ref[Any]) -> tuple[Any, ...]:
        """Several items as they are at one and the same moment."""
        return tuple(await reading.snapshot(self, refs))

    async def page(self, query: Query[M], *, size: int | None = None, after: str | None = None) -> Page[M]:
        """One page; `after` is the cursor of the page before."""
        return await reading.page(self, query, size, after)

    def each(self, query: Query[M]) -> AsyncIterator[M]:
        """`async for task in db.each(query)`: every item, however many there are."""
        return reading.each(self, query)

    async def all(self, query: Query[M]) -> list[M]:
        """Every item, in a list."""
        return [item async for item in reading.each(self, query)]

    async def first(self, query: Query[M]) -> M | None:
        """The first item in the query's order, or None."""
        found = await reading.page(self, query, 1, None)
        while not found.items and found.cursor is not None:
            found = await reading.page(self, query, 1, found.cursor)
        return next(iter(found), None)

    async def first_items(self, query: Query[M], count: int) -> First[M]:
        """The first `count` items, and whether more follow: for a list that has an end on purpose.

        `page` is for lists that go on behind a cursor, `all` for whole ones.
        """
        return await reading.first_items(self, query, count)

    async def count(self, query: Query[Any]) -> int:
        """How many items there are; costs as much as reading them."""
        return await reading.count(self, query)

    async def holder(self, unique: Unique[M], *conditions: Condition[M]) -> M | None:
        """The item that holds a unique value: `await db.holder(emails, User.email == "a@b.c")`."""
        return await _holder(self, unique, conditions)

    # Writing

    async def write(self, action: Action[Any, T], *, token: str | None = None, once: bool = False) -> T:
        """Carry out one write; raises ConditionFailed, with the item that is there, when it may not happen.

        With the same `token` a write happens once, however often it is sent within ten minutes, for twice the units.
        So does this call of it with `once`, also when an answer is lost; free of charge where none can be.
        """
        found: T = await commit.write(self, action, token, once)
        return found

    async def transact(self, *actions: Action[Any, Any] | Transaction, token: str | None = None) -> None:
        """Carry out several writes, all or none; raises TransactionFailed, which knows which one failed.

        With the same `token` a transaction happens once, however often it is sent within ten minutes.
        """
        flat: list[Action[Any, Any]] = []
        pattern: str | None = None
        for action in actions:
            if isinstance(action, Transaction):
                flat += action.actions
                token, pattern = token or action.token, action.pattern
            else:
                flat.append(action)
        await commit.transact(self, tuple(flat), token, pattern)

    async def write_many(self, actions: Iterable[Action[Any, Any]]) -> int:
        """Put and delete any number of items without conditions; returns how many."""
        return await commit.write_many(self, actions)

    async def migrate(self, ref: Ref[Any], stored: Mapping[str, AttributeValue]) -> bool:
        """Rewrite one stored item as today's design stores it, unless it changed since it was read."""
        return await backfill.rewrite(self, ref.entity, stored)

    async def renew(self, query: Query[Any], *, after: str | None = None, size: int = 100) -> Renewal:
        """Bring one page of stored items up to date with the design: schema versions, new derived attributes.

        For a backfill, call it with the cursor it returned until there is none; a saved cursor resumes there.
        """
        return await backfill.renew(self, query, after, size)

    # Measuring

    def measure_into(self, request: dict[str, Any]) -> None:
        """Ask for the units of a call, if this database measures."""
        if self.measure:
            request["ReturnConsumedCapacity"] = "TOTAL"

    def measured(self, pattern: str | None, responses: list[Any], *, writing: bool, items: int) -> None:
        """Keep what the calls of one run cost, if it was a pattern's."""
        if self.measure and pattern is not None:
            capacities = [response.get("ConsumedCapacity") for response in responses]
            self.measurements.record(pattern, capacities, writing, items)

    # Opening and closing

    async def create_tables(self) -> list[str]:
        """Make every table of the design that is missing; returns their names in the store."""
        from . import provisioning

        return await provisioning.create(self.store, self.design, self.env, self.clock)

    async def close(self) -> None:
        """Close the store."""
        await self.store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


async def _holder(db: Database, unique: Unique[M], conditions: tuple[Condition[M], ...]) -> M | None:
    from .binding import KeyPart, bind

    bound = bind([KeyPart("value", unique.template, True)], [], conditions, repr(unique))
    marker = await db.get(unique.markers(bound.tests[0].operands[0]["S"]).consistent())
    if marker is None:
        return None
    entity = unique.entity
    key = {name: {entity.keys[name].kind: text} for name, text in marker.owner.items()}
    values = entity.parse(key)
    if values is None:
        return None
    ref: Ref[M] = Ref(entity, key, values)
    return await db.get(ref.consistent())
