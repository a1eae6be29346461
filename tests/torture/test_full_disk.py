"""A disk that is full or read-only: writes are refused, nothing acknowledged is lost, reads go on.

When there is room again so do writes, without a restart. Seen to fail with a writer that acknowledges although its
commit has failed (`test_a_lie_is_noticed`).
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import apsw
import pytest

from sekkei.engine import Engine
from sekkei.engine.storage import writer
from sekkei.engine.storage.writer import Writer
from sekkei.errors import InternalServerError
from tests.torture import store
from tests.torture.disk import disk
from tests.torture.plants import NOTICED

WRITING = {"xWrite", "xTruncate", "xDelete", "xSync"}


class Trouble:
    """A disk that takes a number of writes and then none, until it is well."""

    def __init__(self, error: type[apsw.Error]) -> None:
        self._error = error
        self._writes_left: int | None = None

    def before(self, call: str, name: str) -> None:
        if self._writes_left is None or call not in WRITING:
            return
        if self._writes_left <= 0:
            raise self._error("planted")
        self._writes_left -= 1

    def begin(self, writes_left: int) -> None:
        self._writes_left = writes_left

    def end(self) -> None:
        self._writes_left = None


async def go_through(path: Path, trouble: Trouble, writes_left: int) -> None:
    done: set[int] = set()
    numbers = iter(range(1_000))

    async def transact(engine: Engine) -> None:
        number = next(numbers)
        await store.transact(engine, number)
        done.add(number)

    with disk(trouble.before), Engine(path, housekeeping_seconds=None) as engine:
        await store.create(engine)
        for _ in range(5):
            await transact(engine)
        trouble.begin(writes_left)
        refused = 0
        for _ in range(6):
            try:
                await transact(engine)
            except InternalServerError:
                refused += 1
            assert done <= await store.committed(engine), "reads go on, and see what was acknowledged"
        assert refused, "the trouble was felt"
        trouble.end()
        for _ in range(5):
            await transact(engine)
        assert done <= await store.committed(engine)
    assert done <= await store.check(path)


@pytest.mark.parametrize("writes_left", range(0, 40, 3))
@pytest.mark.parametrize("error", [apsw.FullError, apsw.ReadOnlyError, apsw.IOError])
async def test_trouble_comes_and_goes(
    tmp_path: Path, error: type[apsw.Error], writes_left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Checkpoints in the middle of it, which write to the file itself.
    monkeypatch.setattr(writer, "CHECKPOINT_PAGES", 10)
    await go_through(tmp_path / "store.db", Trouble(error), writes_left)


async def test_a_lie_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = Writer._commit

    def careless(self: Writer, connection: apsw.Connection, jobs: Any, begun: bool) -> None:
        with contextlib.suppress(apsw.Error):
            commit(self, connection, jobs, begun)

    monkeypatch.setattr(Writer, "_commit", careless)
    with pytest.raises(NOTICED):
        await go_through(tmp_path / "store.db", Trouble(apsw.FullError), 0)


async def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """SQLite's own bound on the file's size stands in for the end of the disk."""
    with Engine(tmp_path / "store.db", housekeeping_seconds=None) as engine:
        await store.create(engine)

        def bound(pages: int) -> Any:
            return lambda transaction: transaction.connection.pragma("max_page_count", pages)

        pages = await engine._writer.run(lambda transaction: transaction.connection.pragma("page_count"))
        await engine._writer.run(bound(pages + 5))
        done: set[int] = set()
        with pytest.raises(InternalServerError, match="The disk is full; nothing was written"):
            await _transact_until_refused(engine, done)
        assert await store.committed(engine) == done
        await engine._writer.run(bound(1_000_000))
        await store.transact(engine, 2_000)
    assert await store.check(tmp_path / "store.db") == done | {2_000}


async def _transact_until_refused(engine: Engine, done: set[int]) -> None:
    for number in range(1_000):
        await store.transact(engine, number)
        done.add(number)
