"""`sekkei lessons migrate`: the move from the old waitlist table."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from sekkei.commands import FINDINGS, OK, CouldNotRun

SUMMARY = "Lessons: move an old waitlist table into user_lessons, in stages that can be repeated and undone."

EXAMPLES = """\
examples:
  sekkei lessons migrate plan                       what a run would do; nothing is written
  sekkei lessons migrate run                        copy; cut off anywhere, it goes on where it was
  sekkei lessons migrate verify                     compare every row; exits with 1 when something differs
  sekkei lessons migrate cutover                    from here on the new table leads, for good
  sekkei lessons migrate rollback                   take out what the move put in, until the cutover
  sekkei lessons migrate plan --mapping old.json    with the names of your own old table

mapping: a JSON file such as {"table": "waitlistTable", "user": "userId", "studio": "studioName",
  "studios": {"銀座": "gnz"}, "statuses": {"paused": "active"}}; see systems/lessons/migration/mapping.py
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("migrate",))
    parser.add_argument("stage", choices=("plan", "run", "verify", "cutover", "rollback"))
    parser.add_argument("--mapping", metavar="FILE", help="names in the old table, as JSON")
    parser.add_argument("--store", default=os.environ.get("SEKKEI_STORE", "data/sekkei.db"))
    parser.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"))


def run(arguments: argparse.Namespace) -> int:
    from sekkei.engine.errors import DynamoDBError
    from systems.lessons.migration.mapping import OldTable
    from systems.lessons.migration.moving import WrongStage

    try:
        old = OldTable.read(Path(arguments.mapping).read_bytes()) if arguments.mapping else OldTable()
        return asyncio.run(_move(arguments, old))
    except (OSError, ValueError, TypeError) as error:
        raise CouldNotRun(f"the mapping cannot be used: {error}") from error
    except WrongStage as error:
        raise CouldNotRun(str(error)) from error
    except DynamoDBError as error:
        raise CouldNotRun(f"the store refused: {error.code}: {error.message}") from error


async def _move(arguments: argparse.Namespace, old: object) -> int:
    from sekkei.clock import SYSTEM
    from sekkei.design import tables
    from sekkei.store import open_store
    from systems.lessons.design import design
    from systems.lessons.migration.mapping import OldTable
    from systems.lessons.migration.moving import Move

    assert isinstance(old, OldTable)
    store = open_store(arguments.store)
    try:
        await tables.create(store, design, arguments.env)
        move = Move(design.open(store, env=arguments.env), SYSTEM, old, _show)
        if arguments.stage == "cutover":
            await move.cutover()
            print(f"user_lessons leads now; {old.table} may be backed up and deleted.")
            return OK
        if arguments.stage == "rollback":
            print(f"{await move.rollback()} rows were taken out again.")
            return OK
        report = await {"plan": move.plan, "run": move.run, "verify": move.verify}[arguments.stage]()
    finally:
        await store.close()
    _print(report, arguments.stage)
    return FINDINGS if report.drift else OK


def _show(rows: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{rows:,} rows read ", end="", file=sys.stderr, flush=True)


def _print(report: object, stage: str) -> None:
    from systems.lessons.migration.moving import Report

    assert isinstance(report, Report)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    verb = "would be written" if stage == "plan" else "written"
    print(f"rows read       {report.rows:>9,}")
    if stage != "verify":
        print(f"{verb:<15} {report.written:>9,}")
    print(f"as they are     {report.unchanged:>9,}")
    print(f"new table ahead {report.kept:>9,}")
    print(f"conflicts       {report.conflicts:>9,}  (the newest row stays; the others are kept in its `legacy`)")
    print(f"unusable        {sum(report.unusable.values()):>9,}")
    for reason, count in report.unusable.most_common():
        print(f"  {count:>6,} × {reason}")
    if stage == "verify":
        print(f"drift           {len(report.drift):>9,}")
        for place in report.drift[:20]:
            print(f"  {place}")
