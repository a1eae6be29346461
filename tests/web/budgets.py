"""How many store calls each route may make: `tests/budgets.toml`, looked at wherever every route is tried anyway.

The number is the most that any kind of person cost in the authorisation test of the system. One that became smaller
may be lowered by hand or by `make renew WHAT=budgets`, which writes today's numbers; one that grew fails the test.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

FILE = Path(__file__).parents[1] / "budgets.toml"
WRITING = "SEKKEI_WRITE_BUDGETS"
_counted: dict[str, int] = {}


def read() -> dict[str, int]:
    return tomllib.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def exceeded(counts: Mapping[str, int]) -> Iterator[str]:
    """A sentence for each route that costs more than it may, or whose number nobody has written down."""
    if os.environ.get(WRITING):
        _write(counts)
        return
    known = read()
    for route, calls in counts.items():
        if route not in known:
            yield f"{route}: {calls} store calls and no budget; `make renew WHAT=budgets` writes it down"
        elif calls > known[route]:
            yield f"{route}: {calls} store calls, its budget is {known[route]}; read less, or say why in a commit"


def _write(counts: Mapping[str, int]) -> None:
    """The most that was counted in this run, beside what is known of routes that it has not tried yet."""
    for route, calls in counts.items():
        _counted[route] = max(_counted.get(route, 0), calls)
    known = {**read(), **_counted}
    lines = [f'"{route}" = {known[route]}' for route in sorted(known, key=lambda route: route.split()[::-1])]
    head = "# Store calls of each route at most; see tests/web/budgets.py. Written by `make renew WHAT=budgets`."
    FILE.write_text("\n".join([head, *lines]) + "\n", "utf-8")
