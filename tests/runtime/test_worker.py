"""The worker is quiet while nothing happens, and quick when something does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from sekkei.clock import SYSTEM, Clock, ManualClock
from sekkei.design import Change, Reactions
from sekkei.runtime import days, worker
from sekkei.runtime.deployment import Deployment, assemble
from sekkei.runtime.design import schedules
from sekkei.runtime.jobs import Job, Progress
from sekkei.runtime.system import Context, Parts, Payload, System
from sekkei.runtime.wakeups import WRITES
from sekkei.runtime.worker import Worker
from sekkei.store import Embedded
from sekkei.store.protocol import Store
from sekkei.web.testing import test_settings
from sekkei.worlds.seam import Driven
from tests.runtime.test_pump import Note, design, notes
from tests.scripted_store import ScriptedStore
from tests.virtual_time import running_clock

LONG_SECONDS = 60.0


class Told:
    """What a system was told of, and when."""

    def __init__(self) -> None:
        self.at: dict[str, float] = {}
        self.something = asyncio.Event()

    def tell(self, what: str) -> None:
        self.at[what] = asyncio.get_running_loop().time()
        self.something.set()

    async def of(self, what: str, within: float) -> float:
        async with asyncio.timeout(within):
            while what not in self.at:
                self.something.clear()
                await self.something.wait()
        return self.at[what]


@asynccontextmanager
async def working(
    store: Store, told: Told, name: str = "quiet", clock: Clock = SYSTEM, *, start: bool = True
) -> AsyncIterator[Deployment]:
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
    deployment = assemble([system], store, test_settings(), clock)
    await deployment.make_tables()
    if start:
        await deployment.worker.start()
    try:
        yield deployment
    finally:
        await deployment.worker.stop()


async def kept(store: Store, clock: Clock, cron: str = "5 0 * * *") -> Deployment:
    """A system with something that recurs, and something that a store needs once."""

    def build(context: Context) -> Parts:
        async def nightly(payload: Payload) -> None: ...

        async def renew(payload: Payload, cursor: str | None) -> Progress:
            return Progress(1, None)

        jobs = {"renew": Job([("renew", renew)])}
        return Parts(scheduled={"nightly": nightly}, recurring={"nightly": cron}, jobs=jobs, once=["renew"])

    async def no_demo(context: Context, parts: Parts) -> None: ...

    words = {"ja": "", "en": ""}
    system = System(name="kept", title=words, about=words, design=design, build=build, demo=no_demo)
    deployment = assemble([system], store, test_settings(), clock)
    await deployment.make_tables()
    return deployment


async def test_what_a_store_needs_once_does_not_recur(clock: ManualClock) -> None:
    """A worker without what recurs still brings an earlier version's rows up to date."""
    store = Embedded(clock=clock)
    deployment = await kept(store, clock)
    await deployment.worker.start(recurring=False)
    await deployment.worker.stop()
    running = deployment.systems["kept"].running
    assert await running.jobs.get(worker.once_id("kept", "renew")) is not None
    assert await deployment.runtime.all(schedules.scan().consistent()) == []
    await store.close()


async def test_one_question_tells_whether_everything_stands(clock: ManualClock) -> None:
    """Whoever is called once a minute asks that once a minute."""
    store = Embedded(clock=clock)
    deployment = await kept(store, clock)
    await deployment.worker.tick(0)
    before = Counter(deployment.store.calls)
    await deployment.worker.tick(0)
    asked = Counter(deployment.store.calls) - before
    assert asked["BatchGetItem"] == 1
    assert not asked.keys() & {"GetItem", *WRITES}, asked
    await store.close()


async def test_a_version_with_other_times_moves_what_recurs(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    await (await kept(store, clock)).worker.tick(0)
    await (await kept(store, clock, "15 0 * * *")).worker.tick(0)
    rows = await (await kept(store, clock)).runtime.all(schedules.scan().consistent())
    nightly = {one.name: one for one in rows}["kept/nightly"]
    assert nightly.cron == "15 0 * * *"
    assert nightly.due_at is not None
    assert nightly.due_at.minute == 15
    await store.close()


NEVER = 1_000_000.0
PAUSES = ("QUICK_SECONDS", "IDLE_SECONDS", "PATIENT_SECONDS", "SURE_SECONDS")


async def test_a_reaction_comes_of_a_write_of_this_process_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody looks before a month is over, so it is the write that wakes the worker."""
    for name in PAUSES:
        monkeypatch.setattr(worker, name, NEVER)
    told, store = Told(), Embedded(tmp_path / "a.db")
    async with working(store, told) as deployment:
        db = deployment.systems["quiet"].context.db
        for text in ("first", "second", "third"):
            await db.write(notes.put(Note(id="1", text=text)))
            await told.of(text, LONG_SECONDS)
    await store.close()


async def test_a_reaction_comes_of_another_processes_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert worker.IDLE_SECONDS < 2, "within two seconds"
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0.01)
    told, store, other = Told(), Embedded(tmp_path / "a.db"), Embedded(tmp_path / "a.db")
    async with working(store, told):
        await design.open(other, env="test").write(notes.put(Note(id="1", text="from afar")))
        await told.of("from afar", LONG_SECONDS)
    await other.close()
    await store.close()


class Telling(Driven):
    """As a file does, it tells whether something was written."""

    def version(self) -> int:
        return self._store.version()


@pytest.mark.virtual_time
async def test_a_schedule_fires_at_its_time_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PAUSES:
        monkeypatch.setattr(worker, name, NEVER)
    clock = running_clock()
    told, store = Told(), Telling.in_memory(clock)
    async with working(store, told, clock=clock) as deployment:
        due = clock.monotonic() + 20
        at = days.now(clock) + timedelta(seconds=20)
        await deployment.systems["quiet"].context.schedules.put("one", "on-time", {}, at=at)
        assert await told.of("on time", LONG_SECONDS) == pytest.approx(due)
    await store.close()


async def idle_minute(store: Store, monkeypatch: pytest.MonkeyPatch, clock: ManualClock) -> Counter[str]:
    """What every round of the worker asks of the store in a minute in which nothing happens. Pauses take no time."""
    async with working(store, Told(), clock=clock, start=False) as deployment:
        await deployment.worker.tick(60)
        await deployment.worker.run_until_idle()
        before = Counter(deployment.store.calls)
        for each in deployment.worker.rounds():
            stopping, until = deployment.worker._stopping, clock.now() + 60
            stopping.clear()

            async def pause(
                self: Worker, ear: object, seconds: float, until: float = until, stopping: asyncio.Event = stopping
            ) -> bool:
                clock.advance(seconds)
                if clock.now() >= until:
                    stopping.set()
                return False

            monkeypatch.setattr(Worker, "_pause", pause)
            await deployment.worker._forever(each)
        return Counter(deployment.store.calls) - before


async def test_idle_means_idle(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most one call a second for a system, and two writes a minute for a stream: its lease."""
    made = await idle_minute(Embedded(clock=clock), monkeypatch, clock)
    assert made.total() <= 16, made
    assert sum(count for name, count in made.items() if name in WRITES) <= 2, made


async def test_a_store_that_cannot_tell_is_asked_gently(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    made = await idle_minute(ScriptedStore(Embedded(clock=clock)), monkeypatch, clock)
    assert made.total() <= 52, made
    assert sum(count for name, count in made.items() if name in WRITES) <= 2, made
