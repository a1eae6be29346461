"""Q.: the timeline of 1,500 followees on a day of 100,000 answers, and the minute in which everybody answers."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as changed
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from bench import peers
from bench.markdown import table
from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.runtime.deployment import assemble
from sekkei.runtime.settings import Secrets, Settings
from sekkei.store import Embedded
from sekkei.store.protocol import Store
from sekkei_systems.q import design as q
from sekkei_systems.q.design.models import Answer, User, Visibility
from sekkei_systems.q.design.tables import answers, users
from sekkei_systems.q.service import Service
from sekkei_systems.q.system import SYSTEM
from tests.systems.q import crowd

FOLLOWEES = (150, 1_500)
ANSWERS = (1_500, 100_000)
ROUNDS = 7
EVERYBODY = 20_000
AT_ONCE = 64
ALONE = 500


class Metered:
    """A store that adds up what every call would cost on DynamoDB."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.units = 0.0
        self.calls = 0

    async def call(self, operation: str, request: Mapping[str, Any], *more: Any) -> dict[str, Any]:
        if operation in ("Query", "GetItem", "BatchGetItem"):
            request = {**request, "ReturnConsumedCapacity": "TOTAL"}
        answer = await self._store.call(operation, request, *more)
        found = answer.get("ConsumedCapacity") or []
        self.calls += 1
        self.units += sum(one["CapacityUnits"] for one in (found if isinstance(found, list) else [found]))
        return answer

    async def close(self) -> None:
        await self._store.close()


def run() -> None:
    peers.PEERS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=peers.PEERS) as folder:
        print(asyncio.run(_publish_minute(Path(folder))), flush=True)
        print()
        print(asyncio.run(_timelines(Path(folder))))


def main() -> None:
    run()


async def _timelines(folder: Path) -> str:
    """Whom one follows costs; how many others answered does not."""
    found = [each for followees in FOLLOWEES for each in await _timeline(folder / f"{followees}.db", followees)]
    head = ["followees", "answers today", "in the timeline", "first page, ms (median)", "read units", "calls"]
    units = {(one.followees, one.answers): one.units for one in found}
    (few, many), (quiet, busy) = FOLLOWEES, ANSWERS
    growth = (
        f"Read units for {many / few:.0f} times the followees: × {units[many, quiet] / units[few, quiet]:.1f}; "
        f"for {busy / quiet:.0f} times the answers: × {units[many, busy] / units[many, quiet]:.1f}."
    )
    return f"{table([*head, 'as brute force'], [one.row() for one in found])}\n\n{growth}"


@dataclass(frozen=True, slots=True)
class _Page:
    followees: int
    answers: int
    whole: int
    milliseconds: float
    units: float
    calls: int
    right: bool

    def row(self) -> list[str]:
        counts = (f"{count:,}" for count in (self.followees, self.answers, self.whole))
        return [*counts, f"{self.milliseconds:.0f}", f"{self.units:,.0f}", str(self.calls), str(self.right)]


async def _timeline(file: Path, followees: int) -> list[_Page]:
    """The same viewer, while more and more strangers answer."""
    store = Metered(Embedded(file))
    service = await _open(store)
    people = crowd.made(people=max(FOLLOWEES), followees=followees, now=crowd.NOW)
    await crowd.store(service.db, people)
    pages, strangers = [], _strangers(people)
    there = len(people.answers)
    for count in ANSWERS:
        await crowd.put(service.db, answers, itertools.islice(strangers, count - there))
        there = count
        pages.append(await _page(store, service, people, followees, count))
    await store.close()
    return pages


async def _page(store: Metered, service: _Opened, people: crowd.Crowd, followees: int, count: int) -> _Page:
    took = []
    for _ in range(ROUNDS):
        store.units, store.calls = 0.0, 0
        started = time.perf_counter()
        await service.q.timelines.show(await service.q.access.member(crowd.VIEWER))
        took.append((time.perf_counter() - started) * 1000)
    units, calls = store.units, store.calls  # of the last round
    viewer = await service.q.access.member(crowd.VIEWER)
    apart = await service.q.sight.apart_from(crowd.VIEWER)
    whole = [answer.user_id for answer, _ in await service.q.timelines.visible(viewer, people.day, apart)]
    right = whole == people.timeline()
    return _Page(followees, count, len(whole), statistics.median(took), units, calls, right)


