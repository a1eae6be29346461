"""Collections: several kinds of items from one query, told apart when they are read."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, overload

from .binding import bind
from .conditions import Condition
from .entity import Entity
from .errors import DesignError
from .query import Query
from .views import View

M = TypeVar("M")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")


class Collection(Generic[M]):
    """Entities that share a partition. `where` names the parts by any of the models."""

    def __init__(self, entities: tuple[Entity[..., Any], ...], index: str | None) -> None:
        self.entities = entities
        first = entities[0]
        self.index = None if index is None else first.table.index(index)
        self.views = [View[Any](entity, self.index) for entity in entities]
        for entity, view in zip(entities, self.views, strict=True):
            self._check(first, entity, view)

    def _check(self, first: Entity[..., Any], entity: Entity[..., Any], view: View[Any]) -> None:
        if entity.table is not first.table:
            raise DesignError(
                "SK144", f"{first.name} and {entity.name} are in different tables; one query reads one table only."
            )
        for name in view.hashes:
            ours, theirs = first.template_for(name), entity.template_for(name)
            if ours is None or theirs is None or ours.text != theirs.text:
                raise DesignError(
                    "SK145",
                    f"{first.name} and {entity.name} make {name} differently, so they are never in one partition.",
                )

    def where(self, *conditions: Condition[M]) -> Query[M]:
        """All their items in the partition, in the order of the sort key."""
        first = self.views[0]
        bound = bind(first.key_parts(first.hashes), [], conditions, f"a collection of {len(self.entities)} entities")
        return Query(first, self.entities, bound.tests)


@overload
def collection(a: Entity[..., A], b: Entity[..., B], /, *, index: str | None = None) -> Collection[A | B]: ...
@overload
def collection(
    a: Entity[..., A], b: Entity[..., B], c: Entity[..., C], /, *, index: str | None = None
) -> Collection[A | B | C]: ...
@overload
def collection(
    a: Entity[..., A], b: Entity[..., B], c: Entity[..., C], d: Entity[..., D], /, *, index: str | None = None
) -> Collection[A | B | C | D]: ...
@overload
def collection(
    a: Entity[..., A],
    b: Entity[..., B],
    c: Entity[..., C],
    d: Entity[..., D],
    e: Entity[..., E],
    /,
    *,
    index: str | None = None,
) -> Collection[A | B | C | D | E]: ...
@overload
def collection(
    a: Entity[..., A],
    b: Entity[..., B],
    c: Entity[..., C],
    d: Entity[..., D],
    e: Entity[..., E],
    f: Entity[..., F],
    /,
    *,
    index: str | None = None,
) -> Collection[A | B | C | D | E | F]: ...
def collection(*entities: Entity[..., Any], index: str | None = None) -> Collection[Any]:
    """Several entities as one: `collection(teams, members, tags).where(Team.team_id == "t1")`."""
    return Collection(entities, index)
