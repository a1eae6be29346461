"""What a design says, taken apart for the rules: every step of every pattern, and how varied a key can be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from sekkei.design import (
    Action,
    Design,
    Entity,
    Index,
    Measurements,
    Pattern,
    Query,
    Ref,
    Table,
    Transaction,
    UniqueKey,
    Units,
)
from sekkei.design.codecs import Choice, Day, Flag, LiteralCodec
from sekkei.design.model import hints_of
from sekkei.design.placeholders import Planning, samples
from sekkei.design.templates import Template

FEW = (Choice, Flag, LiteralCodec)


class Wall(NamedTuple):
    """What gives way at so many users."""

    users: int
    place: str
    key: str
    """The form of the key; empty for the quota of a whole table."""
    kind: str
    """`read` or `write`."""
    popularity: str = ""


class Read(NamedTuple):
    pattern: Pattern[..., Any]
    query: Query[Any]


class Write(NamedTuple):
    pattern: Pattern[..., Any]
    action: Action[Any, Any]
    together: int
    """How many actions the transaction has; 1 is a write alone."""


def steps_of(pattern: Pattern[..., Any]) -> Iterator[Ref[Any] | Query[Any] | Action[Any, Any] | Transaction]:
    """What a pattern does, planned with stand-ins for its arguments."""
    with Planning():
        found = pattern.function(**samples(pattern.function, hints_of(pattern.function), pattern.stand_ins))
        waiting = [found]
        while waiting:
            step = waiting.pop(0)
            if isinstance(step, tuple | list):
                waiting += step
            else:
                yield step


class Facts:
    """One design with its measurements; the rules ask it."""

    def __init__(
        self,
        design: Design,
        measurements: Measurements | None = None,
        walls: Iterable[Wall] = (),
        peaks: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self.design, self.measurements = design, measurements or Measurements()
        self.walls, self.peaks = list(walls), peaks or {}
        """Empty unless it is declared what users do: walls before so many users, units a second in the busiest hour."""

    @property
    def tables(self) -> list[Table]:
        return list(self.design.tables.values())

    @cached_property
    def indexes(self) -> list[tuple[Table, Index]]:
        return [(table, index) for table in self.tables for index in table.indexes.values()]

    @cached_property
    def reads(self) -> list[Read]:
        return [Read(p, step) for p in self.design.patterns.values() for step in steps_of(p) if isinstance(step, Query)]

    @cached_property
    def writes(self) -> list[Write]:
        found: list[Write] = []
        for pattern in self.design.patterns.values():
            for step in steps_of(pattern):
                if isinstance(step, Action):
                    found.append(Write(pattern, step, 1))
                elif isinstance(step, Transaction):
                    found += [Write(pattern, action, len(step.actions)) for action in step.actions]
        return found

    def units(self, pattern: str) -> Units | None:
        return self.measurements.units.get(pattern)

    def reads_of(self, table: Table, index: Index | None) -> list[Read]:
        return [read for read in self.reads if read.query.view.table is table and read.query.view.index is index]

    def needed(self, table: Table, index: Index) -> list[str] | None:
        """The stored attributes that patterns read through an index; None when one of them reads whole items."""
        reads = self.reads_of(table, index)
        shapes = [read.query.shape for read in reads if read.query.shape is not None]
        if not reads or len(shapes) < len(reads):
            return None
        found = {field.stored for shape in shapes for field in shape.fields.values() if field.is_stored}
        found |= {field.stored for read in reads for one in read.query.filters for field in one.fields()}
        return sorted(found | {name for name in (table.discriminator, table.ttl) if name is not None})

    def holders(self, table: Table, index: Index) -> list[Entity[..., Any]]:
        """The entities whose items can be in an index."""
        return [e for e in table.entities if all(e.template_for(name) is not None for name in index.attributes)]


def is_constant(template: Template) -> bool:
    return not template.components


def is_few(template: Template) -> bool:
    """Every part of the key has a handful of values."""
    return all(isinstance(component.codec, FEW) for component in template.components)


def is_day(template: Template) -> bool:
    """The key is a date, perhaps with a constant or a choice beside it."""
    kinds = [type(component.codec) for component in template.components]
    return Day in kinds and all(issubclass(kind, (Day, *FEW)) for kind in kinds)


def key_templates(entity: Entity[..., Any], attribute: str, kin: Iterable[Entity[..., Any]]) -> list[Template]:
    """How a key attribute of an entity can look. A uniqueness marker looks as those who are unique by it say."""
    template = entity.template_for(attribute)
    if template is None:
        return []
    if entity.model.cls is not UniqueKey or not template.whole:
        return [template]
    return [unique.template for other in kin for unique in other.uniques if unique.markers is entity]
