"""Named moments of a store: take one, go back to it, as often as a test likes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import apsw

from sekkei.engine.storage import file

SNAPSHOT_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}"


class Snapshots:
    """Copies of a store's file in a folder, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        if re.fullmatch(SNAPSHOT_NAME, name) is None:
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
