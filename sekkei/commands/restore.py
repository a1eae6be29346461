"""`sekkei restore`: a store out of a backup of its file."""

from __future__ import annotations

import argparse
from pathlib import Path

from sekkei.commands import FINDINGS, OK, STORE_FILE
from sekkei.commands.backup import copy

EXAMPLES = """\
examples:
  sekkei restore backups/sekkei-20260101T000000Z.db data   into the folder ./data, which has no store yet
  sekkei restore before-upgrade.db data --overwrite        in place of the store that is there

A store that is there already is never touched, unless --overwrite says so, and never while a program has it open. A
backup that is damaged is not restored. Exit code: 0 well, 1 the backup has findings, 2 could not run.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("backup", type=Path, help="the backup's file")
    parser.add_argument("data", type=Path, help="the data folder, or the file of the store")
    parser.add_argument("--overwrite", action="store_true", help="replace the store if there is one")


def run(arguments: argparse.Namespace) -> int:
    data: Path = arguments.data
    target = data if data.suffix == ".db" and not data.is_dir() else data / STORE_FILE
    findings = copy(arguments.backup, target, overwrite=arguments.overwrite, only_sound=True)
    if findings:
        print("\n".join(findings))
        print(f"{arguments.backup} is damaged; nothing was restored.")
        return FINDINGS
    print(f"{target}: restored from {arguments.backup}, verified.")
    return OK
