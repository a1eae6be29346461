"""`sekkei verify`: is a store's file sound?"""

from __future__ import annotations

import argparse
from pathlib import Path

from sekkei.commands import FINDINGS, OK, STORE_FILE, CouldNotRun

EXAMPLES = """\
examples:
  sekkei verify data               the store in the folder ./data
  sekkei verify data/sekkei.db     the same, by its file

Prints one line for each thing that is wrong. Nothing is changed, and a program may have the store open.
Exit code: 0 sound, 1 findings, 2 could not run.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="the file, or the data folder that it is in")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.commands.startup import file_errors, what_helps
    from sekkei.engine.upkeep.verify import verify_file

    path: Path = arguments.file / STORE_FILE if arguments.file.is_dir() else arguments.file
    if not path.is_file():
        raise CouldNotRun(f"There is no file {path}.")
    count = 0
    with file_errors(path):
        for finding in verify_file(str(path)):
            count += 1
            print(finding, flush=True)
    if not count:
        print(f"{path} is sound.")
        return OK
    print(f"{path}: {count} finding{'s' if count != 1 else ''}. {what_helps(path)}")
    return FINDINGS
