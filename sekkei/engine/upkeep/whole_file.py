"""A copy of the whole file, taken while it is in use: one consistent moment, verified before it gets its name."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import apsw

from sekkei import private
from sekkei.engine.storage import acknowledged, file, sql
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import NotOurFile

PAGES_PER_STEP = 1_000

Progress = Callable[[int, int], None]
"""Called with the pages copied so far and all pages."""


class AlreadyThere(Exception):
    """A copy never takes the place of a file, unless told to."""


class InUse(Exception):
    """The file that is to be replaced is open in another program."""


def copy_file(
    source: Path, target: Path, progress: Progress, *, overwrite: bool = False, only_sound: bool = False
) -> list[str]:
    """Copy a store's file; gives what verifying the copy has found. Nothing is at the target before all of it is.

    A damaged backup is better than none; a damaged store in the place of another is not: then `only_sound`.
    """
    if target.exists() and not overwrite:
        raise AlreadyThere(str(target))
    private.make_folder(target.parent)
    partial = target.with_name(f".{target.name}.partial")
    _remove(partial)
    try:
        _copy_pages(source, partial, progress)
        file.close(file.connect(str(partial)))  # the copy is in the format of this version
        findings = list(verify_file(str(partial)))
        if findings and only_sound:
            return findings
        _settle(partial)
        if overwrite and target.exists():
            _let_go(target)
        _put_in_place(partial, target, overwrite)
    finally:
        _remove(partial)
    return findings


def _copy_pages(source: Path, partial: Path, progress: Progress) -> None:
    origin = _open_ours(source)
    try:
        # An open read transaction holds the moment still: writes go on beside it and are not in the copy.
        origin.execute("BEGIN")
        origin.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        file.create(str(partial))
        destination = apsw.Connection(str(partial))
        try:
            with destination.backup("main", origin, "main") as backup:
                while not backup.done:
                    backup.step(PAGES_PER_STEP)
                    progress(backup.page_count - backup.remaining, backup.page_count)
        finally:
            destination.close()
    finally:
        origin.close()


def _open_ours(path: Path) -> apsw.Connection:
    """Neither made nor migrated by being copied."""
    if not path.is_file():
        raise NotOurFile(f"There is no file {path}.")
    writable = os.access(path, os.W_OK)
    flags = apsw.SQLITE_OPEN_READWRITE if writable else apsw.SQLITE_OPEN_READONLY
    connection = apsw.Connection(str(path), flags=flags)
    try:
        connection.set_busy_timeout(file.BUSY_TIMEOUT_MS)
        ours = connection.pragma("application_id") == sql.APPLICATION_ID
    except apsw.NotADBError:
        ours = False
    if not ours:
        connection.close()
        raise NotOurFile(f"{path} is not a Sekkei store.")
    return connection


def _settle(partial: Path) -> None:
    """Put everything into the one file and that file on disk."""
    connection = apsw.Connection(str(partial))
    try:
        connection.pragma("journal_mode", "delete")
    finally:
        connection.close()
    with open(partial, "rb+") as opened:
        os.fsync(opened.fileno())


def _let_go(target: Path) -> None:
    """Make sure that no other program has the file open: only then does it leave its log."""
    connection = _open_ours(target)
    try:
        connection.set_busy_timeout(0)
        if connection.pragma("journal_mode", "delete") != "delete":
            raise InUse(str(target))
    except apsw.BusyError:
        raise InUse(str(target)) from None
    finally:
        connection.close()


def _put_in_place(partial: Path, target: Path, overwrite: bool) -> None:
    acknowledged.forget(str(target))
    if overwrite:
        os.replace(partial, target)
    else:
        try:
            # Fails if somebody has made the file in the meantime, where a rename would destroy it.
            os.link(partial, target)
        except FileExistsError:
            raise AlreadyThere(str(target)) from None
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _remove(partial: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal", acknowledged.SUFFIX):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{partial}{suffix}")
