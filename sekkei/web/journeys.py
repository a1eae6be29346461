"""Journeys: what a user of a system does, run through HTTP on its demo data, and what each costs, key by key.

    JOURNEYS = Journeys(SYSTEM)

    @JOURNEYS.begin
    async def arrive(me: Traveller) -> None: ...            # signs in, looks up ids; costs nothing

    @JOURNEYS.journey
    async def opens_the_board(me: Traveller) -> None:
        \"\"\"Open the team's board.\"\"\"
        await me.get(f"/tasks/teams/{me.memory['team']}")

What follows from it counts too: the streams, schedules and messages that are due afterwards.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.routing import Match, Mount, Route

from sekkei.advice.metering import Journal, Travelled
from sekkei.clock import ManualClock
from sekkei.design import Design
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.design import table as runtime_table
from sekkei.runtime.system import System
from sekkei.store import Embedded
from sekkei.web.identity.design import design as identity_design
from sekkei.web.testing import Client, Reply, opened, test_settings

ENV = "test"
START = 1_794_700_800.0
"""2026-11-15, midnight (UTC)."""
_SETTLES_SECONDS = 630
_AFTERWARDS_SECONDS = 4.0


@dataclass
class Traveller:
    """Somebody on a journey: a browser, what they remember, and the requests they made."""

    client: Client
    clock: ManualClock
    memory: dict[str, Any] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    async def get(self, path: str) -> Reply:
        return self._noted("GET", path, await self.client.get(path))

    async def post(self, path: str, form: dict[str, Any] | None = None) -> Reply:
        return self._noted("POST", path, await self.client.post(path, form, token=self.memory["token"]))

    async def json(self, method: str, path: str, body: Any = None) -> Reply:
        token = self.memory.get("token")
        return self._noted(method, path, await self.client.json(method, path, body, token=token))

    async def send(self, path: str, body: bytes, headers: dict[str, str]) -> Reply:
        """As another program does, with a signature of its own."""
        return self._noted("POST", path, await self.client.request("POST", path, body, headers))

    async def sign_in(self, person: str) -> None:
        """As somebody of the demo data; the token for what they send is kept."""
        await self.client.sign_in(person)
        self.memory["token"] = await self.client.token()

    def _noted(self, method: str, path: str, reply: Reply) -> Reply:
        if reply.status >= 400:
            raise JourneyFailed(f"{method} {path} was answered {reply.status}: {reply.text[:200]}")
        self.requests.append(f"{method} {_route(self.client.app.routes, method, path.partition('?')[0])}")
        return reply


class JourneyFailed(RuntimeError):
    """A step of a journey was refused, so its figures would say nothing."""


Step = Callable[[Traveller], Awaitable[None]]


class Journeys:
    """What people do with one system. `leave_out` names tables that stand in for somebody else's service."""

    def __init__(self, system: System, *, leave_out: Sequence[str] = ()) -> None:
        self.system, self.leave_out = system, leave_out
        self.steps: dict[str, Step] = {}
        self._begin: Step | None = None

    def begin(self, step: Step) -> Step:
        self._begin = step
        return step

    def journey(self, step: Step) -> Step:
        self.steps[getattr(step, "__name__", "")] = step
        return step

    async def run(self) -> dict[str, Travelled]:
        """Every journey once, one after the other, on one store."""
        found: dict[str, Travelled] = {}
        async with self._opened() as (me, journal):
            for name, step in self.steps.items():
                journal.clear()
                me.requests.clear()
                await step(me)
                for _ in range(2):  # some of what follows waits for a few seconds
                    await me.client.work()
                    me.clock.advance(_AFTERWARDS_SECONDS)
                await me.client.work()
                _forget_looking(journal)
                about = (step.__doc__ or name).strip().splitlines()[0]
                found[name] = Travelled.of(about, dict.fromkeys(me.requests), journal)
        return found

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[tuple[Traveller, Journal]]:
        clock = ManualClock(START)
        designs: list[tuple[Design, str]] = [
            (each, ENV) for each in (self.system.design, runtime_design, identity_design)
        ]
        journal = Journal(Embedded(clock=clock), designs, clock, leave_out=self.leave_out)
        settings = test_settings()
        try:
            async with opened(self.system, store=journal, clock=clock, settings=settings, demo=True) as client:
                me = Traveller(client, clock)
                if self._begin is not None:
                    await self._begin(me)
                for _ in range(3):  # what the demo data set going comes to rest
                    await client.work()
                    clock.advance(_SETTLES_SECONDS / 3)
                await client.work()
                yield me, journal
        finally:
            await journal.close()


def _forget_looking(journal: Journal) -> None:
    """What a worker asks to see whether there is anything to do comes by the minute, however many users there are."""
    for (place, key), charge in list(journal.charges.items()):
        if key.startswith("CHECKPOINT#"):
            del journal.charges[place, key]
        elif place == f"{runtime_table.name}.due":
            charge.read = 0.0


def _route(routes: Any, method: str, path: str, prefix: str = "") -> str:
    """The path of the route that answers: `/tasks/teams/{team_id}`."""
    for route in routes:
        if isinstance(route, Mount) and path.startswith(f"{route.path}/"):
            return _route(route.routes, method, path.removeprefix(route.path), prefix + route.path)
        if isinstance(route, Route):
            match, _ = route.matches({"type": "http", "method": method, "path": path, "root_path": ""})
            if match is Match.FULL:
                return prefix + route.path
    return prefix + path
