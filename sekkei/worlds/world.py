"""One run of a script: processes that are killed and started, a network that loses things, people who act."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sekkei.runtime.settings import Secrets, Settings
from sekkei.store import Retrying
from sekkei.web import application
from sekkei.web.identity.accounts import Passwords
from sekkei.web.testing import QUICK_PASSWORDS, Client, Reply
from sekkei.worlds.chance import ASKER, Asker, Dice, dice_of
from sekkei.worlds.clock import WorldClock
from sekkei.worlds.loop import LIFE, Life, VirtualLoop
from sekkei.worlds.outside import Outside
from sekkei.worlds.script import Invariant, Operation, Script
from sekkei.worlds.seam import Network, Seam, Truth

T = TypeVar("T")
REQUEST_SECONDS = 30.0
PAUSE_SECONDS = 6.0
SKEW_SECONDS = 1.5


class Broken(AssertionError):
    """An invariant does not hold; `name` says which."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.name = name


class Gone(ConnectionError):
    """The process that was asked has died, or does not answer."""


@dataclass(frozen=True, slots=True)
class Faults:
    """What can go wrong in a seed; a random part of it does."""

    lost_requests: float = 0.03
    lost_answers: float = 0.03
    crashes: int = 3
    outside: float = 0.1
    skew_seconds: float = SKEW_SECONDS

    def some(self, dice: Dice) -> Faults:
        """Swarm testing: each seed has some of the faults, seldom all."""
        return Faults(
            self.lost_requests if dice.chance(0.5) else 0.0,
            self.lost_answers if dice.chance(0.5) else 0.0,
            dice.randint(0, self.crashes),
            self.outside if dice.chance(0.5) else 0.0,
            self.skew_seconds if dice.chance(0.5) else 0.0,
        )


