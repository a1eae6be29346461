"""DescribeLimits: what a new account of AWS may use."""

from __future__ import annotations

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Structure

ACCOUNT_UNITS_MAX = 80_000
TABLE_UNITS_MAX = 40_000

SHAPE = Structure("DescribeLimitsInput")


def describe_limits(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    return {
        "AccountMaxReadCapacityUnits": ACCOUNT_UNITS_MAX,
        "AccountMaxWriteCapacityUnits": ACCOUNT_UNITS_MAX,
        "TableMaxReadCapacityUnits": TABLE_UNITS_MAX,
        "TableMaxWriteCapacityUnits": TABLE_UNITS_MAX,
    }


OPERATIONS = (Read("DescribeLimits", SHAPE, plain, describe_limits),)
