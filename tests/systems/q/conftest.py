"""Q. on every kind of store: embedded, in bad weather, and on an implementation that is not ours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, time
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime.deployment import Deployment, Opened, assemble
from sekkei.runtime.design import Message, newest_jobs, newest_messages
from sekkei.runtime.settings import Secrets, Settings
from sekkei.store import Store
from sekkei.web.identity.design import design as web_design
from sekkei.web.testing import Client, opened
from sekkei_systems import days
from sekkei_systems.q.design.models import (
    AdminAction,
    Answer,
    DailyQuestion,
    DeviceType,
    Question,
    QuestionStatus,
    QuestionType,
    User,
    Visibility,
)
from sekkei_systems.q.design.tables import daily_questions, questions, users
from sekkei_systems.q.jobs import QJobs
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.people import Profile, Visitor
from sekkei_systems.q.system import SYSTEM, wiring_of
from tests.browser import browser, serve, shots, whole_browser
from tests.systems.conftest import LATEST_INDEX_SECONDS, retries
from tests.systems.q.named import ByName

__all__ = ["browser", "serve", "shots", "whole_browser"]

NOON = 1_762_398_000.0  # 2025-11-06 12:00 in Japan
LEASE_SECONDS = 60.0
SETTLING_ROUNDS = 12
FAIR_ROUNDS = 3
"""Where no answer is lost and no index is behind, nothing waits for the next round that is due now."""


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def weather(weather: Mapping[str, float]) -> Mapping[str, float]:
    """More answers are lost: one post is several transactions."""
    return {**weather, "seed": 5, "in_progress": 0.02, "lost_responses": 0.05}


@dataclass(frozen=True, slots=True)
class World:
    """The system, opened, with its worker standing still until told to work."""

    deployment: Deployment
    opened: Opened
    clock: ManualClock
    proven: Service
    """The service as it is, which takes proofs."""

    @property
    def service(self) -> Any:
        """The service by names: `world.service.following.follow("a", "b")`."""
        return ByName(self.proven)

    @property
    def db(self) -> Database:
        return self.opened.context.db

    def pass_time(self, seconds: float = LATEST_INDEX_SECONDS + 1) -> None:
        """Copies and indexes catch up."""
        self.clock.advance(seconds)

    async def settle(self) -> None:
        """Indexes catch up, and everything that waits is done."""
        rounds = SETTLING_ROUNDS if retries(self.opened.context.store) else FAIR_ROUNDS
        for number in range(4 * SETTLING_ROUNDS):
            self.pass_time(LEASE_SECONDS / rounds + 1)  # in sum longer than a lease whose owner heard nothing
            await self.deployment.worker.run_until_idle()
            if number >= rounds and not await self._is_something_held():
                break
        self.pass_time()

    async def _is_something_held(self) -> bool:
        """By a worker that lost an answer: it takes a whole lease until somebody goes on, as often as that happens."""
        runs = await self.deployment.runtime.all(newest_jobs())
        return any(run.lease_until is not None and not run.finished for run in runs)

    async def join(self, *names: str, visibility: Visibility = Visibility.FOLLOWERS) -> None:
        """People who have joined and chosen their ids; followers read them unless said otherwise."""
        for name in names:
            await self.service.people.join(Visitor(name, f"{name}@example.com", name.title()), date(2000, 4, 1))
            await self.service.people.choose_app_id(name, f"{name.replace('-', '_')}_id"[:15])
            await self.service.people.change(name, Profile(visibility_type=visibility))

    async def make_admin(self, name: str) -> None:
        await self.db.write(users.update(name).set(User.is_admin, True).set(User.was_admin, True))

    async def ban(self, who: str, by: str = "boss", reason: str = "") -> None:
        await self.service.moderation.ban(by, who, reason, proved_at=days.now(self.clock))

    async def unban(self, who: str, by: str = "boss", reason: str = "") -> None:
        await self.service.moderation.unban(by, who, reason, proved_at=days.now(self.clock))

    async def follow(self, *pairs: tuple[str, str]) -> None:
        for one, other in pairs:
            await self.service.following.follow(one, other)

    async def ask(self, text: str = "好きな季節は？") -> DailyQuestion:
        """Today's question, published now."""
        today = days.today(self.clock)
        row = DailyQuestion(
            day=today,
            question_id=f"question-{today}",
            question_text=text,
            scheduled_publish_time=time(8),
            published_at=days.now(self.clock),
            created_at=days.now(self.clock),
        )
        return await self.db.write(daily_questions.put(row))

    async def question(self, id: str, status: QuestionStatus = QuestionStatus.APPROVED, **given: object) -> Question:
        now = days.now(self.clock)
        usual = {"type": QuestionType.ADMIN, "status": status, "created_at": now, "updated_at": now}
        made = Question(question_id=id, text=f"{id}？", **{**usual, **given})  # type: ignore[arg-type]
        return await self.db.write(questions.put(made))

    async def answer(self, who: str, text: str = "秋が好き") -> Answer:
        return await self.service.answers.answer(who, text)

    async def user(self, name: str) -> User:
        return await self.db.need(users(name).consistent())

    async def logged(self, action: AdminAction | None = None) -> list[tuple[str, str | None]]:
        """What the log says was done, and to what, newest first."""
        self.pass_time()
        page = await self.service.logs.page("boss", action=action)
        return [(one.action.value, one.target_id) for one in page]

    async def with_devices(self, *names: str) -> None:
        """People with a phone each."""
        await self.join(*names)
        for name in names:
            await self.service.devices.register(name, f"ExponentPushToken[{name}]", DeviceType.IOS)

    async def push_messages(self) -> list[Message]:
        found = await self.deployment.runtime.all(newest_messages())
        return [one for one in found if one.kind == "push"]

    async def pushes(self) -> list[tuple[str, str]]:
        """To which device, and on which channel."""
        return sorted((one.to, one.body["channelId"]) for one in await self.push_messages())

    def jobs(self, expo: Any = None) -> QJobs:
        return wiring_of(self.opened.context, expo).build(QJobs)

    async def seen(self, viewer: str) -> list[str]:
        """Whose answers are in a viewer's timeline, in its order."""
        found = await self.service.timelines.show(viewer, size=50)
        return [entry.author.user_id for entry in found.entries]


