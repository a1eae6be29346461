"""`sekkei lessons`: the move from the old waitlist table, timetables out of files, a studio's system of one's own."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from sekkei.commands import FINDINGS, OK, CouldNotRun

SUMMARY = (
    "Lessons: take in timetables, move an old waitlist table in stages, run a studio's booking system to try it on."
)

EXAMPLES = """\
examples:
  sekkei lessons import august.csv                  its columns: the page of a studio's desk lists them
  sekkei lessons import studio.ics --dry-run        what would change; nothing is written
  sekkei lessons migrate plan                       what a move of an old waitlist table would do
  sekkei lessons migrate --help                     the stages of the move
  sekkei lessons studio --port 8950                 a studio's own booking system over HTTP; prints the settings for us
"""


MIGRATION = "sekkei.lessons.migration"


def _stages() -> Any:
    from sekkei.runtime.discovery import optional

    return optional(MIGRATION, "stages", "sekkei-lessons-migration")


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        default=os.environ.get("SEKKEI_STORE", "data/sekkei.db"),
        help="a file, dynamodb://REGION or an endpoint's URL (default: SEKKEI_STORE, or data/sekkei.db)",
    )
    parser.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"), help="fills {env} in table names")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", required=True, metavar="import|migrate|studio")
    taking = what.add_parser("import", help="lessons out of a .csv, .ics or .json file")
    taking.add_argument("file", metavar="FILE")
    taking.add_argument("--dry-run", action="store_true", help="say what would change; write nothing")
    add_store_arguments(taking)
    moving = what.add_parser(
        "migrate",
        help="the move from an old waitlist table",
        description="Move an old waitlist table into user_lessons, in stages that can be repeated and undone.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if entry_points(group=MIGRATION, name="stages"):
        _stages().add_arguments(moving)
    studio = what.add_parser("studio", help="a studio's own booking system, to try ours beside it")
    studio.add_argument("--port", type=int, default=8950, help="0 for any that is free")
    studio.add_argument("--slow", type=float, default=0.0, metavar="SECONDS", help="how long it takes to answer")
    studio.add_argument("--lag", type=float, default=0.0, metavar="SECONDS", help="how far behind what it tells is")
    studio.add_argument("--mute", type=float, default=0.0, metavar="CHANCE", help="of acting and not answering, 0 to 1")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.errors import ConfigurationError, DynamoDBError, NotOurFile

    try:
        if arguments.what == "studio":
            return _studio(arguments)
        return _import(arguments) if arguments.what == "import" else int(_stages().run(arguments))
    except NotOurFile as error:
        raise CouldNotRun(str(error)) from error
    except ConfigurationError as error:
        raise CouldNotRun(error.message) from error
    except DynamoDBError as error:
        raise CouldNotRun(f"the store refused: {error.code}: {error.message}") from error


def _import(arguments: argparse.Namespace) -> int:
    from sekkei_systems.lessons.rules.timetable import Unreadable

    try:
        content = Path(arguments.file).read_bytes()
        return asyncio.run(_take_in(arguments, content))
    except (OSError, Unreadable) as error:
        raise CouldNotRun(f"the timetable cannot be used: {error}") from error


async def _take_in(arguments: argparse.Namespace, content: bytes) -> int:
    from sekkei.clock import SYSTEM
    from sekkei.design import tables
    from sekkei.store import open_store
    from sekkei_systems.lessons.design import design
    from sekkei_systems.lessons.rules.studios import DEFAULT_STUDIOS, studios_in
    from sekkei_systems.lessons.rules.timetable import read
    from sekkei_systems.lessons.service.timetable import Timetable, take_in

    studios = studios_in(os.environ.get("SEKKEI_LESSONS_STUDIOS", DEFAULT_STUDIOS))
    found = read(arguments.file, content, studios)
    remote = "://" in arguments.store
    tried_only = arguments.dry_run and not remote and not Path(arguments.store).exists()
    store = open_store(":memory:" if tried_only else arguments.store)
    try:
        await tables.create(store, design, arguments.env)
        timetable = Timetable(design.open(store, env=arguments.env), SYSTEM)
        taken = await take_in(timetable, found.lessons, dry=arguments.dry_run)
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


def _studio(arguments: argparse.Namespace) -> int:
    from sekkei.runtime.fakes import fake

    fake("studio-server")(arguments.port, slow=arguments.slow, lag=arguments.lag, mute=arguments.mute)
    return OK