CALM = Faults(0.0, 0.0, 0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the story."""

    at: float
    who: str
    what: str
    key: str = ""
    """Names an operation, so that it can be left out."""


@dataclass(eq=False)
class Process:
    """One process of the deployment, until it is killed."""

    name: str
    life: Life
    context: Context
    app: Any
    clock: WorldClock


@dataclass(eq=False)
class Person:
    """Somebody with a browser. `dice` belong to the operation that is under way."""

    world: World
    name: str
    role: str
    client: Client
    dice: Dice
    asker: Asker
    memory: dict[str, Any] = field(default_factory=dict)

    _token: str | None = None

    async def get(self, path: str) -> Reply:
        return await self._ask(lambda: self.client.get(path))

    async def post(self, path: str, form: Mapping[str, Any] | None = None) -> Reply:
        token = await self._csrf()
        return await self._ask(lambda: self.client.post(path, form, token=token))

    async def json(
        self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None
    ) -> Reply:
        token = await self._csrf()
        return await self._ask(lambda: self.client.json(method, path, body, headers=headers, token=token))

    async def _csrf(self) -> str:
        """The token of their session, taken from a page once."""
        if self._token is None:
            self._token = await self._ask(self.client.token)
        return self._token

    async def sign_in(self, email: str) -> None:
        await self._ask(lambda: self.client.sign_in_by_email(email, self.name))
        self._token = None

    async def _ask(self, request: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Of some process that lives; Gone when it dies over it. An error of ours breaks the world."""
        process = self.world.some_process(self.dice)
        self.client.app = process.app
        context = process.context.copy()
        context.run(ASKER.set, self.asker)
        task = asyncio.get_running_loop().create_task(request(), context=context)
        done, _ = await asyncio.wait({task}, timeout=REQUEST_SECONDS)
        if not done:
            raise Gone(f"{process.name} does not answer")
        self.world.raise_if_broken()
        reply = task.result()
        if isinstance(reply, Reply) and reply.status == 500:
            raise Broken("no_errors_of_ours", f"{self.name} got 500: {reply.text[:300]}")
        return reply


class World:
    """Everything of one seed."""

    def __init__(self, script: Script, seed: int, loop: VirtualLoop, faults: Faults, skip: frozenset[str]) -> None:
        self.script, self.seed, self.loop, self.faults, self.skip = script, seed, loop, faults, skip
        self.dice = dice_of(seed, "world")
        self.truth = Truth(WorldClock(loop, dice_of(seed, "store")), seed)
        self.outside = {kind: Outside(kind, seed) for kind in script.outside}
        self.processes: list[Process] = []
        self.people: list[Person] = []
        self.story: list[Event] = []
        self.broken: Broken | None = None
        self._started = 0
        self._dead: list[Process] = []

    # Looking

    def tell(self, who: str, what: str, key: str = "") -> None:
        self.story.append(Event(self.loop.time(), who, what, key))

    def items(self, table: str) -> list[dict[str, Any]]:
        """All items of a table of the script's systems (by its name in the design), as they are now."""
        for system in self.script.systems:
            if table in system.design.tables:
                return self.truth.items(system.design.table_name(system.design.tables[table], "world"))
        return self.truth.items(table)

    def decoded(self, table: str) -> list[Any]:
        """The same as models."""
        found = next(s.design.tables[table] for s in self.script.systems if table in s.design.tables)
        return [found.decode(item) for item in self.items(table)]

    def some_process(self, dice: Dice) -> Process:
        if not self.processes:
            raise Gone("no process is there")
        return dice.choice(self.processes)

    def digest(self) -> str:
        """Of the story and of everything that is stored; equal for equal seeds."""
        tables = self.truth.now("ListTables", {})["TableNames"]
        stored = {name: sorted(json.dumps(i, sort_keys=True) for i in self.truth.items(name)) for name in tables}
        story = [(round(each.at, 6), each.who, each.what) for each in self.story]
        return hashlib.sha256(json.dumps([story, stored], sort_keys=True).encode()).hexdigest()[:16]

    # Running

    async def play(self) -> None:
        """Begin, act under faults, settle, look."""
        self.truth.network = Network()
        await self._start_processes()
        await self._begin()
        self.truth.after_write.append(lambda operation, request: self._look())
        self._let_faults_in()
        acting = [asyncio.ensure_future(self._act(person)) for person in self.people]
        acting.append(asyncio.ensure_future(self._crash_now_and_then()))
        await self._until_done(acting)
        self._calm()
        await self._start_processes()
        await self._settle()
        self._look()
        self._look(self.script.at_the_end)
        self.raise_if_broken()

    async def _start_processes(self) -> None:
        while len(self.processes) < self.script.processes:
            await self._start()

    async def _start(self) -> None:
        self._started += 1
        name = f"process {self._started}"
        life = Life(name)
        context = copy_context()
        context.run(LIFE.set, life)
        skew = (dice_of(self.seed, name).random() * 2 - 1) * self.faults.skew_seconds
        clock = WorldClock(self.loop, dice_of(self.seed, name, "clock"), skew)
        store = Retrying(Seam(self.truth, name), clock=clock)
        settings = Settings(
            data=Path("world"),
            env="world",
            demo=False,
            secrets=Secrets(b"one secret for one world"),
            values={"rate_limit": "off", "live": "off", **self.script.settings},
        )
        passwords = Passwords(QUICK_PASSWORDS)
        app = application(
            self.script.systems, store, settings, clock, loopback=True, transports=self.outside, passwords=passwords
        )
        process = Process(name, life, context, app, clock)
        task = self.loop.create_task(_start_up(app), context=context)
        await asyncio.wait({task}, timeout=REQUEST_SECONDS * 4)
        if task.done() and task.exception() is None:
            self.processes.append(process)
            self.tell("world", f"{name} starts")
        else:
            life.dead = True

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
                await role.begin(person)

    def _let_faults_in(self) -> None:
        faults = self.faults
        self.truth.network = Network(0.05, faults.lost_requests, faults.lost_answers)
        for service in self.outside.values():
            service.slow = service.hang = service.fail = service.lost = faults.outside

    def _calm(self) -> None:
        self.tell("world", "faults stop")
        self.truth.network = Network()
        for service in self.outside.values():
            service.calm()

    async def _act(self, person: Person) -> None:
        operations = [each for each in self.script.operations if each.role == person.role]
        number = 0
        while operations:
            number += 1
            key = f"{person.name}#{number}"
            dice = person.dice = dice_of(self.seed, key)
            person.asker = Asker(key)
            await asyncio.sleep(dice.seconds(PAUSE_SECONDS))
            if self.loop.time() > self.script.seconds:
                return
            chosen = _weighted(operations, dice)
            if key not in self.skip:
                await self._perform(person, chosen, key)

    async def _perform(self, person: Person, operation: Operation, key: str) -> None:
        try:
            said = await operation.deed(person)
        except Gone as error:
            said = f"{operation.name.replace('_', ' ')}, in vain: {error}"
        if said:
            self.tell(person.name, said, key)

    async def _crash_now_and_then(self) -> None:
        for number in range(self.faults.crashes):
            key = f"crash#{number}"
            dice = dice_of(self.seed, key)
            await asyncio.sleep(dice.random() * self.script.seconds / max(1, self.faults.crashes))
            if self.loop.time() > self.script.seconds or not self.processes or key in self.skip:
                continue
            self.kill(dice.choice(self.processes))
            await asyncio.sleep(dice.random() * 5)
            await self._start()

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

    def _look(self, invariants: Sequence[Invariant] | None = None) -> None:
        """Note the first invariant that does not hold. Whoever just wrote goes on: they could not know."""
        for invariant in self.script.on_commit if invariants is None else invariants:
            if self.broken is None:
                try:
                    invariant(self)
                except AssertionError as error:
                    self.broken = Broken(invariant.__name__, str(error).split("\n")[0])

    def raise_if_broken(self) -> None:
        if self.broken is not None:
            raise self.broken

    def close(self) -> None:
        for process in (*self.processes, *self._dead):
            process.life.dead = True
        self.truth.close()


async def _start_up(app: Any) -> None:
    shell = app.state.shell
    await shell.prepare()
    await shell.deployment.worker.start()


def _weighted(operations: Sequence[Operation], dice: Dice) -> Operation:
    return dice.choices(operations, [each.weight for each in operations])[0]
