"""What so many users ask for; only where it is declared what one of them does."""

from __future__ import annotations

from collections.abc import Iterator

from sekkei.advice.facts import Facts
from sekkei.advice.findings import Finding, finding

FIRST_READ = 12_000.0
FIRST_WRITE = 4_000.0


def hot_keys(facts: Facts) -> Iterator[Finding]:
    """R2 for keys, R6 for tables: the walls that lie before so many users."""
    if facts.scale is None:
        return
    for wall in facts.scale.walls():
        if wall.users >= facts.users:
            return
        figure = f"from {wall.users:,} users on"
        if wall.key:
            text = f'the hottest key of "{wall.key}" is asked for more {wall.kind} units than a partition gives'
            yield finding("R2", wall.place, text, figure)
        else:
            yield finding("R6", wall.place, f"more than 40,000 {wall.kind} units a second", figure)


def launches(facts: Facts) -> Iterator[Finding]:
    if facts.scale is None:
        return
    for place, (read, write) in facts.scale.peaks(facts.users).items():
        if read > FIRST_READ or write > FIRST_WRITE:
            yield finding("R7", place, "the busiest hour", f"{read:,.0f} read and {write:,.0f} write units a second")


CHECKS = (hot_keys, launches)