def _strangers(people: crowd.Crowd) -> Iterator[Answer]:
    """Answers of people whom the viewer does not follow; only their number matters."""
    like = next(iter(people.answers.values()))
    return (replace(like, user_id=f"stranger-{number:06}") for number in itertools.count())


class _Opened:
    def __init__(self, service: Service, db: Any, clock: ManualClock) -> None:
        self.q, self.db, self.clock = service, db, clock


async def _open(store: Store) -> _Opened:
    clock = ManualClock(crowd.NOW.timestamp())
    deployment = assemble([SYSTEM], store, Settings(secrets=Secrets(b"a secret of the bench")), clock)
    await deployment.make_tables()
    opened = deployment.systems["q"]
    return _Opened(opened.parts.service, opened.context.db, clock)


async def _publish_minute(folder: Path, everybody: int = EVERYBODY) -> str:
    """Everybody answers at once, through the service, each answer on the disk when it returns.

    Then some answer one after the other: what one answer takes of the processor, whatever else the machine does.
    """
    store = Metered(Embedded(folder / "minute.db"))
    opened = await _open(store)
    nobody = crowd.made(people=0, followees=0, now=crowd.NOW)
    await crowd.store(opened.db, changed(nobody, users={}, answers={}))
    names = [f"user-{number:05}" for number in range(everybody + ALONE)]
    await crowd.put(opened.db, users, (_user(name) for name in names))
    store.calls = 0
    took, seconds = await _together(opened, names[:everybody])
    calls = store.calls / everybody
    processor = [await _alone(opened, name) for name in names[everybody:]]
    stored = await opened.db.count(q.answers_of_day(nobody.day).consistent())
    await store.close()
    head = [
        "answers",
        "at once",
        "answers a second",
        "p50, ms",
        "p99, ms",
        "p50 CPU, ms",
        "p99 CPU, ms",
        "store calls",
        "lost",
    ]
    row = [f"{everybody:,}", str(AT_ONCE), f"{everybody / seconds:,.0f}", *_parts(took, 0), *_parts(processor, 2)]
    return table(head, [[*row, f"{calls:.1f}", str(len(names) - stored)]])


async def _together(opened: _Opened, names: list[str]) -> tuple[list[float], float]:
    """How long each took, in milliseconds, and all of them in seconds."""
    waiting, took = iter(names), []

    async def lane() -> None:
        for name in waiting:
            started = time.perf_counter()
            await _answer(opened, name)
            took.append((time.perf_counter() - started) * 1000)

    started = time.perf_counter()
    await asyncio.gather(*(lane() for _ in range(AT_ONCE)))
    return took, time.perf_counter() - started


async def _alone(opened: _Opened, name: str) -> float:
    """Milliseconds of the processor, the store's writer included."""
    started = time.process_time()
    await _answer(opened, name)
    return (time.process_time() - started) * 1000


async def _answer(opened: _Opened, name: str) -> None:
    await opened.q.answers.answer(await opened.q.access.author(name), "みんなで一斉に答える")


def _parts(took: list[float], digits: int) -> list[str]:
    """The median, and what one in a hundred exceeds."""
    took = sorted(took)
    return [f"{took[int(len(took) * part)]:.{digits}f}" for part in (0.5, 0.99)]


def _user(name: str) -> User:
    now = crowd.NOW - timedelta(hours=2)
    return User(
        user_id=name,
        email=f"{name}@example.com",
        app_id=name.replace("-", "_"),
        birth_date=date(2000, 1, 1),
        visibility_type=Visibility.MUTUAL,
        created_at=now,
        updated_at=now,
    )


if __name__ == "__main__":
    main()
