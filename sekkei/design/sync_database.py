"""The synchronous face of a database: the calls of `Database`, without `await`.

Written by `make renew WHAT=faces` out of database.py; change that one.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from sekkei.clock import SYSTEM, Clock

from .actions import Action, Transaction
from .backfill import Renewal
from .codecs import AttributeValue
from .conditions import Condition
from .database import Database
from .keys import Ref
from .measured import Measurements
from .query import Query
from .reading import First, Page
from .sync_driver import drive, without_loop
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


class SyncDatabase:
    """Made by `design.open_sync(store)`. Any number of threads may use it.

    On a store in this process a call runs in the caller's thread; any other store has one thread of its own.
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
        design.check()
        self.store = store
        self._db = Database(design, without_loop(store), env=env, secret=secret, clock=clock, measure=measure)
        self.design, self.env, self.clock = design, env, clock

    @property
    def measurements(self) -> Measurements:
        """What each pattern cost, when the database measures."""
        return self._db.measurements

    def table_name(self, table: Table) -> str:
        """The table's name in the store."""
        return self._db.table_name(table)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return drive(coroutine)

    def get(self, ref: Ref[M]) -> M | None:
        """The item, or None."""
        call = self._db.get(ref)
        return self._run(call)

    def need(self, ref: Ref[M]) -> M:
        """The item; raises NotFound when there is none."""
        call = self._db.need(ref)
        return self._run(call)

    def get_many(self, refs: Iterable[Ref[M]]) -> list[M | None]:
        """Any number of items, in the order asked; None where there is none."""
        call = self._db.get_many(refs)
        return self._run(call)

    @overload
    def snapshot(self, a: Ref[A], b: Ref[B], /) -> tuple[A | None, B | None]: ...

    @overload
    def snapshot(self, a: Ref[A], b: Ref[B], c: Ref[C], /) -> tuple[A | None, B | None, C | None]: ...

    @overload
    def snapshot(
        self, a: Ref[A], b: Ref[B], c: Ref[C], d: Ref[D], /
    ) -> tuple[A | None, B | None, C | None, D | None]: ...

    @overload
    def snapshot(self, *refs: Ref[A]) -> tuple[A | None, ...]: ...

    def snapshot(self, *refs: Ref[Any]) -> tuple[Any, ...]:
        """Several items as they are at one and the same moment."""
        call = self._db.snapshot(*refs)
        return self._run(call)

    def page(self, query: Query[M], *, size: int | None = None, after: str | None = None) -> Page[M]:
        """One page; `after` is the cursor of the page before."""
        call = self._db.page(query, size=size, after=after)
        return self._run(call)

    def each(self, query: Query[M]) -> Iterator[M]:
        """`for task in db.each(query)`: every item, however many there are."""
        items = self._db.each(query)
        while True:
            try:
                yield self._run(items.__anext__())  # type: ignore[arg-type]
            except StopAsyncIteration:
                return

    def all(self, query: Query[M]) -> list[M]:
        """Every item, in a list."""
        call = self._db.all(query)
        return self._run(call)

    def first(self, query: Query[M]) -> M | None:
        """The first item in the query's order, or None."""
        call = self._db.first(query)
        return self._run(call)

    def first_items(self, query: Query[M], count: int) -> First[M]:
        """The first `count` items, and whether more follow: for a list that has an end on purpose.

        `page` is for lists that go on behind a cursor, `all` for whole ones.
        """
        call = self._db.first_items(query, count)
        return self._run(call)

    def count(self, query: Query[Any]) -> int:
        """How many items there are; costs as much as reading them."""
        call = self._db.count(query)
        return self._run(call)

    def holder(self, unique: Unique[M], *conditions: Condition[M]) -> M | None:
        """The item that holds a unique value: `db.holder(emails, User.email == "a@b.c")`."""
        call = self._db.holder(unique, *conditions)
        return self._run(call)

    def write(self, action: Action[Any, T], *, token: str | None = None, once: bool = False) -> T:
        """Carry out one write; raises ConditionFailed, with the item that is there, when it may not happen.

        With the same `token` a write happens once, however often it is sent within ten minutes, for twice the units.
        So does this call of it with `once`, also when an answer is lost; free of charge where none can be.
        """
        call = self._db.write(action, token=token, once=once)
        return self._run(call)

    def transact(self, *actions: Action[Any, Any] | Transaction, token: str | None = None) -> None:
        """Carry out several writes, all or none; raises TransactionFailed, which knows which one failed.

        With the same `token` a transaction happens once, however often it is sent within ten minutes.
        """
        call = self._db.transact(*actions, token=token)
        return self._run(call)

    def write_many(self, actions: Iterable[Action[Any, Any]]) -> int:
        """Put and delete any number of items without conditions; returns how many."""
        call = self._db.write_many(actions)
        return self._run(call)

    def migrate(self, ref: Ref[Any], stored: Mapping[str, AttributeValue]) -> bool:
        """Rewrite one stored item as today's design stores it, unless it changed since it was read."""
        call = self._db.migrate(ref, stored)
        return self._run(call)

    def renew(self, query: Query[Any], *, after: str | None = None, size: int = 100) -> Renewal:
        """Bring one page of stored items up to date with the design: schema versions, new derived attributes.

        For a backfill, call it with the cursor it returned until there is none; a saved cursor resumes there.
        """
        call = self._db.renew(query, after=after, size=size)
        return self._run(call)

    def create_tables(self) -> list[str]:
        """Make every table of the design that is missing; returns their names in the store."""
        call = self._db.create_tables()
        return self._run(call)

    def close(self) -> None:
        """Close the store."""
        call = self._db.close()
        return self._run(call)
