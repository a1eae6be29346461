"""Memory that runs out, at any moment: an error of the right type, nothing acknowledged lost, and the store goes on.

SQLite is refused memory by a bound on its heap, which grows a little from attempt to attempt, so that every allocation
is once the one that fails; Python at the Nth item that is made into bytes or out of them. Seen to fail with a writer
that acknowledges although its commit has failed (`test_an_ignored_failure_is_noticed`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import orjson
import pytest

from sekkei.engine import Engine
from sekkei.engine.storage import snapshot, transaction
from sekkei.engine.storage.writer import Writer
from sekkei.errors import InternalServerError
from tests.torture import amounts, store
from tests.torture.plants import NOTICED

Shortage = Callable[[int], contextlib.AbstractContextManager[None]]


@contextmanager
def of_sqlite(attempt: int) -> Iterator[None]:
    """A bound some bytes above what is used now, of which there are caches to give back first."""
    apsw.hard_heap_limit(apsw.memory_used() + attempt * 512)
    try:
        yield
    finally:
        apsw.hard_heap_limit(0)


@contextmanager
def of_python(attempt: int) -> Iterator[None]:
    left = attempt

    def scarce(make: Callable[..., Any]) -> Callable[..., Any]:
        def made(*arguments: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise MemoryError("planted")
            return make(*arguments)

        return made

    class Scarce:
        dumps, loads = staticmethod(scarce(orjson.dumps)), staticmethod(scarce(orjson.loads))

    with pytest.MonkeyPatch.context() as patch:
        for module in (snapshot, transaction):
            patch.setattr(module, "orjson", Scarce)
        yield


async def run_short(path: Path, shortage: Shortage, attempts: range) -> int:
    """Transactions while memory is short; gives how many failed. What was acknowledged is there at the end."""
    done: set[int] = set()
    failed = 0
    with Engine(path, housekeeping_seconds=None) as engine:
        await store.create(engine)
        for attempt in attempts:
            with shortage(attempt):
                try:
                    await store.transact(engine, attempt)
                    done.add(attempt)
                except InternalServerError:
                    failed += 1
            await store.transact(engine, 100_000 + attempt)
            done.add(100_000 + attempt)
            assert done <= await store.committed(engine)
    assert done <= await store.check(path)
    return failed


@pytest.mark.parametrize("shortage", [of_sqlite, of_python])
async def test_memory_runs_out_here_and_there(tmp_path: Path, shortage: Shortage) -> None:
    assert await run_short(tmp_path / "store.db", shortage, range(0, 60, 3)) > 0


@pytest.mark.parametrize("shortage", [of_sqlite, of_python])
async def test_an_ignored_failure_is_noticed(
    tmp_path: Path, shortage: Shortage, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Writer._commit

    def careless(self: Writer, connection: apsw.Connection, jobs: Any, begun: bool) -> None:
        with contextlib.suppress(apsw.Error, MemoryError):
            commit(self, connection, jobs, begun)

    monkeypatch.setattr(Writer, "_commit", careless)
    with pytest.raises(NOTICED):
        await run_short(tmp_path / "store.db", shortage, range(200))


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("shortage", [of_sqlite, of_python])
async def test_memory_runs_out_everywhere(tmp_path: Path, shortage: Shortage) -> None:
    await run_short(tmp_path / "store.db", shortage, range(amounts.SHORTAGES))
