"""A copy of the whole file, taken while it is in use: one consistent moment, verified before it gets its name."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import apsw

from sekkei import private
from sekkei.engine.storage import ack_log, file, sql
from sekkei.engine.upkeep.verify import machine_in_trouble, verify_file
from sekkei.errors import NotOurFile

PAGES_PER_STEP = 1_000

_Progress = Callable[[int, int], None]
"""Called with the pages copied so far and all pages."""


class AlreadyThere(Exception):
    """A copy never takes the place of a file, unless told to."""


class InUse(Exception):
    """The file that is to be replaced is open in another program."""


def copy_file(
    source: Path, target: Path, progress: _Progress, *, overwrite: bool = False, only_sound: bool = False
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
        findings = [*_copy_pages(source, partial, progress), *_checked(partial)]
        if findings and only_sound:
            return findings
        _settle(partial)
        if overwrite and target.exists():
            _let_go(target)
        _put_in_place(partial, target, overwrite)
    finally:
        _remove(partial)
    return findings


def _copy_pages(source: Path, partial: Path, progress: _Progress) -> list[str]:
    """Copy the file with its log as SQLite reads it; gives what it lacks of what was acknowledged."""
    origin = _open_ours(source)
    try:
        lost = _lost(origin, source)
        # An open read transaction holds the moment still: writes go on beside it and are not in the copy. It is begun
        # by what needs no schema, which may be damaged.
        origin.execute("BEGIN")
        origin.pragma("application_id")
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
    return lost


def _lost(origin: apsw.Connection, source: Path) -> list[str]:
    """What the file lacks of what was acknowledged. If there is anything, its log stays when the connection is closed,
    even as the last one: `sekkei recover` saves things out of it that SQLite does not read."""
    log = Path(f"{source}-wal")
    if log.exists() and log.stat().st_size:
        origin.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    try:
        lost = file.whats_lost(origin, str(source))
    except apsw.Error as error:
        machine_in_trouble(error)
        return []  # what it cannot read, `verify` cannot read of the copy
    if lost is not None:
        return [lost]
    origin.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    return []


def _checked(partial: Path) -> list[str]:
    """Bring the copy to the format of this version, and verify it."""
    try:
        file.close(file.connect(str(partial)))
    except apsw.Error as error:
        machine_in_trouble(error)
        return [f"The file cannot be opened: {error}"]
    return list(verify_file(str(partial)))


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
    except apsw.CorruptError:
        pass  # nobody can write to it, so it has no log when it is closed
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
    ack_log.forget(str(target))
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
    for suffix in ("", "-wal", "-shm", "-journal", ack_log.SUFFIX):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{partial}{suffix}")