async def open_world(store: Store, clock: ManualClock, **values: str) -> World:
    """Everything is open, unless asked otherwise: most tests are about something else than the lock."""
    values = {"q_answer_first": "off", **values}
    settings = Settings(secrets=Secrets(b"a secret of the tests"), public_url="https://q.example", values=values)
    deployment = assemble([SYSTEM], store, settings, clock)
    await deployment.make_tables(web_design)
    opened = deployment.systems["q"]
    return World(deployment, opened, clock, opened.parts.service)


@pytest.fixture
async def world(store: Store, clock: ManualClock) -> World:
    return await open_world(store, clock)


@pytest.fixture
async def fair(plain: Store, clock: ManualClock) -> World:
    """The same in fair weather only."""
    return await open_world(plain, clock)


@pytest.fixture
async def answer_first(plain: Store, clock: ManualClock) -> World:
    """As it is unless the operator says otherwise: others' answers open with one's own."""
    return await open_world(plain, clock, q_answer_first="on")


@pytest.fixture
async def desk(world: World) -> World:
    """An administrator, and two people to look after."""
    await world.join("boss", "a", "b")
    await world.make_admin("boss")
    return world


@pytest.fixture
async def site() -> AsyncIterator[tuple[Client, World]]:
    """The whole application, asked as a browser or an app asks it."""
    clock = ManualClock(NOON)
    async with opened(SYSTEM, clock=clock) as client:
        deployment = client.shell.deployment
        system = deployment.systems["q"]
        yield client, World(deployment, system, clock, system.parts.service)


def png(side: int = 1) -> bytes:
    return picture("PNG", (side, side))


def picture(
    kind: str, size: tuple[int, int], colour: object = (200, 30, 30), mode: str = "RGB", **more: object
) -> bytes:
    made = BytesIO()
    Image.new(mode, size, colour).save(made, kind, **more)  # type: ignore[arg-type]
    return made.getvalue()


@contextmanager
def counted(world: World) -> Iterator[list[str]]:
    """The store calls made meanwhile, by operation."""
    store, calls = world.opened.context.store, []
    call = store.call

    async def counting(operation: str, *given: Any) -> Any:
        calls.append(operation)
        return await call(operation, *given)

    store.call = counting  # type: ignore[method-assign, assignment]
    try:
        yield calls
    finally:
        store.call = call  # type: ignore[method-assign]
