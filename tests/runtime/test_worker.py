"""The worker is quiet while nothing happens, and quick when something does."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from sekkei.clock import SYSTEM
from sekkei.design import Change, Reactions
from sekkei.runtime import days, worker
from sekkei.runtime.deployment import Deployment, assemble
from sekkei.runtime.system import Context, Parts, Payload, System
from sekkei.runtime.watched import WRITES
from sekkei.store import Embedded
from sekkei.store.protocol import Store
from sekkei.web.testing import test_settings
from tests.runtime.test_pump import Note, design, notes


class Told:
    """What a system was told of, and when."""

    def __init__(self) -> None:
        self.at: dict[str, float] = {}
        self.something = asyncio.Event()

    def tell(self, what: str) -> None:
        self.at[what] = time.monotonic()
        self.something.set()

    async def of(self, what: str) -> float:
        async with asyncio.timeout(60):
            while what not in self.at:
                self.something.clear()
                await self.something.wait()
        return self.at[what]


@asynccontextmanager
async def working(store: Store, told: Told, name: str = "quiet") -> AsyncIterator[Deployment]:
    def build(context: Context) -> Parts:
        reactions = Reactions(design)

        @reactions.on(notes)
        async def changed(change: Change[Note]) -> None:
            told.tell(change.new.text if change.new else "gone")

        async def on_time(payload: Payload) -> None:
            told.tell("on time")

        return Parts(reactions=[reactions], scheduled={"on-time": on_time})

    async def no_demo(context: Context, parts: Parts) -> None: ...

    words = {"ja": "", "en": ""}
    system = System(name=name, title=words, about=words, design=design, build=build, demo=no_demo)
    deployment = assemble([system], store, test_settings(), SYSTEM)
    await deployment.make_tables()
    await deployment.worker.start()
    try:
        yield deployment
    finally:
        await deployment.worker.stop()


@pytest.fixture
def never_looks_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for pause in ("QUICK_SECONDS", "IDLE_SECONDS", "SURE_SECONDS"):
        monkeypatch.setattr(worker, pause, 3600.0)


@pytest.mark.usefixtures("never_looks_by_itself")
async def test_a_reaction_comes_at_once_after_a_write_of_this_process(tmp_path: Path) -> None:
    told, store = Told(), Embedded(tmp_path / "a.db")
    async with working(store, told) as deployment:
        db = deployment.systems["quiet"].context.db
        for text in ("first", "second"):
            await db.write(notes.put(Note(id="1", text=text)))
            await told.of(text)
    await store.close()


async def test_a_reaction_comes_within_two_seconds_of_another_process(tmp_path: Path) -> None:
    """Here without a bound: how long a look takes depends on the machine."""
    assert worker.QUICK_SECONDS < worker.IDLE_SECONDS < 2
    told, store, other = Told(), Embedded(tmp_path / "a.db"), Embedded(tmp_path / "a.db")
    async with working(store, told):
        await design.open(other, env="test").write(notes.put(Note(id="1", text="from afar")))
        await told.of("from afar")
    await other.close()
    await store.close()


@pytest.mark.usefixtures("never_looks_by_itself")
async def test_a_schedule_fires_on_time_however_long_it_was_quiet(tmp_path: Path) -> None:
    told, store = Told(), Embedded(tmp_path / "a.db")
    async with working(store, told) as deployment:
        due = time.monotonic() + 1
        at = days.now(SYSTEM) + timedelta(seconds=1)
        await deployment.systems["quiet"].context.schedules.put("one", "on-time", {}, at=at)
        assert await told.of("on time") - due > -0.05
    await store.close()


async def test_idle_means_idle(tmp_path: Path) -> None:
    """At most one call a second for a system, and no writes but the leases'."""
    store = Embedded(tmp_path / "a.db")
    async with working(store, Told()) as deployment:
        for _ in range(10):  # it comes to rest step by step
            before = Counter(deployment.store.calls)
            await asyncio.sleep(5)
            made = Counter(deployment.store.calls) - before
            if made.total() <= 5:
                break
        assert made.total() <= 5, made
        assert sum(count for name, count in made.items() if name in WRITES) <= 1, made
    await store.close()
