"""Opening the one SQLite file: the right library, the right file, the right settings, the right format."""

from __future__ import annotations

import contextlib
import os
import stat
import weakref
from pathlib import Path
from urllib.parse import quote

import apsw

from sekkei import private
from sekkei.engine.storage import ack_log, sql, wal
from sekkei.errors import DamagedFile, NotOurFile

_LIBRARY_MIN = (3, 51, 3)
"""Versions before this one can corrupt a database in WAL mode."""
BUSY_TIMEOUT_MS = 10_000
_CACHE_KIB = 64 * 1024
_MMAP_BYTES = 1 << 40
"""All of the file, whatever its size: a page that is not mapped costs a call of the system each time it is read."""
SYNCHRONOUS = "EXTRA"
"""FULL, and the folder is synced too when the journal of the file's first commit is deleted: were that journal to come
back after a power cut, it would undo the whole file."""

_VFS_OF_ONE_PROCESS = "unix-excl" if "unix-excl" in apsw.vfs_names() else None
"""What no other process may open needs no locks of the system and no shared memory: half the time of a small read."""


def _check_library(version: str) -> None:
    found = tuple(int(part) for part in version.split("."))
    if found < _LIBRARY_MIN:
        raise RuntimeError(
            f"SQLite {version} can corrupt databases in WAL mode; Sekkei needs {'.'.join(map(str, _LIBRARY_MIN))} "
            "or newer. Install the apsw wheel, which brings its own."
        )


def connect(path: str, *, durable: bool = True, as_it_is: bool = False) -> apsw.Connection:
    """A connection with the engine's settings. The first one to a new file also lays it out, unless the file is to be
    there, `as_it_is`."""
    try:
        if not as_it_is:
            create(path)
        flags = apsw.SQLITE_OPEN_READWRITE | (0 if as_it_is else apsw.SQLITE_OPEN_CREATE)
        connection = apsw.Connection(path, flags=flags, vfs=None if durable else _VFS_OF_ONE_PROCESS)
    except apsw.CantOpenError as error:
        raise NotOurFile(f"{path} cannot be opened: {error}. Is its folder there and writable?") from None
    try:
        # Only an orderly close puts the log into the database: whoever fails leaves both as they are.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        _check_is_ours(connection, path)
        _check_is_not_newer(connection, path)
        _close_to_others(path)
        connection.pragma("synchronous", SYNCHRONOUS if durable else "OFF")
        connection.pragma("journal_mode", "wal")
        connection.pragma("cache_size", -_CACHE_KIB)
        connection.pragma("mmap_size", _MMAP_BYTES)
        # The writer puts the log into the database; see there.
        connection.pragma("wal_autocheckpoint", 0)
        if not as_it_is:
            _migrate(connection, path)
    except apsw.NotADBError:
        connection.close()
        raise NotOurFile(f"{path} is not a Sekkei store: it is not an SQLite file. Name another file.") from None
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: str) -> apsw.Connection:
    """A connection that changes nothing: the file is neither laid out nor migrated, and no log is left beside it."""
    if not Path(path).is_file():
        raise NotOurFile(f"There is no file {path}.")
    # Without a log nobody has the file open. To be read as it lies spares it a new log, which would belong to whoever
    # runs this, and be in the way of whoever runs the store.
    unused = "" if Path(f"{path}-wal").exists() else "&immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"file:{quote(str(Path(path).absolute()))}?mode=ro{unused}", flags=flags)
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        _check_is_ours(connection, path)
        if connection.pragma("application_id") == 0:
            raise NotOurFile(f"{path} is empty: whoever made it was stopped before anything was acknowledged.")
        found = connection.pragma("user_version")
        if found != sql.FORMAT:
            raise NotOurFile(
                f"{path} has file format {found}, and this version of Sekkei reads format {sql.FORMAT}. "
                + (
                    f"`sekkei backup {path} COPY` makes a verified copy in the new format."
                    if found < sql.FORMAT
                    else "Use the newer version that wrote it."
                )
            )
    except apsw.NotADBError:
        connection.close()
        raise NotOurFile(f"{path} is not a Sekkei store: it is not an SQLite file. Name another file.") from None
    except BaseException:
        connection.close()
        raise
    return connection


def check_is_whole(connection: apsw.Connection, path: str) -> None:
    """Raise if the file has lost what was acknowledged. Then nothing may be written, or what is left would be lost."""
    finding = whats_lost(connection, path)
    if finding is None:
        return
    raise DamagedFile(
        f"{finding} Nothing was changed. `sekkei recover {path} --out NEW` saves what can be proven whole and lists "
        f"the rest; if you have put an older copy there yourself, delete {ack_log.place(path)}."
    )


def whats_lost(connection: apsw.Connection, path: str) -> str | None:
    """A sentence about acknowledged commits that the file lacks."""
    lost = ack_log.lost(connection, path)
    frame = wal.damaged_frame(connection, path)
    if not lost and frame is None:
        return None
    where = f"its log {path}-wal is damaged at frame {frame}" if frame else f"{path} or its log {path}-wal is damaged"
    what = f"{lost} acknowledged commit{'s are' if lost != 1 else ' is'}" if lost else "Acknowledged commits are"
    return f"{what} missing from {path}: {where}."


