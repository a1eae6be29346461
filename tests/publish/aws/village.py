"""People of a system's world (`sekkei world`) on a deployed stack: the same deeds, by real requests and real time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from sekkei.clock import SYSTEM as CLOCK
from sekkei.design.loading import load
from sekkei.web.testing import Reply
from sekkei.worlds import Script
from sekkei.worlds.callbacks import Letter
from sekkei.worlds.chance import Dice, dice_of
from sekkei_fakes.served import serve
from sekkei_systems.days import JST
from sekkei_systems.q.design.models import DailyQuestion
from sekkei_systems.q.design.tables import daily_questions
from tests.publish.aws.deployed import Stack, Visitor
from tests.worlds import eventbot as eventbot_world
from tests.worlds.lessons import people as lessons_people
from tests.worlds.q.people import nobody_is_shown_what_sight_forbids

SEED = 1
TRIES = 3
"""Of a letter that was not taken."""


def _reply(answer: requests.Response) -> Reply:
    headers = [(name.lower(), value) for name, value in answer.headers.items()]
    return Reply(answer.status_code, headers, answer.content)


@dataclass(eq=False)
class Villager:
    """As `sekkei.worlds.Person`, behind a browser that asks a stack."""

    world: Village
    name: str
    role: str
    visitor: Visitor
    dice: Dice
    memory: dict[str, Any] = field(default_factory=dict)
    known: bool = False

    async def sign_in(self, email: str) -> None:
        """By an address with their own name in it, which is another one in each village."""
        del email
        ask = self.visitor.sign_in if self.known else self.visitor.sign_up
        await asyncio.to_thread(ask, f"{self.name}@example.com")
        self.known = True

    async def get(self, path: str) -> Reply:
        return _reply(await asyncio.to_thread(self.visitor.get, path))

    async def post(self, path: str, form: Mapping[str, Any] | None = None) -> Reply:
        return _reply(await asyncio.to_thread(lambda: self.visitor.post(path, **(form or {}))))

    async def json(self, method: str, path: str, body: Any = None) -> Reply:
        return _reply(await asyncio.to_thread(self.visitor.api, method, path, body))


class Village:
    """As `sekkei.worlds.World`, as far as deeds look at it."""

    faulty = True

    def __init__(self, stack: Stack, script: Script, number: int) -> None:
        self.stack, self.script, self.number, self.seed = stack, script, number, SEED
        self.design = load(script.name)
        self.people: list[Villager] = []
        self.given: dict[str, Any] = {}
        self.clock = CLOCK
        self.internet = SimpleNamespace(services={})
        self.loop = SimpleNamespace(time=monotonic)
        self.truth = SimpleNamespace(now=self._now)
        self._errands: set[asyncio.Task[None]] = set()

    def _now(self, operation: str, request: dict[str, Any]) -> Any:
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", operation).lower()
        return getattr(self.stack.cloud.client("dynamodb"), name)(**request)

    @property
    def outside(self) -> dict[str, Any]:
        mails = [SimpleNamespace(to=mail["To"][0], body=mail["BodyText"]) for mail in self.stack.cloud.mails()]
        return {"mail": SimpleNamespace(received=mails)}

    def table_name(self, table: str) -> str:
        return self.design.table_name(self.design.tables[table], "prod")

    def decoded(self, table: str) -> list[Any]:
        return [self.design.tables[table].decode(item) for item in self.stack.rows(self.table_name(table))]

    def tell(self, who: str, what: str) -> None:
        """Nobody listens."""

    async def request(self, method: str, path: str, body: bytes, headers: Mapping[str, str], dice: Dice) -> Reply:
        del dice
        visitor = Visitor(self.stack)
        return _reply(await asyncio.to_thread(visitor.ask, method, path, headers, data=body))

    def deliver(self, letter: Letter) -> None:
        self.errand(self._deliver(letter))

    async def _deliver(self, letter: Letter) -> None:
        for number in range(1, TRIES + 1):
            body, headers = letter.written(number)
            given = {"Content-Type": "application/json", **headers}
            if (await self.request("POST", letter.path, body, given, Dice())).status < 300:
                return

    def errand(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    # Living

    async def live(self, ports: Mapping[str, int], rounds: int) -> None:
        async with self._surroundings(ports):
            for role in self.script.roles.values():
                for number in range(role.count):
                    name = f"{role.name}-{self.number}-{number + 1}"
                    dice = dice_of(SEED, name)
                    person = Villager(self, name, role.name, Visitor(self.stack), dice)
                    self.people.append(person)
                    await role.begin(person)  # type: ignore[arg-type]
            for person, deed in self._deeds(rounds):
                LOOKS.get(self.script.name, lambda village: None)(self)
                await deed(person)
                await asyncio.sleep(0)

    def _deeds(self, rounds: int) -> Iterator[tuple[Villager, Any]]:
        for number in range(rounds):
            for operation in self.script.operations:
                for person in self.people:
                    if person.role == operation.role:
                        person.dice = dice_of(SEED, person.name, operation.name, number)
                        yield person, operation.deed

    @asynccontextmanager
    async def _surroundings(self, ports: Mapping[str, int]) -> AsyncIterator[None]:
        """Services outside, news from them, and a clock whose function is called whenever somebody waits."""
        pause = asyncio.sleep

        async def sleep(seconds: float) -> None:
            if seconds:
                await asyncio.to_thread(self.stack.invoke, "work")
            await pause(0.01)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncio, "sleep", sleep)
            TODAY.get(self.script.name, lambda village, patch: None)(self, patch)
            for prepare in self.script.before:
                prepare(self)  # type: ignore[arg-type]
            async with AsyncExitStack() as open_ones:
                for host, counterpart in self.internet.services.items():
                    await open_ones.enter_async_context(serve(counterpart, port=ports[host]))
                for live in self.script.background:
                    self.errand(live(self))  # type: ignore[arg-type]
                yield
                for errand in list(self._errands):
                    errand.cancel()
                await asyncio.gather(*self._errands, return_exceptions=True)


def _lessons(village: Village, patch: pytest.MonkeyPatch) -> None:
    day = date.today() + timedelta(days=3 + village.number)
    patch.setattr(lessons_people, "HERE", f"gnz/{day}/19:30")
    patch.setattr(lessons_people, "THERE", f"sby/{day}/20:30")


def _eventbot(village: Village, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(eventbot_world, "EVENTS_BEGIN", f"{date.today() + timedelta(days=3)} 21:00")


def _q(village: Village, patch: pytest.MonkeyPatch) -> None:
    """The day's question is out; otherwise it may come this evening."""
    now = datetime.now(UTC)
    question = DailyQuestion(
        day=now.astimezone(JST).date(),
        question_id="q1",
        question_text="今日は？",
        scheduled_publish_time=time(9, 0),
        published_at=now,
        created_at=now,
    )
    item = daily_questions.encode(question)
    village.truth.now("PutItem", {"TableName": village.table_name("DailyQuestions"), "Item": item})


TODAY: Mapping[str, Callable[[Village, pytest.MonkeyPatch], None]] = {
    "lessons": _lessons,
    "eventbot": _eventbot,
    "q": _q,
}
"""Worlds live in January; a stack today."""
LOOKS: Mapping[str, Callable[[Any], None]] = {"q": nobody_is_shown_what_sight_forbids}
"""What a world looks at after every commit, where deeds compare with it; a village looks before every deed."""
