"""What tells which lessons there are and what is free: a studio's own feed, or our timetable."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

import orjson

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.errors import DamagedAnswer, NoAnswer
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.store.http import Limits
from sekkei_systems.lessons.design import Lesson, timetable
from sekkei_systems.lessons.ports.public import PublicHttp
from sekkei_systems.lessons.rules.places import CAPACITY_MAX, Availability, availability_of
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.rules.studios import Studio, by_studio
from sekkei_systems.lessons.rules.timetable import LessonDraft, draft_of, read

# Where the number of free places comes from: the interface.


class Provider(Protocol):
    """Asked once per lesson and pass; None when it cannot say now."""

    async def list(self, studio_code: str, first: date, last: date) -> list[LessonDraft] | None: ...

    async def availability(self, lesson: Lesson) -> Availability | None: ...


def availability_in(content: Any) -> Availability:
    """From a feed or a push; raises ValueError when it is not what was agreed."""
    if not isinstance(content, dict):
        raise ValueError("an object is expected")
    available, total, is_open = content.get("available"), content.get("total"), content.get("isOpen", True)
    for number in (available, total):
        if number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= CAPACITY_MAX:
            raise ValueError(f"available and total are whole numbers up to {CAPACITY_MAX}, or null")
    if available is not None and total is not None and available > total:
        raise ValueError("there cannot be more available than in total")
    if not isinstance(is_open, bool):
        raise ValueError("isOpen is true or false")
    return Availability(available, total, is_open)


# Our own timetable as a provider.


@dataclass
class Catalogue:
    """Our own timetable with its own counter."""

    db: Database

    async def list(self, studio_code: str, first: date, last: date) -> list[LessonDraft] | None:
        return [draft_of(lesson) for lesson in await self.db.all(timetable(studio_code, first, last))]

    async def availability(self, lesson: Lesson) -> Availability | None:
        return availability_of(lesson)


# A studio's own JSON feed.


FAILURES_MAX = 5
_COOLING_SECONDS = 60.0
_ASKED_PER_SECOND = 10.0
log = logging.getLogger("sekkei.lessons.providers")
_T = TypeVar("_T")


class Patience:
    """Keeps from asking somebody too often, and from asking at all while they are down.

    Requests keep a distance, a little uneven so that several programs do not ask in step. After several failures in
    a row nobody asks for about a minute; then one request goes first, and the others follow when it went well.
    """

    def __init__(
        self,
        clock: Clock,
        per_second: float = _ASKED_PER_SECOND,
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
        self._closed_until = now + _COOLING_SECONDS * (0.75 + 0.5 * self._clock.random())


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

    async def _asked(self, path: str, understood: Callable[[bytes], _T]) -> _T | None:
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


# Every studio's own provider.


_FEED_BYTES_MAX = 2 * 1024 * 1024
"""Two weeks of one studio are less; reading more would keep everybody else waiting."""
TIMEOUTS = Limits(
    connections=4, connect_seconds=3.0, answer_seconds=5.0, idle_seconds=30.0, answer_bytes=_FEED_BYTES_MAX
)


@dataclass
class ByStudio:
    """Every studio's own feed, and our timetable for the rest."""

    feeds: Mapping[str, Provider]
    otherwise: Provider
    own: dict[str, Provider | None] = field(default_factory=dict, init=False)

    @property
    def has_feeds(self) -> bool:
        return bool(self.feeds) or any(self.own.values())

    def feed(self, studio_code: str) -> Provider | None:
        if studio_code in self.own:
            return self.own[studio_code]
        return self.feeds.get(studio_code, self.feeds.get(""))

    async def list(self, studio_code: str, first: date, last: date) -> list[LessonDraft] | None:
        return await (self.feed(studio_code) or self.otherwise).list(studio_code, first, last)

    async def availability(self, lesson: Lesson) -> Availability | None:
        return await (self.feed(lesson.studio_code) or self.otherwise).availability(lesson)


def provider_of(
    settings: Settings,
    db: Database,
    clock: Clock,
    studios: Sequence[Studio],
    local: Mapping[str, Provider] | None = None,
) -> ByStudio:
    """`SEKKEI_LESSONS_FEED_URL=https://…` for all studios, or `gnz=https://…,sby=https://…` for each its own."""
    feeds: dict[str, Provider] = dict(local or {})
    http = Http(TIMEOUTS)
    for code, url in by_studio(settings.get("lessons_feed_url")).items():
        feeds[code] = Feed(url, http, clock, studios)
    return ByStudio(feeds, Catalogue(db))
