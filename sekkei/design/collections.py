"""Collections: several kinds of items from one query, told apart when they are read."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, overload

from .ambiguity import overlap
from .binding import KeyPart, bind, flattened, names_of
from .conditions import Condition
from .entity import Entity
from .errors import DesignError
from .key_ranges import TOP, Span, hull, key_test, others_in, part_names, sort_span
from .query import Query
from .views import View

M = TypeVar("M")
_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_D = TypeVar("_D")
_E = TypeVar("_E")
_F = TypeVar("_F")


class Collection(Generic[M]):
    """Entities that share a partition. `where` names the parts by any of the models."""

    def __init__(self, entities: tuple[Entity[..., Any], ...], index: str | None) -> None:
        self.entities = entities
        first = entities[0]
        self.index = None if index is None else first.table.index(index)
        for entity in entities:
            if entity.table is not first.table:
                raise DesignError(
                    "SK144", f"{first.name} and {entity.name} are in different tables; one query reads one table only."
                )
        self.views: list[View[Any]] = [entity.seen_in(index) for entity in entities]
        for entity, view in zip(entities, self.views, strict=True):
            self._check(first, entity, view)

    def _check(self, first: Entity[..., Any], entity: Entity[..., Any], view: View[Any]) -> None:
        for name in view.hashes:
            ours, theirs = first.template_for(name), entity.template_for(name)
            assert ours is not None
            assert theirs is not None
            if ours.text == theirs.text:
                continue
            if overlap(ours, theirs):
                advice = "A collection names the parts of its partition once; call them the same in both models."
            else:
                advice = "Their items are never in one partition; read them with two queries."
            raise DesignError(
                "SK145",
                f"{first.name} makes {name} of {ours.text!r}, {entity.name} of {theirs.text!r}. {advice}",
            )

    def where(self, *conditions: Condition[M]) -> Query[M]:
        """All their items in the partition, in the order of the sort key; a range on it may leave some out.

        Only the span of sort keys that their items lie in is read.
        """
        first, place = self.views[0], f"a collection of {' and '.join(entity.name for entity in self.entities)}"
        if self._one_form():
            bound = bind(first.key_parts(first.hashes), first.key_parts(first.ranges), conditions, place)
            return Query(first, self.entities, bound.tests, excluded=bound.excluded)
        hashes = first.key_parts(first.hashes)
        in_partition = set().union(*(part_names(part) for part in hashes))
        flat = list(flattened(conditions))
        partition = [condition for condition in flat if names_of(condition) <= in_partition]
        bound = bind(hashes, [], partition, place)
        span = self._span(flat, partition, place)
        test = None if span is None else key_test(first.ranges[0], span)
        whole: Query[M] = Query(first, self.entities, bound.tests)
        if span is None or test is None:
            return whole
        narrow: Query[M] = Query(first, self.entities, (*bound.tests, test), excluded=span.excluded)
        spared = len(flat) > len(partition) or len(others_in(narrow)) < len(others_in(whole))
        return narrow if spared else whole

    def _one_form(self) -> bool:
        """Do all make their sort key alike? Then its conditions hold for all of them."""
        ranges = self.views[0].ranges
        texts = {tuple(getattr(view.entity.template_for(name), "text", "") for name in ranges) for view in self.views}
        return bool(ranges) and len(texts) == 1

    def _span(self, conditions: list[Condition[Any]], partition: list[Condition[Any]], place: str) -> Span | None:
        """The sort keys to read: all of the entities' own, less what a range leaves out."""
        ranged = [condition for condition in conditions if condition not in partition]
        for condition in ranged:
            if not any(names_of(condition) <= part_names(part) for part in self._sorts()):
                raise DesignError(
                    "SK132",
                    f"{place}: no sort key here can use {', '.join(sorted(names_of(condition)))}. Use an index that "
                    "has it, or .filter(...).",
                )
        if not self._texts():
            return None
        spans = [sort_span(view, conditions, place) for view in self.views]
        if not ranged and all(span.high == TOP and not span.low for span in spans):
            return None
        found = hull(spans)
        self._check_whole(found, spans, [sort_span(view, partition, place) for view in self.views], ranged, place)
        return found

    def _sorts(self) -> list[KeyPart]:
        return [part for view in self.views for part in view.key_parts(view.ranges[:1])]

    def _texts(self) -> bool:
        """Is the sort key one attribute of texts, which spans are made of?"""
        return len(self.views[0].ranges) == 1 and all(part.template.kind == "S" for part in self._sorts())

    def _check_whole(
        self, read: Span, spans: list[Span], whole: list[Span], ranged: list[Condition[Any]], place: str
    ) -> None:
        """What a range leaves out must not come back because another entity's items lie there."""
        for kept, full in zip(spans, whole, strict=True):
            cut_low, cut_high = kept.low > full.low, kept.high < full.high
            if (cut_low and read.low < kept.low) or (cut_high and read.high > kept.high):
                names = ", ".join(sorted(set().union(*map(names_of, ranged))))
                raise DesignError(
                    "SK153",
                    f"{place}: items of another of them lie beyond the range on {names}, so one query cannot leave out "
                    "only what it should. Turn the range round, or read them with two queries.",
                )


@overload
def collection(a: Entity[..., _A], b: Entity[..., _B], /, *, index: str | None = None) -> Collection[_A | _B]: ...
@overload
def collection(
    a: Entity[..., _A], b: Entity[..., _B], c: Entity[..., _C], /, *, index: str | None = None
) -> Collection[_A | _B | _C]: ...
@overload
def collection(
    a: Entity[..., _A], b: Entity[..., _B], c: Entity[..., _C], d: Entity[..., _D], /, *, index: str | None = None
) -> Collection[_A | _B | _C | _D]: ...
@overload
def collection(
    a: Entity[..., _A],
    b: Entity[..., _B],
    c: Entity[..., _C],
    d: Entity[..., _D],
    e: Entity[..., _E],
    /,
    *,
    index: str | None = None,
) -> Collection[_A | _B | _C | _D | _E]: ...
@overload
def collection(
    a: Entity[..., _A],
    b: Entity[..., _B],
    c: Entity[..., _C],
    d: Entity[..., _D],
    e: Entity[..., _E],
    f: Entity[..., _F],
    /,
    *,
    index: str | None = None,
) -> Collection[_A | _B | _C | _D | _E | _F]: ...
def collection(*entities: Entity[..., Any], index: str | None = None) -> Collection[Any]:
    """Several entities as one: `collection(teams, members, tags).where(Team.team_id == "t1")`."""
    return Collection(entities, index)
