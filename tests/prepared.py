"""Tables made once for all tests of a process: a store in memory begins with a copy of them.

To make those of a system takes longer than most of what is tried on them: 27 tables of Q. are 112 calls. The copy is
the store that would have been made: of the same designs, by a clock that stood at the same moment, and whose chance
goes on as if it had been asked; by the machine's clock they are some minutes old. Whoever makes tables on any other
store, in bad weather for one, makes them as ever, and so does whoever comes first.
"""

from __future__ import annotations

import atexit
import itertools
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from sekkei.clock import Clock, ManualClock, SystemClock
from sekkei.design import Design
from sekkei.engine.engine import Engine
from sekkei.runtime.deployment import Deployment
from sekkei.runtime.sealing import Sealed
from sekkei.store import Embedded
from tests.calls import WRITING


@dataclass(frozen=True, slots=True)
class Prepared:
    file: apsw.Connection
    names: list[str]
    chance: Any
    """Of the clock, when they were made."""


_make = Deployment.make_tables
_prepared: dict[tuple[Any, ...], Prepared] = {}
_numbers = itertools.count()
_folder = tempfile.TemporaryDirectory(prefix="sekkei-prepared-")
atexit.register(_folder.cleanup)


async def make_tables(self: Deployment, *further: Design) -> list[str]:
    """As `Deployment.make_tables`."""
    engine = _empty(self)
    if engine is None or type(self.clock) not in (ManualClock, SystemClock):
        return await _make(self, *further)
    key = (self.settings.env, *_moment(self.clock), *self._designs(further))
    known = _prepared.get(key)
    if known is None:
        names = await _make(self, *further)
        _prepared[key] = Prepared(_kept(Path(engine.path)), names, _moment(self.clock)[1])
        return names
    target = apsw.Connection(engine.path)
    _copy(known.file, target)
    target.close()
    if isinstance(self.clock, ManualClock):
        self.clock._random.setstate(known.chance)
    return [*known.names]


def _moment(clock: Clock) -> tuple[Any, Any]:
    """Its time and its chance."""
    return (clock.now(), clock._random.getstate()) if isinstance(clock, ManualClock) else (None, None)


def _empty(deployment: Deployment) -> Engine | None:
    """What it runs on, if that is an engine in memory in fair weather, on which nobody has made a table."""
    under = deployment.store.store
    store = under.store if type(under) is Sealed else under
    if type(store) is not Embedded or store.engine._temp_dir is None or store.engine.clock is not deployment.clock:
        return None
    return None if store.engine._catalogue.tables else store.engine


def _kept(path: Path) -> apsw.Connection:
    origin, kept = apsw.Connection(str(path)), apsw.Connection(os.path.join(_folder.name, f"{next(_numbers)}.db"))
    _copy(origin, kept)
    origin.close()
    return kept


def _copy(source: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", source, "main") as backup:
        backup.step()


@pytest.fixture(scope="module", autouse=True)
def tables_are_made_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if not os.environ.get(WRITING):  # what makes them is noted too
            patch.setattr(Deployment, "make_tables", make_tables)
        yield
