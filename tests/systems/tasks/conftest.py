"""The system on every kind of store: embedded, in bad weather, and on an implementation that is not ours."""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.deployment import Deployment, Opened, assemble
from sekkei.runtime.settings import Secrets, Settings
from sekkei.store import Store
from sekkei.web.testing import Client, opened
from sekkei_systems.tasks.design import Role, Team
from sekkei_systems.tasks.jobs import TaskJobs
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.access import Admin, Member
from sekkei_systems.tasks.service.people import Visitor
from sekkei_systems.tasks.system import SYSTEM
from tests.browser import browser, serve, shots
from tests.systems.conftest import LATEST_INDEX_SECONDS, retries

__all__ = ["browser", "serve", "shots"]

NOON = 1_762_398_000.0  # 2025-11-06 12:00 in Japan
SETTLING_ROUNDS = 18
"""A schedule starts a job of several steps, and each is seen only when the index shows it."""
PURGING_ROUNDS = 40
"""What belonged to a task that is gone has a step for each kind."""
ROUNDS_AT_ONCE = 6
"""Where every index shows at once what was written: nothing waits for the next round that is due now."""


@pytest.fixture(autouse=True)
def names_are_looked_up_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for somebody's name server."""

    async def resolve(host: str, port: int) -> list[str]:
        try:
            return [str(ipaddress.ip_address(host))]
        except ValueError:
            raise OSError("nobody is asked") from None

    monkeypatch.setattr("sekkei_systems.tasks.service.hooks.resolved", resolve)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@dataclass(frozen=True, slots=True)
class World:
    """The system, opened, with its worker standing still until told to work."""

    deployment: Deployment
    opened: Opened
    clock: ManualClock
    service: Service
    jobs: TaskJobs

    async def arrive(self, *names: str) -> None:
        for name in names:
            await self.service.people.arrive(Visitor(name, f"{name}@example.com", name.title()))

    async def settle(self, rounds: int = SETTLING_ROUNDS) -> None:
        """Indexes catch up, and everything that waits is done."""
        at_once = 1 if retries(self.opened.context.store) else ROUNDS_AT_ONCE
        for _ in range(0, rounds, at_once):
            self.clock.advance(at_once * (LATEST_INDEX_SECONDS + 1))
            await self.deployment.worker.run_until_idle()
        self.clock.advance(LATEST_INDEX_SECONDS + 1)

    async def team(self, *members: str, admin: str = "aoi") -> Team:
        """A team with its admin and members, who accepted their invitations."""
        await self.arrive(admin, *members)
        team = await self.service.teams.create(admin, "開発チーム")
        for name in members:
            await self.join(team.team_id, name)
        return team

    async def member(self, name: str, team_id: str) -> Member:
        return await self.service.access.member(name, team_id)

    async def admin(self, name: str, team_id: str) -> Admin:
        return await self.service.access.admin(name, team_id)

    async def join(self, team_id: str, name: str, role: Role = Role.MEMBER, admin: str = "aoi") -> Member:
        invitations = self.service.invitations
        made = await invitations.invite(await self.admin(admin, team_id), f"{name}@example.com", role)
        visitor = Visitor(name, f"{name}@example.com", name.title())
        await invitations.accept(visitor, team_id, made.invite_id, invitations.token_of(made))
        return await self.member(name, team_id)


@pytest.fixture
async def world(store: Store, clock: ManualClock) -> World:
    settings = Settings(secrets=Secrets(b"a secret of the tests"), public_url="https://tasks.example")
    deployment = assemble([SYSTEM], store, settings, clock)
    await deployment.make_tables()
    opened = deployment.systems["tasks"]
    context = opened.context
    service: Service = opened.parts.service
    jobs = TaskJobs(context.db, clock, context.jobs, service.digest, service.imports)
    return World(deployment, opened, clock, service, jobs)


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """The system behind HTTP, with somebody signed in."""
    async with opened(SYSTEM) as found:
        await found.sign_in("demo-aoi")
        yield found
