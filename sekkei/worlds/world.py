"""One run of a script: processes that are killed and started, a network that loses things, people who act."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from sekkei.design.sync_driver import drive
from sekkei.runtime.deployment import sealing
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.design import table as runtime_table
from sekkei.runtime.http import NETWORK
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.wakeups import written
from sekkei.store import Retrying
from sekkei.store.protocol import Request
from sekkei.store.weather.weather import Forecast
from sekkei.web import application
from sekkei.web.identity.accounts import Passwords
from sekkei.web.testing import QUICK_PASSWORDS, Client, Reply
from sekkei.worlds.callbacks import Letter, deliver
from sekkei.worlds.chance import ASKER, Asker, Dice, dice_of
from sekkei.worlds.clock import START, WorldClock
from sekkei.worlds.dry_run import Rehearsal
from sekkei.worlds.errors import Broken, Gone, own_code, told
from sekkei.worlds.fake_services import Internet, Outside, Ways
from sekkei.worlds.faults import Faults
from sekkei.worlds.idle_skip import Listening, Quiet
from sekkei.worlds.loop import LIFE, Life, VirtualLoop
from sekkei.worlds.people import Person
from sekkei.worlds.processes import Process
from sekkei.worlds.replay import AND_ON, Retelling
from sekkei.worlds.script import Invariant, Operation, Script
from sekkei.worlds.seam import STORM, Driven, Network, Seam, Telling, Truth

T = TypeVar("T")
ENV = "world"
_REQUEST_SECONDS = 30.0
_PAUSE_SECONDS = 6.0
_RUSH_SECONDS, _RUSH_PAUSE_SECONDS = 1.5, 0.2


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the story."""

    at: float
    who: str
    what: str
    key: str = ""
    """Names an operation, so that it can be left out."""


