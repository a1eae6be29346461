"""Where the number of free places comes from: our own timetable, a JSON feed, or a signed push."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol
from urllib.parse import quote

import orjson

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime.http import Http
from systems.lessons.design import Lesson, lesson
from systems.lessons.refusals import NotStaff
from systems.lessons.rules import Slot, free_places

PUSH_SECONDS_MAX = 300
FAILURES_MAX = 5
COOLING_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Availability:
    """None means that the provider does not say."""

    available: int | None
    total: int | None
    is_open: bool

    @property
    def has_room(self) -> bool:
        return self.is_open and self.available != 0


class Provider(Protocol):
    """Asked once per lesson and pass; None when it cannot say now."""

    async def availability(self, slot: Slot) -> Availability | None: ...


class Catalogue:
    """Our own timetable with its own counter."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def availability(self, slot: Slot) -> Availability | None:
        found: Lesson | None = await self._db.get(lesson(slot.studio_code, slot.lesson_date, slot.start_time))
        if found is None:
            return None
        return Availability(free_places(found), found.capacity, found.is_open)


class Feed:
    """A studio's own JSON feed: GET {url}/{studio}/{date}/{time} gives {"available", "total", "isOpen"}, and
    GET {url}/{studio}?from=…&to=… gives {"lessons": […]}, its timetable.

    After several failures in a row it is left alone for a minute, so that a feed that is down is not asked for each of
    a hundred lessons.
    """

    def __init__(self, url: str, http: Http, clock: Clock) -> None:
        self._url = url.rstrip("/")
        self._http = http
        self._clock = clock
        self._failures = 0
        self._asked_again_at = 0.0

    async def availability(self, slot: Slot) -> Availability | None:
        if self._clock.now() < self._asked_again_at:
            return None
        try:
            answer = await self._http.json("GET", f"{self._url}/{quote(str(slot))}")
            if answer.status != 200:
                raise ConnectionError(f"the feed answered {answer.status}")
            found = availability_in(orjson.loads(answer.body))
        except (OSError, ValueError):
            self._failures += 1
            if self._failures >= FAILURES_MAX:
                self._asked_again_at = self._clock.now() + COOLING_SECONDS * (0.5 + self._clock.random())
            return None
        self._failures = 0
        return found

    async def list(self, studio_code: str, first: date, last: date) -> bytes | None:
        """The timetable as the feed gives it; None when it cannot say now."""
        try:
            answer = await self._http.json("GET", f"{self._url}/{quote(studio_code)}?from={first}&to={last}")
        except OSError:
            return None
        return answer.body if answer.status == 200 else None


def availability_in(content: Any) -> Availability:
    """From a feed or a push; raises ValueError when it is not what was agreed."""
    if not isinstance(content, dict):
        raise ValueError("an object is expected")
    available, total = content.get("available"), content.get("total")
    for number in (available, total):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 10**6):
            raise ValueError("available and total are whole numbers or null")
    return Availability(available, total, content.get("isOpen") is not False)


def signature_of(secret: bytes, timestamp: str, slot: str, body: bytes) -> str:
    """The lesson is signed too, or what a studio says of one could be told of another."""
    return "sha256=" + hmac.new(secret, f"{timestamp}.{slot}.".encode() + body, hashlib.sha256).hexdigest()


def verify_push(secret: bytes, slot: str, body: bytes, signature: str, timestamp: str, clock: Clock) -> None:
    """`X-Signature: sha256=<hex>` over `<timestamp>.<studio/date/time>.<body>`, not older than five minutes."""
    expected = signature_of(secret, timestamp, slot, body)
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    fresh = is_number and abs(clock.now() - int(timestamp)) <= PUSH_SECONDS_MAX
    if not (hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")) and fresh):
        raise NotStaff("bad-signature", 401)
