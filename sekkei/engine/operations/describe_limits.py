"""DescribeLimits: what a new account of AWS may use."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot

ACCOUNT_UNITS_MAX = 80_000
TABLE_UNITS_MAX = 40_000


def describe_limits(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    return {
        "AccountMaxReadCapacityUnits": ACCOUNT_UNITS_MAX,
        "AccountMaxWriteCapacityUnits": ACCOUNT_UNITS_MAX,
        "TableMaxReadCapacityUnits": TABLE_UNITS_MAX,
        "TableMaxWriteCapacityUnits": TABLE_UNITS_MAX,
    }