def close(connection: apsw.Connection) -> None:
    """Let go of the file. If the disk is in trouble the log stays as it is, for whoever opens the file next."""
    with contextlib.suppress(apsw.Error):
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        connection.close()


def _check_is_ours(connection: apsw.Connection, path: str) -> None:
    application_id = connection.pragma("application_id")
    if application_id == sql.APPLICATION_ID:
        return
    (tables,) = next(iter(connection.execute("SELECT count(*) FROM sqlite_schema")))
    if application_id != 0 or tables:
        raise NotOurFile(f"{path} is an SQLite file of another program; Sekkei leaves it as it is. Name another file.")


def _check_is_not_newer(connection: apsw.Connection, path: str) -> None:
    """Before anything is set that stays in the file."""
    found = connection.pragma("user_version")
    if found > sql.FORMAT:
        raise NotOurFile(
            f"{path} has file format {found}; this version of Sekkei knows formats up to {sql.FORMAT}. "
            "Open it with the newer version that wrote it."
        )


def _migrate(connection: apsw.Connection, path: str) -> None:
    """Bring the file to the current format, a numbered step and its record in one commit each."""
    while connection.pragma("user_version") != sql.FORMAT:
        _check_is_not_newer(connection, path)
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have been quicker while this one waited for the lock.
            step = connection.pragma("user_version")
            if step < sql.FORMAT:
                connection.execute(sql.MIGRATIONS[step])
                connection.pragma("user_version", step + 1)
                connection.pragma("application_id", sql.APPLICATION_ID)
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(apsw.Error):
                connection.execute("ROLLBACK")
            raise


def create(path: str) -> None:
    """A new file is for its owner alone; the log and the shared memory that SQLite adds take after it."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def _close_to_others(path: str) -> None:
    """A store that others may read is its owner's from now on, with the log and the shared memory that took after it.

    Only what is known to be a store: a path that was given by mistake stays as it is.
    """
    for name in (path, f"{path}-wal", f"{path}-shm"):
        with contextlib.suppress(OSError):
            mode = os.stat(name).st_mode
            if stat.S_ISREG(mode) and mode & 0o077:
                os.chmod(name, 0o600)


def prepare(path: str) -> None:
    """The folder of a file that may be new."""
    if os.path.isdir(path):
        raise NotOurFile(f"{path} is a folder. Name the store's file, such as {os.path.join(path, 'sekkei.db')}.")
    if not os.path.exists(path):
        # Somebody has taken the store away, and with it what was acknowledged.
        ack_log.forget(path)
    folder = Path(path).parent
    try:
        private.make_folder(folder)
    except OSError as error:
        raise NotOurFile(f"The folder {folder} cannot be made: {error.strerror}. Name another one.") from None


_Inode = tuple[int, int]
_connections: weakref.WeakKeyDictionary[apsw.Connection, _Inode] = weakref.WeakKeyDictionary()
_inherited: dict[apsw.Connection, _Inode] = {}


def is_busy(connection: apsw.Connection) -> bool:
    """Whether another thread is inside SQLite with it."""
    try:
        connection.total_changes()
    except apsw.ThreadingViolationError:
        return True
    except apsw.ConnectionClosedError:
        pass
    return False


def inherit() -> None:
    """In a process that has just been forked: all connections are its parent's.

    SQLite keeps one list a process of the locks it has on a file. A child has a copy of that list, but not the locks:
    it would write without any, and its parent would take itself for the last user and delete the log under its hands.
    So a file's inherited connections are closed before the first one of the child's own, see `_begin`.
    """
    _inherited.update(_connections)
    _connections.clear()
    for connection in _inherited:
        if _is_at_rest(connection):
            with contextlib.suppress(apsw.ConnectionClosedError):
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        else:
            # To close it would undo, in memory that both share, what its parent goes on with. Nobody does, not even the
            # end of the interpreter.
            import ctypes

            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _begin(connection: apsw.Connection) -> None:
    """Whoever opens a file in this process, by whatever way, comes by here before anything is locked or read."""
    try:
        found = os.stat(connection.filename)
    except OSError:  # it has none
        return
    inode = found.st_dev, found.st_ino
    for parents in [each for each, its in _inherited.items() if its == inode]:
        if not _is_at_rest(parents):
            raise RuntimeError(
                f"This process was forked while its parent worked on {connection.filename}, and cannot use that file. "
                "Open it in a process that was started anew."
            )
        parents.close(True)
        del _inherited[parents]
    _connections[connection] = inode


def _is_at_rest(connection: apsw.Connection) -> bool:
    """Whether it can be closed in a child: nobody is inside SQLite with it, and nothing is half written."""
    try:
        return connection.txn_state() != apsw.SQLITE_TXN_WRITE
    except apsw.ConnectionClosedError:
        return True
    except apsw.Error:
        return False


apsw.connection_hooks.append(_begin)
_check_library(apsw.sqlite_lib_version())
