"""Tables: time to live, streams, and not losing them."""

from __future__ import annotations

from collections.abc import Iterator

from sekkei.advice.facts import Facts
from sekkei.advice.findings import Finding, finding


def timers(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        if table.ttl is not None and table.stream is not None:
            yield finding("R43", table.name, f"{table.ttl} ends items, and the stream tells of it late")


def images(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        if table.stream is not None and table.stream != "NEW_AND_OLD_IMAGES":
            yield finding("R44", table.name, f"its stream carries {table.stream}")


def losable(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        lacking = [name for name in ("pitr", "deletion_protection") if not getattr(table, name)]
        if lacking:
            yield finding("R47", table.name, f"it has no {' and no '.join(lacking)}")


CHECKS = (timers, images, losable)
