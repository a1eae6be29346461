"""Items and collections."""

from __future__ import annotations

from collections.abc import Iterator

from sekkei.advice.facts import Facts
from sekkei.advice.findings import Finding, finding
from sekkei.advice.sizes import item_bytes
from sekkei.design import Entity, Update
from sekkei.design.codecs import Elements, Integer, Several

LARGE_BYTES = 100_000
MANY_UNITS_BYTES = 4_096
KEY_WARN = {"pk": 1_536, "sk": 768}


def _largest(entity: Entity[..., object]) -> int:
    return max((item_bytes(entity.encode(one)) for one in entity.examples), default=0)


def large_items(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            size = _largest(entity)
            if size > LARGE_BYTES:
                yield finding("R15", f"{table.name}: {entity.name}", "an example of it is large", f"{size:,} bytes")


def long_keys(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            for one in entity.examples:
                for name, kind in zip(table.key_attributes, KEY_WARN, strict=False):
                    size = len(str(next(iter(entity.ref_of(one).key[name].values()))).encode())
                    if size > KEY_WARN[kind]:
                        yield finding("R8", f"{table.name}: {entity.name}", f"{name} of an example", f"{size} bytes")


def growing_lists(facts: Facts) -> Iterator[Finding]:
    for write in facts.writes:
        if not isinstance(write.action, Update):
            continue
        for change in write.action.changes:
            grows = change.kind in ("append", "prepend") or (
                change.kind == "add" and isinstance(change.field.codec, Several | Elements)
            )
            if grows:
                yield finding("R16", write.pattern.name, f"{change.field.label} grows with every call")


def counters_in_large_items(facts: Facts) -> Iterator[Finding]:
    for write in facts.writes:
        action = write.action
        if not isinstance(action, Update) or _largest(action.entity) <= MANY_UNITS_BYTES:
            continue
        for change in action.changes:
            if change.kind == "add" and isinstance(change.field.codec, Integer):
                size = _largest(action.entity)
                yield finding("R18", write.pattern.name, f"{change.field.label} is counted there", f"{size:,} bytes")


CHECKS = (large_items, long_keys, growing_lists, counters_in_large_items)