class World:
    """Everything of one seed."""

    def __init__(
        self,
        script: Script,
        seed: int,
        loop: VirtualLoop,
        faults: Faults,
        retelling: Retelling,
        errors: Mapping[str, str],
    ) -> None:
        """`errors`: what was logged, by who had asked."""
        self._errors = errors
        self.script, self.seed, self.loop, self.faults, self.retelling = script, seed, loop, faults, retelling
        self.began: dict[str, float] = {}
        """When each operation began, by its key."""
        self.done: set[str] = set()
        """Names of operations that had something to tell."""
        self.lost: list[Event] = []
        self.dice = dice_of(seed, "world")
        self.start = START + self.dice.choice(script.starts)
        self.store_tells = self.dice.chance(0.7)
        self.clock = WorldClock(loop, dice_of(seed, "world's clock"), start=self.start)
        """The true time, which services outside have too."""
        luck = retelling.dice_name(seed)
        self.truth = Truth(
            WorldClock(loop, dice_of(seed, "store"), start=self.start),
            seed,
            STORM if faults.weather else Forecast(),
            luck,
        )
        self.truth.calm()
        self.internet = Internet(luck, copy_context(), tell=self.tell_of_the_network)
        self.truth.tell = self.tell_of_the_network
        self._data = Path(tempfile.gettempdir()) / f"sekkei-world-{id(self)}"
        self._seal = sealing(Seam(self.truth, "world"), self._settings())
        runtime = runtime_design.table_name(runtime_table, ENV)
        rehearsal = Rehearsal(loop, self.truth, self.internet, lambda: self.processes, runtime)
        living = lambda: {each.name for each in self.processes}  # noqa: E731
        self.quiet = Quiet(loop, self.clock, ENV, self.truth.items, living, rehearsal)
        self.truth.lookers.append(self.quiet)
        self.outside = {kind: Outside(kind, seed, self.clock) for kind in script.outside}
        self.given: dict[str, Any] = {}
        """What the script keeps: counterparts, what people have seen."""
        self.processes: list[Process] = []
        self.people: list[Person] = []
        self.story: list[Event] = []
        self.broken: Broken | None = None
        self.faulty = False
        """Faults are about."""
        self._under_way: dict[str, tuple[str, str]] = {}
        """Operations that have not come to their end, each with who is at it and what it is."""
        self._leapt = 0.0
        self._started = 0
        self._dead: list[Process] = []
        self._errands: set[asyncio.Future[None]] = set()
        self._stores: list[Driven] = []

    def store_outside(self) -> Driven:
        """For a service outside that keeps something, as long as the world lasts."""
        self._stores.append(Driven.in_memory(self.clock))
        return self._stores[-1]

    # Looking

    def tell(self, who: str, what: str, key: str = "") -> None:
        self.story.append(Event(self.loop.time(), who, what, key))

    def tell_of_the_network(self, what: str) -> None:
        """Of a call that is under way: for whom it is, if anybody knows."""
        asker = ASKER.get(None)
        self.lost.append(Event(self.loop.time(), "network", f"{what}, for {asker.name}" if asker else what))

    def table_name(self, table: str) -> str:
        """As the store knows it, out of its name in the design of one of the script's systems."""
        for system in self.script.systems:
            if table in system.design.tables:
                return system.design.table_name(system.design.tables[table], ENV)
        return table

    def items(self, table: str) -> list[dict[str, Any]]:
        """All items of a table (by its name in the design), as they are now."""
        return self.truth.items(self.table_name(table))

    def decoded(self, table: str) -> list[Any]:
        """The same as models; not to be changed."""
        found = next((s.design.tables[table] for s in self.script.systems if table in s.design.tables), None)
        if found is None:
            raise LookupError(f"no design of this world has a table {table!r}")
        return self.truth.mirror.decoded(self.table_name(table), found.decode)

    def runtime_items(self) -> list[dict[str, Any]]:
        """Rows of the runtime's own table, with what is sealed in them."""
        return [self._seal.opened(item) for item in self.items("sekkei-runtime")]

    def some_process(self, dice: Dice) -> Process:
        if not self.processes:
            raise Gone("no process is there")
        return dice.choice(self.processes)

    def digest(self) -> str:
        """Of the story and of everything that is stored; equal for equal seeds."""
        tables = self.truth.now("ListTables", {})["TableNames"]
        stored = {name: sorted(json.dumps(i, sort_keys=True) for i in self.truth.items(name)) for name in tables}
        # What is told at one moment may come in another order: versions of Python take other turns to a timeout.
        story = sorted((round(each.at, 6), each.who, each.what) for each in self.story)
        return hashlib.sha256(json.dumps([story, stored], sort_keys=True).encode()).hexdigest()[:16]

    def tell_the_rest(self) -> None:
        """A world that broke has people in the middle of something: it may be what broke it."""
        for key, (who, what) in self._under_way.items():
            self.tell(who, f"{what}, and is not at the end of it", key)

    # Asking a process

    async def asked(self, process: Process, request: Callable[[], Coroutine[Any, Any, T]], asker: Asker) -> T:
        """Gone when it dies over it. An error of ours breaks the world."""
        context = process.context.copy()
        context.run(ASKER.set, asker)
        task = self.loop.create_task(request(), context=context)
        done, _ = await asyncio.wait({task}, timeout=_REQUEST_SECONDS)
        if not done:
            raise Gone(f"{process.name} does not answer")
        self.raise_if_broken()
        reply = task.result()
        if isinstance(reply, Reply) and (reply.status == 500 or (reply.status > 500 and not self.faulty)):
            why = self._errors.get(asker.name, reply.text[:300])
            raise Broken("no_errors_of_ours", f"{asker.name} got {reply.status}: {why}")
        return reply

    async def request(self, method: str, path: str, body: bytes, headers: Mapping[str, str], dice: Dice) -> Reply:
        """Of a program outside, to some process."""
        process = self.some_process(dice)
        client = Client(process.app)
        return await self.asked(
            process, lambda: client.request(method, path, body, dict(headers)), Asker(f"{path}/{dice.random()}")
        )

    def deliver(self, letter: Letter) -> None:
        """Have something told to the system, in its own time."""
        if letter.key not in self.retelling.without:
            self.errand(deliver(self, letter))

    def errand(self, work: Coroutine[Any, Any, None]) -> None:
        """Something that goes on by itself; an assertion that fails in it breaks the world."""
        task = asyncio.ensure_future(_at_errand(work))
        self._errands.add(task)
        task.add_done_callback(self._errand_ended)

    def _errand_ended(self, task: asyncio.Future[None]) -> None:
        self._errands.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Broken):
            self.broken = self.broken or error

    # Running

    async def play(self) -> None:
        """Begin, act under faults, settle, look."""
        for prepare in self.script.before:
            with own_code(prepare.__name__):
                prepare(self)
        await self._start_processes()
        for live in self.script.background:
            self.errand(live(self))
        await self._begin()
        self.truth.after_write.append(self._after_write)
        self._let_faults_in()
        acting = [asyncio.ensure_future(self._act(person)) for person in self.people]
        acting.append(asyncio.ensure_future(self._crash_now_and_then()))
        acting.append(asyncio.ensure_future(self._leap_now_and_then()))
        await self._until_done(acting)
        self._calm()
        await self._start_processes()
        await self._settle()
        for seconds in self.script.rests:
            await self._rest(seconds)
            await self._settle()
        self._look(self.script.on_commit)
        self._look([(each, ()) for each in self.script.at_the_end])
        self.raise_if_broken()

    async def _start_processes(self, count: int | None = None) -> None:
        while len(self.processes) < (count or self.script.processes):
            await self._start()

    async def _start(self) -> None:
        self._started += 1
        name = f"process {self._started}"
        life = Life(name)
        context = copy_context()
        context.run(LIFE.set, life)
        context.run(NETWORK.set, self.internet.exchange)
        skew = (dice_of(self.seed, name).random() * 2 - 1) * self.faults.skew_seconds
        clock = WorldClock(self.loop, dice_of(self.seed, name, "clock"), skew, self.start)
        with own_code(name):
            app = context.run(self._application, name, clock)
        process = Process(name, life, context, app, clock)
        task = self.loop.create_task(process.start_up(first=self._started == 1), context=context)
        await asyncio.wait({task}, timeout=_REQUEST_SECONDS * 4)
        if task.done() and task.exception() is None:
            self.processes.append(process)
            self.tell("world", f"{name} starts")
            return
        life.dead = True
        if not self.faulty:
            error = task.exception() if task.done() else None
            raise Broken(name, f"does not start: {told(error)}" if error else "does not come to the end of its start")

    def _application(self, name: str, clock: WorldClock) -> Any:
        store: Any = (
            Telling(self.truth, name, clock) if self.store_tells else Retrying(Seam(self.truth, name), clock=clock)
        )
        settings = self._settings()
        return application(
            self.script.systems,
            Listening(sealing(store, settings), self.quiet, name),
            settings,
            clock,
            loopback=True,
            transports=self.outside,
            passwords=Passwords(QUICK_PASSWORDS),
            process=name,
        )

    def _settings(self) -> Settings:
        return Settings(
            data=self._data,
            env=ENV,
            demo=False,
            secrets=Secrets(b"one secret for one world"),
            values={"rate_limit": "off", "live": "off", **self.script.settings},
        )

    def kill(self, process: Process) -> None:
        """At this very moment; nothing of it runs any more."""
        process.life.dead = True
        self.processes.remove(process)
        self._dead.append(process)
        self.tell("world", f"{process.name} is killed")

    async def _begin(self) -> None:
        for role in self.script.roles.values():
            for number in range(role.count):
                name = f"{role.name}-{number + 1}"
                client = Client(self.processes[0].app)
                person = Person(self, name, role.name, client, dice_of(self.seed, name, "begin"), Asker(name))
                self.people.append(person)
                with own_code(role.name):
                    await role.begin(person)

    def _let_faults_in(self) -> None:
        faults = self.faults
        self.faulty = True
        self.truth.network = Network(0.05, faults.lost_requests, faults.lost_answers)
        if faults.weather:
            self.truth.weather.forecast = STORM
            self.quiet.lag_seconds = 2 * STORM.index_lag
        some = faults.outside
        self.internet.ways = Ways(some, some / 4, some, some, some / 10)
        for service in self.outside.values():
            service.slow = service.hang = service.fail = service.lost = some

    def _calm(self) -> None:
        self.tell("world", "faults stop")
        self.faulty, self.quiet.since = False, self.loop.time()
        self.truth.calm()
        self.internet.calm()
        for service in self.outside.values():
            service.calm()

    @property
    def _over(self) -> bool:
        return self.loop.time() - self._leapt > self.script.seconds

    async def _act(self, person: Person) -> None:
        operations, rushes, told = self._habits(person.role), self._rushes(), self.retelling
        number = 0
        while operations:
            number += 1
            key = f"{person.name}#{number}"
            dice = person.dice = dice_of(self.seed, key)
            person.asker = Asker(key)
            if told.moments and key in told.without:
                continue
            pause = self._pause(dice, rushes)
            if key in told.moments:
                pause = max(told.moments[key] - self.loop.time(), 0.0)
            await asyncio.sleep(pause)
            if self._over or key + AND_ON in told.without:
                return
            chosen = _weighted(operations, dice)
            if key not in told.without:
                self.began[key] = self.loop.time()
                await self._perform(person, chosen, key)

    def _rushes(self) -> list[float]:
        """When everybody acts at once: at what is to happen by the clock, and in most seeds at some other time."""
        dice = dice_of(self.seed, "rush")
        chosen = [self.loop.time() + dice.random() * self.script.seconds] if dice.chance(0.7) else []
        return [*chosen, *(START + second - self.start for second in self.script.rushes)]

    def _pause(self, dice: Dice, rushes: Sequence[float]) -> float:
        """How long somebody does nothing: until the next rush at most, and hardly at all in it."""
        pause, now = dice.seconds(_PAUSE_SECONDS), self.loop.time()
        for moment in rushes:
            if moment <= now < moment + _RUSH_SECONDS:
                return dice.seconds(_RUSH_PAUSE_SECONDS)
            if now < moment < now + pause:
                return moment - now + dice.seconds(_RUSH_PAUSE_SECONDS)
        return pause

    def _habits(self, role: str) -> list[Operation]:
        """What people of a role do in this seed. In every other seed they do some things often and others never, so
        that what is rare comes together sometimes."""
        usual = [each for each in self.script.operations if each.role == role]
        dice = dice_of(self.seed, "habits", role)
        if dice.chance(0.5):
            return usual
        found = [replace(each, weight=each.weight * dice.choice((0, 1, 1, 4))) for each in usual]
        return [each for each in found if each.weight] or usual

    async def _perform(self, person: Person, operation: Operation, key: str) -> None:
        self._under_way[key] = person.name, operation.name.replace("_", " ")
        try:
            with own_code(operation.name):
                said = await operation.deed(person)
        except Gone as error:
            said = f"{operation.name.replace('_', ' ')}, in vain: {error}"
        del self._under_way[key]
        if said:
            self.done.add(operation.name)
            self.tell(person.name, said, key)

    async def _crash_now_and_then(self) -> None:
        for number in range(self.faults.crashes):
            key = f"crash#{number}"
            dice = dice_of(self.seed, key)
            await asyncio.sleep(dice.random() * self.script.seconds / max(1, self.faults.crashes))
            if self._over or not self.processes or key in self.retelling.without:
                continue
            self.kill(dice.choice(self.processes))
            await asyncio.sleep(dice.random() * 5)
            await self._start()

    async def _leap_now_and_then(self) -> None:
        """Everything is down for a while: what was to happen meanwhile is due all at once."""
        for number in range(self.faults.leaps if self.script.leaps else 0):
            key = f"leap#{number}"
            dice = dice_of(self.seed, key)
            seconds = dice.choice(self.script.leaps)
            await asyncio.sleep(dice.random() * self.script.seconds)
            if self._over or key in self.retelling.without:
                continue
            for process in list(self.processes):
                self.kill(process)
            self._leap(seconds)
            await self._start_processes()

    def _leap(self, seconds: float) -> None:
        self.loop.virtual_seconds += seconds
        self._leapt += seconds
        self.tell("world", f"nothing runs for {seconds / 3600:.1f} hours")
        self.truth.sweep()

    async def _rest(self, seconds: float) -> None:
        """Stop everything in order, let time pass, start again: mostly with one process, since nobody acts any more."""
        for process in list(self.processes):
            task = self.loop.create_task(process.put_down(), context=process.context)
            await asyncio.wait({task}, timeout=_REQUEST_SECONDS)
            process.life.dead = True
            self.processes.remove(process)
            self._dead.append(process)
        self._leap(seconds)
        await self._start_processes(None if dice_of(self.seed, "rest", seconds).chance(0.3) else 1)

    async def _until_done(self, tasks: Sequence[asyncio.Future[None]]) -> None:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
        self.raise_if_broken()

    async def _settle(self) -> None:
        """Let everything that is due be done; the clock goes on meanwhile."""
        until = self.loop.time() + self.script.settle_seconds
        while self.loop.time() < until:
            await asyncio.sleep(self.script.settle_seconds / 10)
            self.truth.sweep()
            self.raise_if_broken()

    # Invariants

    def _after_write(self, operation: str, request: Request) -> None:
        if self.broken is None:
            touched = {table for table, _ in written(operation, request)}
            self._look(self.script.on_commit, touched)

    def _look(self, invariants: Iterable[tuple[Invariant, Sequence[str]]], touched: set[str] | None = None) -> None:
        """Note the first invariant that does not hold. Whoever just wrote goes on: they could not know."""
        for invariant, tables in invariants:
            if touched is not None and tables and touched.isdisjoint(map(self.table_name, tables)):
                continue
            if self.broken is None:
                try:
                    with own_code(invariant.__name__):
                        invariant(self)
                except Broken as error:
                    self.broken = error

    def raise_if_broken(self) -> None:
        if self.broken is not None:
            raise self.broken

    def close(self) -> None:
        for process in (*self.processes, *self._dead):
            process.life.dead = True
        for store in self._stores:
            drive(store.close())
        self.truth.shut()
        shutil.rmtree(self._data, ignore_errors=True)


def _weighted(operations: Sequence[Operation], dice: Dice) -> Operation:
    return dice.choices(operations, [each.weight for each in operations])[0]


async def _at_errand(work: Coroutine[Any, Any, None]) -> None:
    with own_code(getattr(work, "__name__", "errand")):
        await work
