"""`sekkei lessons`: the move from the old waitlist table, and timetables out of files."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from sekkei.commands import FINDINGS, OK, CouldNotRun

SUMMARY = "Lessons: take in timetables; move an old waitlist table in stages that can be repeated and undone."

EXAMPLES = """\
examples:
  sekkei lessons import august.csv                  columns studio,date,start,end,name,instructor,capacity,id
  sekkei lessons import studio.ics --dry-run        what would change; nothing is written
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
    what = parser.add_subparsers(dest="what", required=True, metavar="import|migrate")
    taking = what.add_parser("import", help="lessons out of a .csv, .ics or .json file")
    taking.add_argument("file", metavar="FILE")
    taking.add_argument("--dry-run", action="store_true", help="say what would change; write nothing")
    moving = what.add_parser("migrate", help="the move from an old waitlist table")
    moving.add_argument("stage", choices=("plan", "run", "verify", "cutover", "rollback"))
    moving.add_argument("--mapping", metavar="FILE", help="names in the old table, as JSON")
    for one in (taking, moving):
        one.add_argument("--store", default=os.environ.get("SEKKEI_STORE", "data/sekkei.db"))
        one.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"))


def run(arguments: argparse.Namespace) -> int:
    from sekkei.engine.errors import DynamoDBError

    try:
        return _import(arguments) if arguments.what == "import" else _migrate(arguments)
    except DynamoDBError as error:
        raise CouldNotRun(f"the store refused: {error.code}: {error.message}") from error


def _import(arguments: argparse.Namespace) -> int:
    from systems.lessons.timetable_files import Unreadable

    try:
        content = Path(arguments.file).read_bytes()
        return asyncio.run(_take_in(arguments, content))
    except (OSError, Unreadable) as error:
        raise CouldNotRun(f"the timetable cannot be used: {error}") from error


async def _take_in(arguments: argparse.Namespace, content: bytes) -> int:
    from sekkei.clock import SYSTEM
    from sekkei.design import tables
    from sekkei.runtime import days
    from sekkei.store import open_store
    from systems.lessons.design import design
    from systems.lessons.rules import Policy
    from systems.lessons.service import Service
    from systems.lessons.studios import DEFAULT_STUDIOS, studios_in
    from systems.lessons.timetable_files import read, take_in

    studios = studios_in(os.environ.get("SEKKEI_LESSONS_STUDIOS", DEFAULT_STUDIOS))
    found = read(arguments.file, content, studios, days.now(SYSTEM))
    store = open_store(arguments.store)
    try:
        await tables.create(store, design, arguments.env)
        service = Service(design.open(store, env=arguments.env), SYSTEM, Policy())
        taken = await take_in(service, found.lessons, dry=arguments.dry_run)
    finally:
        await store.close()
    refused = [*found.problems, *taken.refused]
    would = "would be " if arguments.dry_run else ""
    print(f"{would}added    {taken.added:>7,}")
    print(f"{would}changed  {taken.changed:>7,}")
    print(f"as they are {' ' * len(would)}{taken.unchanged:>5,}")
    for problem in refused:
        print(f"  {problem}", file=sys.stderr)
    return FINDINGS if refused else OK


def _migrate(arguments: argparse.Namespace) -> int:
    from systems.lessons.migration.mapping import OldTable
    from systems.lessons.migration.moving import WrongStage

    try:
        old = OldTable.read(Path(arguments.mapping).read_bytes()) if arguments.mapping else OldTable()
    except (OSError, ValueError, TypeError) as error:
        raise CouldNotRun(f"the mapping cannot be used: {error}") from error
    try:
        return asyncio.run(_move(arguments, old))
    except WrongStage as error:
        raise CouldNotRun(str(error)) from error


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
