"""What patterns do."""

from __future__ import annotations

from collections.abc import Iterator

from sekkei.advice.facts import Facts
from sekkei.advice.findings import Finding, finding
from sekkei.design import Put
from sekkei.design.key_ranges import others_in

KEPT_MIN = 0.5
ACTIONS_MAX = 100


def scans(facts: Facts) -> Iterator[Finding]:
    for pattern in facts.design.patterns.values():
        for plan in pattern.plans:
            if plan.operation == "Scan":
                why = f"it says why: {pattern.scan}" if pattern.scan else "it reads everything"
                yield finding("R33", pattern.name, why, severity="info" if pattern.scan else None)


def filters(facts: Facts) -> Iterator[Finding]:
    for read in facts.reads:
        units = facts.units(read.pattern.name)
        if not read.query.filters or read.query.scanning or units is None or not units.items_read:
            continue
        kept = units.items / units.items_read
        if kept < KEPT_MIN:
            figure = f"{units.items} of {units.items_read} items kept, {units.read:g} read units"
            yield finding("R34", read.pattern.name, "its filter drops most of what it reads", figure)


def transactions(facts: Facts) -> Iterator[Finding]:
    together = {write.pattern.name: write.together for write in facts.writes if write.together > 1}
    for name, count in together.items():
        units = facts.units(name)
        figure = "" if units is None else f"{units.write:g} write units"
        yield finding("R37", name, f"{count} actions together", figure, "error" if count > ACTIONS_MAX else None)


def blind_writes(facts: Facts) -> Iterator[Finding]:
    for write in facts.writes:
        action = write.action
        if (
            isinstance(action, Put)
            and action.mode == "put"
            and not action.conditions
            and action.entity.model.version is None
        ):
            yield finding("R39", write.pattern.name, f"{action.entity.name}.put(...) has no condition and no version")


def expired_shown(facts: Facts) -> Iterator[Finding]:
    for read in facts.reads:
        if read.query.expired and read.query.view.table.ttl is not None:
            yield finding("R42", read.pattern.name, "it shows items whose time is over")


def strangers(facts: Facts) -> Iterator[Finding]:
    for read in facts.reads:
        others = [] if read.query.scanning else [entity.name for entity in others_in(read.query)]
        units = facts.units(read.pattern.name)
        if not others or (units is not None and units.items_read <= units.items):
            continue
        figure = "" if units is None else f"{units.items_read} items read for {units.items}"
        yield finding("R48", read.pattern.name, f"items of {', '.join(others)} can lie in its range", figure)


CHECKS = (scans, filters, transactions, blind_writes, expired_shown, strangers)
