"""The rules: each a function from the facts of a design to findings. `rules.toml` has their words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sekkei.advice.facts import Facts
from sekkei.advice.findings import Finding
from sekkei.advice.rules import busy, indexes, items, keys, operations, tables

Check = Callable[[Facts], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    *(*keys.CHECKS, *items.CHECKS, *indexes.CHECKS, *operations.CHECKS, *tables.CHECKS),
    *busy.CHECKS,
)
