"""How much of each programme is run: a little in every test run, more in `make torture`, most before a release.

SEKKEI_TORTURE=release make torture                 all of it, which takes days
SEKKEI_TORTURE=release:7/100 make torture           the seventh of a hundred parts, each with seeds of its own
"""

from __future__ import annotations

import os

_which, _, _part = os.environ.get("SEKKEI_TORTURE", "").partition(":")
IS_RELEASE = _which == "release"
PART, PARTS = (int(number) for number in (_part or "0/1").split("/"))


def amount(every_commit: int, release: int) -> int:
    return max(1, release // PARTS) if IS_RELEASE else every_commit


def seed(first: int) -> int:
    """Another one in each part."""
    return first + 1_000_000 * PART


KILLS = amount(100, 10_000)
POWER_CUTS = amount(1_000, 100_000)
FAULT_SCRIPTS = amount(1, 20)
STEPS = amount(5_000, 1_000_000)
BANK_TRANSACTIONS = amount(5_000, 500_000)
TOKEN_RETRIES = amount(100, 2_000)
CLOCK_SCHEDULES = amount(100, 10_000)
BIT_FLIPS = amount(100, 10_000)
MIGRATION_KILLS = amount(30, 1_000)
BACKUP_DRILLS = amount(1, 200)
FUZZ_INPUTS = amount(5_000, 2_000_000)
SHORTAGES = amount(300, 5_000)
WORLD_SEEDS = amount(20, 4_000)
"""Of each of the five worlds."""
