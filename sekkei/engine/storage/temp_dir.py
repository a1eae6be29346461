"""The folder of an engine in memory: in RAM where the system has such a place, and left behind by nobody.

Whoever makes a folder holds a lock on it, which the system lets go when the process ends, however it ends. The next one
takes away those that nobody holds. A folder gets its name once it is locked, so none is taken too early.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile

try:
    import fcntl
except ImportError:  # Windows, which deletes no file that is in use
    fcntl = None  # type: ignore[assignment]

_PREFIX = "sekkei-memory-"
SHARED_MEMORY = "/dev/shm"


class TempDir:
    """A folder of our own, until `remove`."""

    def __init__(self) -> None:
        place = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else tempfile.gettempdir()
        _sweep(place)
        self._made_in = os.getpid()
        self.path, self._lock = _made(place)

    def remove(self) -> None:
        """A process that was forked leaves it to its parent."""
        if self._made_in != os.getpid():
            return
        shutil.rmtree(self.path, ignore_errors=True)
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)


def _made(place: str) -> tuple[str, int | None]:
    """A folder and the lock on it. The process is part of the name: in a world chance is the seed's, and another
    process, or an earlier run in this one, may have drawn the same letters."""
    while True:
        made = tempfile.mkdtemp(prefix=f".sekkei-{os.getpid()}-", dir=place)
        lock = _hold(made)
        path = os.path.join(place, _PREFIX + os.path.basename(made).removeprefix(".sekkei-"))
        if not os.path.exists(path):
            os.rename(made, path)
            return path, lock
        os.rmdir(made)
        if lock is not None:
            os.close(lock)


def _sweep(place: str) -> None:
    """Take away what processes have left that were killed."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for path in [entry.path for entry in entries if entry.name.startswith(_PREFIX)]:
            with contextlib.suppress(OSError):
                _remove_unless_held(path)


def _remove_unless_held(path: str) -> None:
    lock = _hold(path)
    assert lock is not None
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(lock)


def _hold(path: str) -> int | None:
    """A descriptor that keeps the folder ours; raises OSError when somebody else holds it."""
    if fcntl is None:
        return None
    found = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(found)
        raise
    return found
