"""A design: its tables, entities and access patterns, under one name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, TypeVar, overload

from sekkei.clock import SYSTEM, Clock

from . import limits
from .entity import Entity
from .errors import DesignError
from .table import Capacity, Index, StreamView, Table

if TYPE_CHECKING:
    from sekkei.store.protocol import Store

    from .actions import Action, Transaction
    from .database import Database
    from .keys import Ref
    from .patterns import Pattern
    from .query import Query
    from .sync_database import SyncDatabase

    _Step = Ref[Any] | Query[Any] | Action[Any, Any] | Transaction | Sequence[Ref[Any]]
    _Plannable = _Step | tuple[_Step, ...]

_P = ParamSpec("_P")
_R = TypeVar("_R", bound="_Plannable")


class Acceptance(NamedTuple):
    """A finding of `sekkei check` that a design leaves as it is, and why."""

    rule: str
    place: str
    why: str


class Relation(NamedTuple):
    """One `parent` has many `child`, or at most one; for the document's diagram."""

    parent: Entity[..., Any]
    child: Entity[..., Any]
    many: bool


class Marking(NamedTuple):
    """What the document says of everything that is declared `added=True`, in one language."""

    word: str  # stands behind each, such as "added"
    note: str  # explains the word, at the top
    unmarked: str = ""  # how many tables are not added, such as "Tables of the first draft: {count}"
    marked: str = ""  # and how many are


