"""`sekkei recover`: out of a damaged store a new one."""

from __future__ import annotations

import argparse
from pathlib import Path

from sekkei.commands import FINDINGS, OK, STORE_FILE, CouldNotRun

EXAMPLES = """\
examples:
  sekkei recover data --out data/recovered.db       the store in the folder ./data
  sekkei recover data/sekkei.db --out new.db        the same, by its file

Stop the program that has the store open first. The damaged files are only read; keep them. Missing items are named by
table and key. Doubtful ones, of which only an older version may be left, are named too, and saved with --with-doubtful.
What is damaged beside items (records of tables, streams, backups) is named as far as it can be known.
Exit code: 0 everything is there, 1 something is missing or doubtful, 2 could not run.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="the file, or the data folder that it is in")
    parser.add_argument("--out", type=Path, required=True, metavar="NEW", help="the file to make")
    parser.add_argument("--with-doubtful", action="store_true", help="save doubtful items too")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.commands.startup import file_errors
    from sekkei.engine.upkeep.recover import recover

    path: Path = arguments.file / STORE_FILE if arguments.file.is_dir() else arguments.file
    if arguments.out.exists():
        raise CouldNotRun(f"{arguments.out} is there already. Name another file.")
    with file_errors(path):
        report = recover(path, arguments.out, with_doubtful=arguments.with_doubtful)
    for gap in report.gaps:
        print(gap)
    for note in report.notes:
        print(note)
    if report.lost_commits:
        print(f"The last {report.lost_commits} acknowledged commits are missing; their items may be older or absent.")
    print(f"{arguments.out}: {report.items:,} items saved.")
    if report.is_complete:
        return OK
    print("A backup may have the rest: `sekkei backup` makes files, and a file can be opened beside this one.")
    return FINDINGS
