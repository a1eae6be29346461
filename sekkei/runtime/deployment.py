"""Several systems opened together on one store: what each is given, what each gives back, and the worker for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING

from sekkei.clock import Clock
from sekkei.design import Database, Design, tables
from sekkei.kit.zones import zone_of
from sekkei.runtime import upkeep
from sekkei.runtime.alarms import Alarms
from sekkei.runtime.data_subjects import leaving_jobs
from sekkei.runtime.dead_letters import DeadLetters
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.design import table as runtime_table
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.live import Live
from sekkei.runtime.outbox import Outbox, Transport
from sekkei.runtime.retention import Kept
from sekkei.runtime.schedules import StoredSchedules
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.wakeups import Watched, watched
from sekkei.runtime.worker import Running, Worker, worker_name
from sekkei.store.protocol import Store

if TYPE_CHECKING:
    from sekkei.runtime.sealing import Sealed

SEALED = ("body", "payload", "record", "answer")
"""Of the runtime's rows: what messages say, what schedules and jobs are given, stream records that were set aside."""


@dataclass(frozen=True, slots=True)
class Opened:
    """One system on the store."""

    system: System
    context: Context
    parts: Parts
    running: Running


@dataclass(frozen=True, slots=True)
class Deployment:
    """All of them, in the order given. The tables have yet to be made and the worker to be started."""

    store: Watched
    runtime: Database
    clock: Clock
    settings: Settings
    live: Live
    systems: Mapping[str, Opened]
    worker: Worker

    def zone(self, system: str) -> tzinfo:
        """Whose time counts for a system; for all others that of the first one."""
        opened = self.systems.get(system) or next(iter(self.systems.values()), None)
        return UTC if opened is None else zone_of(opened.system.zone)

    @property
    def dead_letters(self) -> DeadLetters:
        """What was given up, to be tried again or dropped."""
        pumps = (pump for opened in self.systems.values() for pump in opened.running.pumps)
        return DeadLetters(self.runtime, self.clock, pumps)

    def open(self, design: Design) -> Database:
        """A further design on the same store; cursors stay good as long as the secret does."""
        return _open(design, self.store, self.settings, self.clock)

    async def make_tables(self, *further: Design) -> list[str]:
        """Make the tables that are missing, those of further designs too; returns their names."""
        made: list[str] = []
        for design in self._designs(further):
            made += await tables.create(self.store, design, self.settings.env, self.clock)
        return made

    async def change_tables(self, *further: Design) -> list[tables.Step]:
        """Bring tables of an earlier version up to the designs where nothing is lost by it; returns what was done."""
        done: list[tables.Step] = []
        for design in self._designs(further):
            done += (await tables.apply(self.store, design, self.settings.env, clock=self.clock))[0]
        return done

    def table_names(self, *further: Design) -> set[str]:
        """Of all tables that belong here."""
        env = self.settings.env
        return {design.table_name(table, env) for design in self._designs(further) for table in design.tables.values()}

    def _designs(self, further: Sequence[Design]) -> Sequence[Design]:
        return [runtime_design, *further, *(opened.system.design for opened in self.systems.values())]


def assemble(
    systems: Sequence[System],
    store: Store,
    settings: Settings,
    clock: Clock,
    *,
    transports: Mapping[str, Transport] | None = None,
    process: str | None = None,
) -> Deployment:
    """Open and build every system. Nothing is asked of the store yet. `process` names this one among others."""
    store = sealed(store, settings)
    runtime = _open(runtime_design, store, settings, clock)
    live = Live()
    name = process or worker_name()
    alarms = Alarms(runtime, clock, settings.get("alarm_to"), settings.public_url)
    opened = {system.name: _build(system, store, runtime, settings, clock, live, name) for system in systems}
    running = [_own(runtime, clock, name), *(each.running for each in opened.values())]
    worker = Worker(store, runtime, clock, running, transports or {}, name, alarms)
    return Deployment(store, runtime, clock, settings, live, opened, worker)


def sealed(store: Store, settings: Settings) -> Watched:
    """The store with what it holds of messages and jobs sealed, watched; one that is both already stays as it is."""
    return store if isinstance(store, Watched) else watched(sealing(store, settings))


def sealing(store: Store, settings: Settings) -> Sealed:
    from sekkei.runtime.sealing import Sealed

    table = runtime_design.table_name(runtime_table, settings.env)
    return Sealed(store, table, SEALED, *settings.secrets.keys("message bodies"))


def _open(design: Design, store: Store, settings: Settings, clock: Clock) -> Database:
    return design.open(store, env=settings.env, secret=settings.secrets.key("cursors"), clock=clock)


def _own(runtime: Database, clock: Clock, worker: str) -> Running:
    """The runtime's own jobs, done like any system's."""
    name = upkeep.NAME
    schedules, jobs = StoredSchedules(runtime, clock, name, worker), Jobs(runtime, clock, name, worker)
    return Running(name, runtime, upkeep.Upkeep(runtime, clock).parts(), jobs, schedules)


def _build(
    system: System, store: Store, runtime: Database, settings: Settings, clock: Clock, live: Live, worker: str
) -> Opened:
    db = _open(system.design, store, settings, clock)
    schedules = StoredSchedules(runtime, clock, system.name, worker, zone_of(system.zone))
    jobs = Jobs(runtime, clock, system.name, worker)
    context = Context(
        system=system.name,
        store=store,
        db=db,
        runtime=runtime,
        clock=clock,
        settings=settings,
        outbox=Outbox(runtime, clock, system.name, Kept(settings.get("sent_days"))),
        schedules=schedules,
        jobs=jobs,
        idempotency=Idempotency(runtime, clock),
        live=live,
    )
    parts = _with_leaving(system.build(context), context)
    return Opened(system, context, parts, Running(system.name, db, parts, jobs, schedules))


def _with_leaving(parts: Parts, context: Context) -> Parts:
    if parts.personal is None:
        return parts
    personal = parts.personal
    jobs = leaving_jobs(context.system, personal.leaving, context.runtime, context.clock, personal.late)
    return replace(parts, jobs={**parts.jobs, **jobs})
