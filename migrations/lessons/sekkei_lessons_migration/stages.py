"""`sekkei lessons migrate …`: one function per stage, each with its options and examples."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sekkei.commands import FINDINGS, OK, CouldNotRun
from sekkei_systems.lessons.command import add_store_arguments

if TYPE_CHECKING:
    from sekkei.design import Database
    from sekkei_lessons_migration.configuration import OldTable
    from sekkei_lessons_migration.moving import Move
    from sekkei_lessons_migration.report import Report

SAMPLE_ROWS = 1_000
FOLLOW_SECONDS = 1.0

STAGES = {
    "sample": "make an old table with believable rows, to try the move on",
    "plan": "what a run would do; nothing is written",
    "run": "copy; cut off anywhere, it goes on where it was; repeated, it catches up",
    "follow": "carry over changes of the old table as they happen, from its stream",
    "verify": "compare every row, both ways",
    "cutover": "the new table leads; --final closes the way back",
    "rollback": "the old table leads again; open until the cutover is final",
    "retire": "back the old table up into a file, then delete it",
    "status": "how far the move has come",
}

EXAMPLES = """\
the stages, in their order:
  sekkei lessons migrate sample --rows 5000         (only to try it out) make a waitlistTable
  sekkei lessons migrate plan                       what a run would do; nothing is written
  sekkei lessons migrate run                        copy; Ctrl-C and again: it goes on where it was
  sekkei lessons migrate follow                     in another window: changes as they happen, from the stream
  sekkei lessons migrate verify                     exits with 1 when something differs
  sekkei lessons migrate cutover                    from here on the new table leads
  sekkei lessons migrate rollback                   back again, with what users did since; until the next step
  sekkei lessons migrate cutover --final            no way back any more
  sekkei lessons migrate retire --backup old.jsonl  save the old table, then delete it

with the names of your own old table, on DynamoDB, as JSON:
  sekkei lessons migrate plan --mapping old.json --store dynamodb://ap-northeast-1 --format json --report plan.json

Exit code: 0 well, 1 the tables differ, 2 could not run. docs/lessons-migration.md has the mapping file and all rules.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    stages = parser.add_subparsers(dest="stage", required=True, metavar="STAGE", title="stages")
    for name, summary in STAGES.items():
        stage = stages.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        stage.add_argument("--mapping", metavar="FILE", help="names in the old table, as JSON")
        add_store_arguments(stage)
        if name in ("plan", "run", "verify", "cutover", "rollback"):
            stage.add_argument("--format", choices=("text", "json"), default="text", help="of what is printed")
            stage.add_argument("--report", metavar="FILE", help="write the whole report into a file, as JSON")
        if name == "sample":
            stage.add_argument("--rows", type=_rows, default=SAMPLE_ROWS, help="how many (default: %(default)s)")
            stage.add_argument("--seed", type=int, default=3, help="the same one, the same rows (default: 3)")
        elif name == "follow":
            stage.add_argument("--once", action="store_true", help="what the stream holds now, then end")
            stage.add_argument("--enable-stream", action="store_true", help="turn the old table's stream on")
        elif name == "cutover":
            stage.add_argument("--final", action="store_true", help="close the way back, after a first cutover")
            stage.add_argument(
                "--allow-silent", action="store_true", help="go on though some who wait could not be told of a place"
            )
        elif name == "retire":
            stage.add_argument(
                "--backup", metavar="FILE", type=Path, required=True, help="a file that is not there yet"
            )


