"""`sekkei backup`: a copy of a store's file, while it is in use."""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from pathlib import Path

from sekkei.commands import FINDINGS, OK, STORE_FILE, CouldNotRun

EXAMPLES = """\
examples:
  sekkei backup data backups/            a file with the time in its name, in the folder ./backups
  sekkei backup data before-upgrade.db   a file of that name
  sekkei backup data/sekkei.db copy.db   the same, by the store's file

A file that is there already is never touched, unless --overwrite says so. Files of exports (the folder s3 beside the
store) and the file `secret` beside it, which signs cookies and links, are not part of the copy: keep the secret where
you keep secrets. Exit code: 0 well, 1 the copy has findings, 2 could not run.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", type=Path, help="the data folder, or the store's file")
    parser.add_argument("target", help="the file to make, or a folder to make one in (a new one with / at its end)")
    parser.add_argument("--overwrite", action="store_true", help="replace the target if it is there")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.commands.startup import what_helps

    source: Path = arguments.data / STORE_FILE if arguments.data.is_dir() else arguments.data
    target = Path(arguments.target)
    if target.is_dir() or arguments.target.endswith(("/", os.sep)):
        moment = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
        target = target / f"sekkei-{moment}.db"
    findings = copy(source, target, overwrite=arguments.overwrite)
    print(f"{target}: {target.stat().st_size:,} bytes{', verified' if not findings else ''}.")
    for finding in findings:
        print(finding)
    if findings:
        print(f"{source} is as it was. {what_helps(source)}")
    return FINDINGS if findings else OK


def copy(source: Path, target: Path, *, overwrite: bool, only_sound: bool = False) -> list[str]:
    """Copy with the progress shown on a terminal; gives what verifying the copy has found."""
    import apsw

    from sekkei.commands.startup import file_errors
    from sekkei.engine.upkeep.whole_file import AlreadyThere, InUse, copy_file

    progress = _show if sys.stderr.isatty() else _keep_quiet
    try:
        with file_errors(source):
            return copy_file(source, target, progress, overwrite=overwrite, only_sound=only_sound)
    except apsw.Error as error:
        raise CouldNotRun(f"{source} could not be copied: {error}.") from error
    except AlreadyThere:
        raise CouldNotRun(f"{target} is there already. Name another file, or give --overwrite.") from None
    except InUse:
        raise CouldNotRun(f"{target} is open in another program. Stop it first.") from None
    except OSError as error:
        raise CouldNotRun(f"{error.filename or target}: {error.strerror}.") from error


def _show(done: int, pages: int) -> None:
    end = "\n" if done == pages else ""
    print(f"\r{done:,} of {pages:,} pages", end=end, file=sys.stderr, flush=True)


def _keep_quiet(done: int, pages: int) -> None:
    pass
