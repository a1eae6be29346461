"""A studio's own booking system: the counterpart of `ports/booking`, as strict as a real one, served over HTTP.

It sells at its own counter as well. A place that is held lapses; what has lapsed or was released cannot be confirmed;
a key belongs to one lesson. `Faults` make it slow, forget to answer before or after it has acted, fail half-way, tell
what was so minutes ago, and change its mind about how many places there are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sekkei.clock import Clock

HOLD_SECONDS = 180.0


class State(Enum):
    HELD = "held"
    SOLD = "sold"
    RELEASED = "released"


@dataclass(slots=True)
class Reservation:
    lesson: str
    state: State
    until: float


@dataclass(slots=True)
class Faults:
    """Chances between 0 and 1, and how far behind what it tells is."""

    deaf: float = 0.0
    """The request is lost: nothing is done, nobody answers."""
    mute: float = 0.0
    """It is done, and nobody answers."""
    broken: float = 0.0
    """It is done, and the answer is an error."""
    slow_seconds: float = 0.0
    lag_seconds: float = 0.0


@dataclass(slots=True)
class Offered:
    """A lesson as the studio sells it."""

    capacity: int
    counter: int = 0
    """Sold at its own counter."""
    told: list[tuple[float, int]] = field(default_factory=list)
    """Free places over time, for what is told late."""


class Refused(Exception):
    def __init__(self, status: int, code: str) -> None:
        self.status, self.code = status, code
        super().__init__(code)


class StudioSystem:
    """What it sells, by the names of lessons."""

    def __init__(self, clock: Clock, faults: Faults | None = None) -> None:
        self._clock = clock
        self.faults = faults or Faults()
        self.lessons: dict[str, Offered] = {}
        self.reservations: dict[str, Reservation] = {}

    def offer(self, lesson: str, capacity: int) -> None:
        """Put a lesson on sale, or change its mind about how many places it has; never below what is sold."""
        there = self.lessons.setdefault(lesson, Offered(capacity))
        there.capacity = max(capacity, self.taken(lesson))
        self._note(lesson)

    def taken(self, lesson: str) -> int:
        now = self._clock.now()
        ours = [one for one in self.reservations.values() if one.lesson == lesson]
        return self.lessons[lesson].counter + sum(
            one.state is State.SOLD or (one.state is State.HELD and one.until > now) for one in ours
        )

    def sell(self, lesson: str) -> bool:
        """At its own counter."""
        if self.taken(lesson) >= self.lessons[lesson].capacity:
            return False
        self.lessons[lesson].counter += 1
        self._note(lesson)
        return True

    def give_back(self, lesson: str) -> None:
        self.lessons[lesson].counter = max(0, self.lessons[lesson].counter - 1)
        self._note(lesson)

    def reserve(self, key: str, lesson: str) -> Reservation:
        if lesson not in self.lessons:
            raise Refused(404, "no-such-lesson")
        there = self.reservations.get(key)
        if there is not None:
            return self._again(there, lesson)
        if self.taken(lesson) >= self.lessons[lesson].capacity:
            raise Refused(409, "full")
        made = Reservation(lesson, State.HELD, self._clock.now() + HOLD_SECONDS)
        self.reservations[key] = made
        self._note(lesson)
        return made

    def _again(self, there: Reservation, lesson: str) -> Reservation:
        if there.lesson not in (lesson, ""):
            raise Refused(422, "another-lesson")
        if there.state is State.RELEASED:
            raise Refused(409, "released")
        if there.state is State.HELD and there.until <= self._clock.now():
            raise Refused(410, "lapsed")
        return there

    def confirm(self, key: str) -> Reservation:
        there = self.reservations.get(key)
        if there is None or there.state is State.RELEASED:
            raise Refused(410, "lapsed")
        if there.state is State.HELD and there.until <= self._clock.now():
            raise Refused(410, "lapsed")
        there.state = State.SOLD
        return there

    def release(self, key: str) -> None:
        """Remembers keys that it has never seen: a reservation that comes later than its release is refused."""
        there = self.reservations.setdefault(key, Reservation("", State.RELEASED, 0.0))
        there.state = State.RELEASED
        if there.lesson:
            self._note(there.lesson)

    def availability(self, lesson: str) -> dict[str, object]:
        """What it tells, as it was `lag_seconds` ago."""
        if lesson not in self.lessons:
            raise Refused(404, "no-such-lesson")
        there, seen = self.lessons[lesson], self._clock.now() - self.faults.lag_seconds
        known = [free for at, free in there.told if at <= seen] or [there.capacity]
        return {"available": min(known[-1], there.capacity), "total": there.capacity, "isOpen": True}

    def _note(self, lesson: str) -> None:
        free = max(0, self.lessons[lesson].capacity - self.taken(lesson))
        self.lessons[lesson].told.append((self._clock.now(), free))


def application(system: StudioSystem, token: str, clock: Clock) -> Starlette:
    """The system over HTTP, for whoever has the token."""

    def served(act: Callable[[Request], Awaitable[object]]) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            if request.headers.get("authorization") != f"Bearer {token}":
                return JSONResponse({"code": "unauthorised"}, 401)
            faults = system.faults
            if faults.slow_seconds:
                await asyncio.sleep(faults.slow_seconds)
            if clock.random() < faults.deaf:
                return await _silence()
            try:
                found = await act(request)
            except Refused as refused:
                return JSONResponse({"code": refused.code}, refused.status)
            if clock.random() < faults.mute:
                return await _silence()
            if clock.random() < faults.broken:
                return JSONResponse({"code": "broken"}, 500)
            return Response(status_code=204) if found is None else JSONResponse(found)

        return endpoint

    async def reserve(request: Request) -> object:
        lesson = orjson.loads(await request.body()).get("lesson", "")
        return {"state": system.reserve(request.path_params["key"], str(lesson)).state.value}

    async def confirm(request: Request) -> object:
        return {"state": system.confirm(request.path_params["key"]).state.value}

    async def release(request: Request) -> object:
        system.release(request.path_params["key"])
        return None

    async def availability(request: Request) -> object:
        return system.availability(request.path_params["lesson"])

    return Starlette(
        routes=[
            Route("/reservations/{key}", served(reserve), methods=["PUT"]),
            Route("/reservations/{key}/confirm", served(confirm), methods=["POST"]),
            Route("/reservations/{key}", served(release), methods=["DELETE"]),
            Route("/{lesson:path}", served(availability), methods=["GET"]),
        ]
    )


async def _silence() -> Response:
    await asyncio.sleep(3600)
    return Response(status_code=504)