def _rows(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows: give 1 to 10000000")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    from sekkei.design import SekkeiError
    from sekkei_lessons_migration.ledger import WrongStage
    from sekkei_lessons_migration.old_rows import NoOldTable
    from sekkei_lessons_migration.retiring import BadBackup

    old = _old_table(arguments)
    try:
        return asyncio.run(_at(arguments, old))
    except (WrongStage, NoOldTable, BadBackup, SekkeiError) as error:
        raise CouldNotRun(str(error)) from error
    except KeyboardInterrupt:
        raise CouldNotRun("stopped. The same command goes on where it was.") from None


def _old_table(arguments: argparse.Namespace) -> OldTable:
    from sekkei_lessons_migration.configuration import BadMapping, OldTable

    if not arguments.mapping:
        return OldTable()
    try:
        return OldTable.read(Path(arguments.mapping).read_bytes())
    except OSError as error:
        raise CouldNotRun(f"{arguments.mapping}: {error.strerror}.") from error
    except BadMapping as error:
        raise CouldNotRun(f"{arguments.mapping} cannot be used: {error}.") from error


@dataclass(frozen=True, slots=True)
class Desk:
    """What every stage works with."""

    arguments: argparse.Namespace
    old: OldTable
    db: Database
    move: Move


async def _at(arguments: argparse.Namespace, old: OldTable) -> int:
    from sekkei.clock import SYSTEM
    from sekkei.design import tables
    from sekkei.store import open_store
    from sekkei_lessons_migration.moving import Move
    from sekkei_lessons_migration.progress import Progress
    from sekkei_systems.lessons.design import design

    if _is_missing_file(arguments.store) and arguments.stage != "sample":
        raise CouldNotRun(f"There is no store {arguments.store}. Name yours with --store, or in SEKKEI_STORE.")
    store = open_store(arguments.store)
    progress = Progress()
    try:
        if arguments.stage not in ("sample", "plan"):
            await tables.create(store, design, arguments.env)
        db = design.open(store, env=arguments.env)
        desk = Desk(arguments, old, db, Move(db, SYSTEM, old, progress))
        stages: dict[str, Callable[[Desk], Awaitable[int]]] = {
            "sample": _sample,
            "follow": _follow,
            "cutover": _cutover,
            "retire": _retire,
            "status": _status,
        }
        return await stages.get(arguments.stage, _reported)(desk)
    finally:
        progress.close()
        await store.close()


def _is_missing_file(store: str) -> bool:
    scheme = store.partition(":")[0]
    is_file = scheme not in ("http", "https", "dynamodb", "file") and store != ":memory:"
    return is_file and not Path(store).exists()


async def _reported(desk: Desk) -> int:
    """Plan, run, verify, rollback."""
    stages = {"plan": desk.move.plan, "run": desk.move.run, "verify": desk.move.verify, "rollback": desk.move.rollback}
    report = await stages[desk.arguments.stage]()
    _tell(desk, report)
    return FINDINGS if report.drift else OK


async def _cutover(desk: Desk) -> int:
    final = desk.arguments.final
    report = await (desk.move.make_final() if final else desk.move.cutover(allow_silent=desk.arguments.allow_silent))
    _tell(desk, report)
    if report.drift:
        print("Nothing was switched: the tables differ. Run and verify again.", file=sys.stderr)
        return FINDINGS
    if report.silent and not final and not desk.arguments.allow_silent:
        print(
            "Nothing was switched: the people listed as silent wait, and nobody could tell them of a place. Say in the "
            'mapping where contacts come from ("contacts") and how an old user id becomes an account ("account"), and '
            "run again; or go on without them: cutover --allow-silent",
            file=sys.stderr,
        )
        return FINDINGS
    if final:
        said = f"The cutover is final. {desk.old.table} may go: sekkei lessons migrate retire --backup FILE"
    else:
        said = "user_lessons leads now. Until you make it final, rollback leads back: sekkei lessons migrate rollback"
    print(said, file=sys.stderr)
    return OK


def _tell(desk: Desk, report: Report) -> None:
    import orjson

    whole = orjson.dumps(report.as_json(), option=orjson.OPT_INDENT_2, default=str)
    if desk.arguments.report:
        try:
            Path(desk.arguments.report).write_bytes(whole + b"\n")
        except OSError as error:
            raise CouldNotRun(f"the report cannot be written: {error.filename}: {error.strerror}.") from error
    if desk.arguments.format == "json":
        print(whole.decode())
        return
    for line in report.lines():
        print(line)


async def _sample(desk: Desk) -> int:
    from sekkei.errors import ResourceInUseException
    from sekkei.runtime import days
    from sekkei_lessons_migration import sample

    store, clock, table, names = desk.db.store, desk.db.clock, desk.old.table, desk.old.contacts
    count, seed = desk.arguments.rows, desk.arguments.seed
    made = table
    try:
        await sample.make_table(store, table)
        if names:
            made = names["table"]
            await sample.make_people_table(store, names)
    except ResourceInUseException:
        raise CouldNotRun(f"There is a table {made} already; a sample is put into none but a new one.") from None
    filled = await sample.fill(store, table, sample.old_rows(count, days.now(clock), seed), clock)
    if names:
        people = await sample.fill(store, names["table"], sample.old_people(count, names, seed), clock)
        print(f"{names['table']}: {people:,} people.")
    print(f"{table}: {filled:,} rows. Next: sekkei lessons migrate plan")
    return OK


async def _follow(desk: Desk) -> int:
    from sekkei.design import tables
    from sekkei.runtime.design import design as runtime_design
    from sekkei_lessons_migration.leading import follow_all, follower
    from sekkei_lessons_migration.ledger import FOLLOWED
    from sekkei_lessons_migration.old_rows import OldRows

    db, arguments = desk.db, desk.arguments
    rows = OldRows(db.store, desk.old.table, db.clock)
    if not (await rows.about()).stream:
        if not arguments.enable_stream:
            raise CouldNotRun(
                f"{desk.old.table} has no stream. Turn it on with --enable-stream, or run `run` again to catch up."
            )
        await rows.enable_stream()
    await tables.create(db.store, runtime_design, arguments.env)
    pump = follower(db, runtime_design.open(db.store, env=arguments.env), db.clock, desk.old)
    while True:
        state = await desk.move.state()
        if state is None or state.stage not in FOLLOWED:
            raise CouldNotRun("There is nothing to follow: a move is followed from its first run until it is final.")
        handled = await follow_all(pump)
        if handled:
            print(f"{handled:,} changes carried over")
        if arguments.once:
            return OK
        await asyncio.sleep(FOLLOW_SECONDS)


async def _retire(desk: Desk) -> int:
    backup: Path = desk.arguments.backup
    if backup.exists():
        raise CouldNotRun(f"{backup} is there already. Name another file.")
    try:
        saved = await desk.move.retire(backup)
    except OSError as error:
        raise CouldNotRun(f"{error.filename}: {error.strerror}. {desk.old.table} stays.") from error
    print(f"{backup}: {saved:,} rows. {desk.old.table} is deleted.")
    return OK


async def _status(desk: Desk) -> int:
    state = await desk.move.state()
    if state is None:
        print(f"{desk.old.table}: no move has begun. Next: sekkei lessons migrate plan")
        return OK
    print(f"{desk.old.table}: {state.stage.value}, since {state.updated_at:%Y-%m-%d %H:%M:%S} UTC")
    for name, number in sorted(state.counts.items()):
        print(f"  {name:<12}{int(number):>10,}")
    return OK
