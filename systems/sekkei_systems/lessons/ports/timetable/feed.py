"""A studio's own JSON feed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from typing import TypeVar
from urllib.parse import quote

import orjson

from sekkei.clock import Clock
from sekkei.errors import DamagedAnswer, NoAnswer
from sekkei.runtime.http import Http
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.ports.public import PublicHttp
from sekkei_systems.lessons.ports.timetable.provider import availability_in
from sekkei_systems.lessons.rules.drafts import LessonDraft
from sekkei_systems.lessons.rules.listings import read
from sekkei_systems.lessons.rules.places import Availability
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.rules.studios import Studio

FAILURES_MAX = 5
COOLING_SECONDS = 60.0
ASKED_PER_SECOND = 10.0
log = logging.getLogger("sekkei.lessons.providers")
T = TypeVar("T")


class Patience:
    """Keeps from asking somebody too often, and from asking at all while they are down.

    Requests keep a distance, a little uneven so that several programs do not ask in step. After several failures in
    a row nobody asks for about a minute; then one request goes first, and the others follow when it went well.
    """

    def __init__(
        self,
        clock: Clock,
        per_second: float = ASKED_PER_SECOND,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._distance = 1 / per_second
        self._sleep = sleep
        self._next = 0.0
        self._failures = 0
        self._closed_until = 0.0

    async def turn(self) -> bool:
        """Wait until it is one's turn; False while nobody may ask."""
        now = self._clock.now()
        if now < self._closed_until:
            return False
        if self._failures >= FAILURES_MAX:
            self._close(now)  # for everybody but this one, which tries
        begin = max(now, self._next)
        self._next = begin + self._distance * (0.75 + 0.5 * self._clock.random())
        if begin > now:
            await self._sleep(begin - now)
        return True

    def went_well(self) -> None:
        self._failures, self._closed_until = 0, 0.0

    def went_wrong(self) -> None:
        self._failures += 1
        if self._failures >= FAILURES_MAX:
            self._close(self._clock.now())

    def _close(self, now: float) -> None:
        self._closed_until = now + COOLING_SECONDS * (0.75 + 0.5 * self._clock.random())


class Feed:
    """A studio's own JSON feed: GET {url}/{studio}/{date}/{time} gives {"available", "total", "isOpen"}, and
    GET {url}/{studio}?from=…&to=… gives {"lessons": […]}, its timetable. What it counts is its own side."""

    def __init__(
        self,
        url: str,
        http: Http | PublicHttp,
        clock: Clock,
        studios: Sequence[Studio] = (),
        patience: Patience | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._http = http
        self._clock = clock
        self._studios = studios
        self._patience = patience or Patience(clock)

    async def availability(self, lesson: Lesson) -> Availability | None:
        return await self._asked(quote(str(slot_of(lesson))), lambda body: availability_in(orjson.loads(body)))

    async def list(self, studio_code: str, first: date, last: date) -> list[LessonDraft] | None:
        def lessons_in(body: bytes) -> list[LessonDraft]:
            found = read("feed.json", body, self._studios)
            if found.problems:
                log.warning("lines of a feed were left out", extra={"studio": studio_code, "lines": found.problems[:5]})
            # A feed speaks for the studio that it was asked about.
            return [draft for draft in found.lessons if draft.slot.studio_code == studio_code]

        return await self._asked(f"{quote(studio_code)}?from={first}&to={last}", lessons_in)

    async def _asked(self, path: str, understood: Callable[[bytes], T]) -> T | None:
        if not await self._patience.turn():
            return None
        try:
            answer = await self._http.json("GET", f"{self._url}/{path}")
            if answer.status != 200:
                raise ConnectionError(f"the feed answered {answer.status}")
            found = understood(answer.body)
        except (OSError, NoAnswer, DamagedAnswer, ValueError) as error:
            self._patience.went_wrong()
            log.warning("a feed gave no answer", extra={"url": self._url, "error": str(error)[:200]})
            return None
        self._patience.went_well()
        return found
