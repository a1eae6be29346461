"""A disk that can be told to fail, and one that remembers every write so that its power can be cut.

Both are SQLite VFS shims over the real one. While one is in use it is the default of this process, so that the engine
under test opens its files through it without knowing.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512
REAL = "unix"

Before = Callable[[str, str], None]
"""Called before each call to the disk with the call's name and the file's; may raise what the call then raises."""


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._disk = disk
        self._name = os.path.basename(path)
        disk.before("xOpen", self._name)
        super().__init__(REAL, name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:
        self._disk.before("xRead", self._name)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.before("xWrite", self._name)
        super().xWrite(data, offset)
        self._disk.note("write", self._name, (offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        self._disk.before("xTruncate", self._name)
        super().xTruncate(newsize)
        self._disk.note("truncate", self._name, newsize)

    def xSync(self, flags: int) -> None:
        self._disk.before("xSync", self._name)
        super().xSync(flags)
        self._disk.note("sync", self._name, None)

    def xFileSize(self) -> int:
        self._disk.before("xFileSize", self._name)
        return super().xFileSize()


class Disk(apsw.VFS):
    """The real disk with an ear at every call."""

    def __init__(self, before: Before | None = None) -> None:
        self._before = before
        self.log: list[tuple[str, str, Any]] = []
        self._lock = threading.Lock()
        super().__init__("sekkei-torture", REAL, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> _File:
        return _File(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.before("xDelete", os.path.basename(filename))
        super().xDelete(filename, syncdir)
        self.note("delete", os.path.basename(filename), syncdir)

    def before(self, call: str, name: str) -> None:
        if self._before is not None:
            self._before(call, name)

    def note(self, kind: str, name: str, detail: Any) -> None:
        with self._lock:
            self.log.append((kind, name, detail))


@contextmanager
def disk(before: Before | None = None) -> Iterator[Disk]:
    shim = Disk(before)
    try:
        yield shim
    finally:
        shim.unregister()


class PowerCut:
    """What lies on a disk whose power was cut: all that was synced, and any part of what was not."""

    def __init__(self, log: list[tuple[str, str, Any]], chance: random.Random) -> None:
        self._files: dict[str, bytearray] = {}
        self._pending: dict[str, list[tuple[str, Any]]] = {}
        self._chance = chance
        self._share = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        for kind, name, detail in log:
            self._take(kind, name, detail)
        for name in list(self._pending):
            self._settle(name, self._luck)

    def _take(self, kind: str, name: str, detail: Any) -> None:
        if kind == "sync":
            self._settle(name, lambda: True)
        elif kind == "delete" and detail:
            self._files.pop(name, None)
            self._pending.pop(name, None)
        elif kind in ("write", "truncate", "delete"):
            self._pending.setdefault(name, []).append((kind, detail))

    def _luck(self) -> bool:
        return self._chance.random() < self._share

    def _settle(self, name: str, is_kept: Callable[[], bool]) -> None:
        for kind, detail in self._pending.pop(name, ()):
            content = self._files.setdefault(name, bytearray())
            if kind == "write":
                _write_sectors(content, *detail, is_kept)
            elif is_kept():
                if kind == "truncate":
                    del content[detail:]
                else:
                    self._files.pop(name, None)

    def save(self, folder: Path) -> None:
        for name, content in self._files.items():
            (folder / name).write_bytes(content)


def _write_sectors(content: bytearray, offset: int, data: bytes, is_kept: Callable[[], bool]) -> None:
    """Each sector of a write arrives or does not, whatever becomes of its neighbours."""
    start = offset
    end = offset + len(data)
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        if is_kept():
            if len(content) < stop:
                content.extend(bytes(stop - len(content)))
            content[start:stop] = data[start - offset : stop - offset]
        start = stop