class Design:
    """Tables, entities and access patterns.

    `tables`    how a table is named in the store, for example "{env}-q-{table}"
    `language`  of its document, unless another is asked for: "en" or "ja"
    `added`     the words for what is declared `added=True`, by language; without, the document makes no difference
    """

    def __init__(
        self,
        name: str,
        *,
        tables: str = "{table}",
        ja: str = "",
        en: str = "",
        language: Literal["en", "ja"] = "en",
        added: Mapping[str, Marking] | None = None,
    ) -> None:
        self.name, self.naming, self.ja, self.en = name, tables, ja, en
        self.language, self.added = language, dict(added or {})
        self.tables: dict[str, Table] = {}
        self.patterns: dict[str, Pattern[..., Any]] = {}
        self.accepted: list[Acceptance] = []
        self.relations: list[Relation] = []
        self._checked: list[object] | None = None
        if "{table}" not in tables:
            raise DesignError("SK138", f"tables={tables!r} of design {name} lacks {{table}}; all would have one name.")

    def table(
        self,
        name: str,
        pk: str,
        sk: str | None = None,
        *,
        indexes: Iterable[Index] = (),
        discriminator: str | None = None,
        ttl: str | None = None,
        stream: StreamView | None = None,
        capacity: Capacity | None = None,
        pitr: bool = False,
        deletion_protection: bool = False,
        warm: Capacity | None = None,
        tags: Mapping[str, str] | None = None,
        insights: bool = False,
        ja: str = "",
        en: str = "",
        added: bool = False,
    ) -> Table:
        """Declare a table. `pk`, `sk` and `ttl` are stored attribute names.

        `capacity`  provisioned units; without it the table is billed on demand
        `warm`      units a second that the table bears at once, before it has grown used to them
        `insights`  CloudWatch shows the keys that are asked for most
        """
        if name in self.tables:
            raise DesignError("SK116", f"design {self.name} has two tables named {name}. Rename one.")
        table = Table(
            name,
            pk,
            sk,
            indexes=indexes,
            discriminator=discriminator,
            ttl=ttl,
            stream=stream,
            capacity=capacity,
            pitr=pitr,
            deletion_protection=deletion_protection,
            warm=warm,
            tags=tags,
            insights=insights,
            ja=ja,
            en=en,
            added=added,
        )
        table.naming = self.naming
        limits.check_name("table", self.table_name(table, "dev"))
        self.tables[name] = table
        return table

    def table_name(self, table: Table, env: str) -> str:
        """The name in the store."""
        return (table.shared or "") + table.naming.replace("{env}", env).replace("{table}", table.name)

    def table_named(self, name: str, env: str) -> Table | None:
        """The table that has this name in the store."""
        return next((table for table in self.tables.values() if self.table_name(table, env) == name), None)

    @overload
    def pattern(self, function: Callable[_P, _R], /) -> Pattern[_P, _R]: ...
    @overload
    def pattern(
        self,
        *,
        number: str = "",
        ja: str = "",
        scan: str = "",
        page: int | None = None,
        sample: Mapping[str, Any] | None = None,
        added: bool = False,
    ) -> Callable[[Callable[_P, _R]], Pattern[_P, _R]]: ...
    def pattern(
        self,
        function: Any = None,
        *,
        number: str = "",
        ja: str = "",
        scan: str = "",
        page: int | None = None,
        sample: Mapping[str, Any] | None = None,
        added: bool = False,
    ) -> Any:
        """Declare an access pattern: a documented function that returns a reference, a query, a write or a transaction.

        `number`  the pattern's number, where people know it by one
        `ja`      what it is for, in Japanese; the docstring says it in English
        `scan`    why the pattern may read a whole table; without it, one that would does not load
        `page`    the size of a page
        `sample`  stand-ins for parameters that need a real value while the pattern is planned
        """

        from .patterns import Pattern

        def declare(declared: Callable[..., Any]) -> Pattern[..., Any]:
            if declared.__name__ in self.patterns:
                raise DesignError(
                    "SK116", f"design {self.name} has two patterns named {declared.__name__}. Rename one."
                )
            found: Pattern[..., Any] = Pattern(
                declared, number=number, ja=ja, scan=scan, page=page, sample=sample, added=added
            )
            self.patterns[declared.__name__] = found
            return found

        return declare if function is None else declare(function)

    def relate(self, parent: Entity[..., Any], *children: Entity[..., Any], many: bool = True) -> None:
        """Say that one `parent` has many of each of `children` (or at most one); for the document's diagram."""
        self.relations += [Relation(parent, child, many) for child in children]

    def accept(self, rule: str, place: str, why: str) -> None:
        """Leave what `sekkei check` says as it is: `design.accept("R21", "tasks.by_status", "teams are small")`.

        `place` is what the finding speaks of; `*` stands for anything."""
        if not why.strip():
            raise DesignError("SK170", f"design {self.name} accepts {rule} at {place} without saying why.")
        self.accepted.append(Acceptance(rule, place, why))

    def check(self) -> None:
        """Everything that can only be said of the whole design. Opening and publishing do this by themselves."""
        declared = [each for table in self.tables.values() for each in table.declared]
        if declared == self._checked:
            return  # a process opens a design more than once, and a test a thousand times
        for table in self.tables.values():
            self._check_table(table)
        self._checked = declared

    def _check_table(self, table: Table) -> None:
        from .ambiguity import check_table, check_view

        if not table.entities:
            raise DesignError("SK139", f"table {table.name} has no entity. Declare one, or remove the table.")
        table.attribute_types()
        limits.check_ttl(table)
        for index in table.indexes.values():
            limits.check_projected(table, index)
        check_table(table)
        for view in table.views:
            check_view(view)

    def open(
        self,
        store: Store,
        *,
        env: str = "dev",
        secret: bytes | None = None,
        clock: Clock = SYSTEM,
        measure: bool = False,
    ) -> Database:
        """The design on a store."""
        from .database import Database  # with all that carries calls out

        self.check()
        return Database(self, store, env=env, secret=secret, clock=clock, measure=measure)

    def open_sync(
        self,
        store: Store,
        *,
        env: str = "dev",
        secret: bytes | None = None,
        clock: Clock = SYSTEM,
        measure: bool = False,
    ) -> SyncDatabase:
        """The design on a store, for code that is not asynchronous: the same calls without `await`."""
        from .sync_database import SyncDatabase

        return SyncDatabase(self, store, env=env, secret=secret, clock=clock, measure=measure)

    def __repr__(self) -> str:
        return f"<design {self.name}: {len(self.tables)} tables, {len(self.patterns)} patterns>"
