"""Two versions of a design: what changed, what it costs, whether live tables can follow, and what must be rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from sekkei.design import Design, Entity, Index, Measurements, Table

Kind = Literal["refused", "rewrite", "change", "dearer", "cheaper", "new", "gone"]
ORDER: tuple[Kind, ...] = ("refused", "rewrite", "gone", "dearer", "change", "new", "cheaper")
MEANINGS: dict[Kind, str] = {
    "refused": "live tables cannot follow",
    "rewrite": "stored items must be rewritten",
    "gone": "no longer there",
    "dearer": "costs more",
    "change": "changed",
    "new": "new",
    "cheaper": "costs less",
}


class Difference(NamedTuple):
    kind: Kind
    place: str
    text: str


def compare(before: Design, after: Design, measured: tuple[Measurements, Measurements]) -> list[Difference]:
    """What somebody who reads the change wants to know, the gravest first."""
    found = [*_tables(before, after), *_patterns(before, after, *measured)]
    return sorted(found, key=lambda each: ORDER.index(each.kind))


def _tables(before: Design, after: Design) -> Iterator[Difference]:
    yield from _names("table", before.tables, after.tables)
    for name in before.tables.keys() & after.tables.keys():
        old, new = before.tables[name], after.tables[name]
        yield from _table(old, new)
        yield from _indexes(old, new)
        yield from _entities(old, new)


def _table(old: Table, new: Table) -> Iterator[Difference]:
    if old.key_attributes != new.key_attributes:
        said = f"the key was {', '.join(old.key_attributes)} and is {', '.join(new.key_attributes)}: make a new table"
        yield Difference("refused", new.name, said)
    if old.naming != new.naming:
        yield Difference("refused", new.name, f"it was named {old.naming} in the store and is {new.naming}")
    for what in ("ttl", "stream", "pitr", "deletion_protection", "capacity", "discriminator"):
        ours, theirs = getattr(old, what), getattr(new, what)
        if ours != theirs:
            kind: Kind = "rewrite" if what in ("ttl", "discriminator") else "change"
            yield Difference(kind, new.name, f"{what}: {ours} → {theirs}")


def _indexes(old: Table, new: Table) -> Iterator[Difference]:
    for name in new.indexes.keys() - old.indexes.keys():
        kind: Kind = "refused" if new.indexes[name].local else "new"
        text = (
            "a local index is made with its table only" if kind == "refused" else "an index to be built from all items"
        )
        yield Difference(kind, f"{new.name}.{name}", text)
    for name in old.indexes.keys() - new.indexes.keys():
        yield Difference("gone", f"{new.name}.{name}", "patterns of deployed programs may still read it")
    for name in old.indexes.keys() & new.indexes.keys():
        if _form(old.indexes[name]) != _form(new.indexes[name]):
            text = (
                "keys or projection changed: DynamoDB takes it away and builds it again, under another name if in use"
            )
            yield Difference("refused", f"{new.name}.{name}", text)


def _form(index: Index) -> tuple[Any, ...]:
    return (index.attributes, len(index.pk), index.projection, index.local)


def _entities(old: Table, new: Table) -> Iterator[Difference]:
    olds, news = ({entity.name: entity for entity in table.entities} for table in (old, new))
    yield from _names(f"{new.name}: entity", olds, news)
    for name in olds.keys() & news.keys():
        yield from _entity(f"{new.name}: {name}", olds[name], news[name])


def _entity(place: str, old: Entity[..., Any], new: Entity[..., Any]) -> Iterator[Difference]:
    if (old.key_texts, old.type) != (new.key_texts, new.type):
        yield Difference("rewrite", place, f"its key was {old.key_texts} and is {new.key_texts}")
    ours, theirs = old.model.by_stored, new.model.by_stored
    for stored in theirs.keys() - ours.keys():
        field = theirs[stored]
        must = field.required or field.derived
        text = f"{stored} is new; items of before lack it" if must else f"{stored} is new"
        yield Difference("rewrite" if must else "new", place, text)
    for stored in ours.keys() - theirs.keys():
        yield Difference("gone", place, f"{stored} is no longer read or written; it stays in items of before")
    for stored in ours.keys() & theirs.keys():
        if ours[stored].codec.kind != theirs[stored].codec.kind:
            yield Difference("rewrite", place, f"{stored}: {ours[stored].codec.kind} → {theirs[stored].codec.kind}")


def _patterns(before: Design, after: Design, old: Measurements, new: Measurements) -> Iterator[Difference]:
    yield from _names("pattern", before.patterns, after.patterns)
    for name in before.patterns.keys() & after.patterns.keys():
        ours, theirs = old.units.get(name), new.units.get(name)
        if ours is None or theirs is None:
            continue
        was, now = ours.read + ours.write, theirs.read + theirs.write
        if was != now:
            yield Difference("dearer" if now > was else "cheaper", name, f"{was:g} → {now:g} units")


def _names(what: str, old: Iterable[str], new: Iterable[str]) -> Iterator[Difference]:
    olds, news = set(old), set(new)
    yield from (Difference("new", name, f"a {what}" if ":" not in what else what) for name in sorted(news - olds))
    yield from (Difference("gone", name, f"a {what}" if ":" not in what else what) for name in sorted(olds - news))
