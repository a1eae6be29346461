"""Where lessons and the number of free places come from: our own timetable, a studio's JSON feed, a signed push."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

import orjson

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.errors import DamagedAnswer, NoAnswer
from sekkei.runtime import days
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.store.http import Limits
from sekkei_systems.lessons.design import Lesson, timetable
from sekkei_systems.lessons.refusals import BadSignature
from sekkei_systems.lessons.rules import free_places, slot_of
from sekkei_systems.lessons.studios import Studio
from sekkei_systems.lessons.timetable_files import read

PUSH_SECONDS_MAX = 300
FAILURES_MAX = 5
COOLING_SECONDS = 60.0
ASKED_PER_SECOND = 10.0
TIMEOUTS = Limits(connections=4, connect_seconds=3.0, answer_seconds=5.0, idle_seconds=30.0)

log = logging.getLogger("sekkei.lessons.providers")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Availability:
    """What is free now. None means that nobody counts: then `is_open` says whether there is room."""

    available: int | None
    total: int | None
    is_open: bool

    @property
    def has_room(self) -> bool:
        return self.is_open and self.available != 0


class Provider(Protocol):
    """Asked once per lesson and pass; None when it cannot say now."""

    async def list(self, studio_code: str, first: date, last: date) -> list[Lesson] | None: ...

    async def availability(self, lesson: Lesson) -> Availability | None: ...


class Catalogue:
    """Our own timetable with its own counter."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list(self, studio_code: str, first: date, last: date) -> list[Lesson] | None:
        return await self._db.all(timetable(studio_code, first, last))

    async def availability(self, lesson: Lesson) -> Availability | None:
        return availability_of(lesson)


def availability_of(lesson: Lesson) -> Availability:
    """As our own counter has it."""
    return Availability(free_places(lesson), lesson.capacity, lesson.is_open)


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
    GET {url}/{studio}?from=…&to=… gives {"lessons": […]}, its timetable. What it counts includes our bookings."""

    def __init__(
        self, url: str, http: Http, clock: Clock, studios: Sequence[Studio] = (), patience: Patience | None = None
    ) -> None:
        self._url = url.rstrip("/")
        self._http = http
        self._clock = clock
        self._studios = studios
        self._patience = patience or Patience(clock)

    async def availability(self, lesson: Lesson) -> Availability | None:
        return await self._asked(quote(str(slot_of(lesson))), lambda body: availability_in(orjson.loads(body)))

    async def list(self, studio_code: str, first: date, last: date) -> list[Lesson] | None:
        def lessons_in(body: bytes) -> list[Lesson]:
            found = read("feed.json", body, self._studios, days.now(self._clock))
            if found.problems:
                log.warning("lines of a feed were left out", extra={"studio": studio_code, "lines": found.problems[:5]})
            # A feed speaks for the studio that it was asked about.
            return [lesson for lesson in found.lessons if lesson.studio_code == studio_code]

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


class ByStudio:
    """Every studio's own feed, and our timetable for the rest."""

    def __init__(self, feeds: Mapping[str, Provider], otherwise: Provider) -> None:
        self._feeds = feeds
        self._otherwise = otherwise

    def feed(self, studio_code: str) -> Provider | None:
        return self._feeds.get(studio_code, self._feeds.get(""))

    async def list(self, studio_code: str, first: date, last: date) -> list[Lesson] | None:
        return await (self.feed(studio_code) or self._otherwise).list(studio_code, first, last)

    async def availability(self, lesson: Lesson) -> Availability | None:
        return await (self.feed(lesson.studio_code) or self._otherwise).availability(lesson)


def provider_of(settings: Settings, db: Database, clock: Clock, studios: Sequence[Studio]) -> ByStudio:
    """`SEKKEI_LESSONS_FEED_URL=https://…` for all studios, or `gnz=https://…,sby=https://…` for each its own."""
    feeds: dict[str, Provider] = {}
    http = Http(TIMEOUTS)
    for part in filter(None, (one.strip() for one in settings.get("lessons_feed_url").split(","))):
        code, named, url = part.partition("=")
        if not named or "://" in code:
            code, url = "", part  # an address alone, with a = somewhere in it
        feeds[code.strip()] = Feed(url.strip(), http, clock, studios)
    return ByStudio(feeds, Catalogue(db))


def availability_in(content: Any) -> Availability:
    """From a feed or a push; raises ValueError when it is not what was agreed."""
    if not isinstance(content, dict):
        raise ValueError("an object is expected")
    available, total, is_open = content.get("available"), content.get("total"), content.get("isOpen", True)
    for number in (available, total):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 10**6):
            raise ValueError("available and total are whole numbers or null")
    if available is not None and total is not None and available > total:
        raise ValueError("there cannot be more available than in total")
    if not isinstance(is_open, bool):
        raise ValueError("isOpen is true or false")
    return Availability(available, total, is_open)


def signature_of(secret: bytes, timestamp: str, slot: str, body: bytes) -> str:
    """The lesson is signed too, or what a studio says of one could be told of another."""
    return "sha256=" + hmac.new(secret, f"{timestamp}.{slot}.".encode() + body, hashlib.sha256).hexdigest()


def verify_push(secret: bytes, slot: str, body: bytes, signature: str, timestamp: str, clock: Clock) -> datetime:
    """`X-Signature: sha256=<hex>` over `<timestamp>.<studio/date/time>.<body>`, not older than five minutes.

    Returns when it was signed.
    """
    expected = signature_of(secret, timestamp, slot, body)
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    fresh = is_number and abs(clock.now() - int(timestamp)) <= PUSH_SECONDS_MAX
    if not (hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")) and fresh):
        raise BadSignature()
    return datetime.fromtimestamp(int(timestamp), UTC)
