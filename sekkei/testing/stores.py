"""A fresh store in a millisecond, with a design opened on it; and named moments of a store, to go back to."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, overload

import apsw

from sekkei.clock import SYSTEM, Clock
from sekkei.design import Database, Design, SyncDatabase, tables
from sekkei.engine.storage import file
from sekkei.store import Embedded, Store

_SNAPSHOT_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}"


class Snapshots:
    """Copies of a store's file in a folder, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        if re.fullmatch(_SNAPSHOT_NAME, name) is None:
            raise ValueError(f"{name!r} is no name for a snapshot: use letters, digits, '_', '-' and '.'.")
        return self.folder / f"{name}.db"

    def take(self, name: str, store: Path) -> None:
        """Keep what the file holds now, also while it is in use; a snapshot of that name is replaced.

        A damaged store is refused.
        """
        target = self.path(name)
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        partial.unlink(missing_ok=True)
        _copy(store, partial)
        partial.replace(target)

    def names(self) -> list[str]:
        """Those there are, in order."""
        return sorted(path.stem for path in self.folder.glob("*.db"))

    def put(self, name: str, target: Path) -> None:
        """Make a store's file of a snapshot, where there is none."""
        source = self.path(name)
        if not source.exists():
            known = ", ".join(self.names()) or "none"
            raise LookupError(f"There is no snapshot {name!r}. There are: {known}.")
        shutil.copyfile(source, target)

    def drop(self, name: str) -> None:
        self.path(name).unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    origin = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
    destination = apsw.Connection(str(target))
    try:
        # Closed as the last one, a connection would put a damaged log into the file, and away with it.
        origin.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        file.check_is_whole(origin, str(source))
        origin.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        with destination.backup("main", origin, "main") as backup:
            while not backup.done:
                backup.step()
        destination.pragma("journal_mode", "delete")  # everything in the one file
    finally:
        destination.close()
        origin.close()


@overload
def store(*, clock: Clock = SYSTEM) -> AbstractAsyncContextManager[Store]: ...
@overload
def store(design: Design, *, env: str = "test", clock: Clock = SYSTEM) -> AbstractAsyncContextManager[Database]: ...
def store(
    design: Design | None = None, *, env: str = "test", clock: Clock = SYSTEM
) -> AbstractAsyncContextManager[Any]:
    """A store in memory that nobody else sees; with a design, its tables are made and the design is opened on it."""
    return _open(design, env, clock)


@asynccontextmanager
async def _open(design: Design | None, env: str, clock: Clock) -> AsyncIterator[Any]:
    opened = Embedded(clock=clock)
    try:
        if design is None:
            yield opened
        else:
            await tables.create(opened, design, env, clock)
            yield design.open(opened, env=env, clock=clock)
    finally:
        await opened.close()


@contextmanager
def sync_store(design: Design, *, env: str = "test", clock: Clock = SYSTEM) -> Iterator[SyncDatabase]:
    """The same for code without `await`."""
    with design.open_sync(Embedded(clock=clock), env=env, clock=clock) as db:
        db.create_tables()
        yield db
