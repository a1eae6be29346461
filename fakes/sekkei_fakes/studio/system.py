"""A studio's own booking system: the counterpart of `ports/booking`, as strict as a real one, served over HTTP
(`sekkei lessons studio`).

It sells at its own counter as well. A place that is held lapses; what has lapsed or was released cannot be confirmed;
a key belongs to one lesson. `Faults` make it slow, forget to answer before or after it has acted, fail half-way, tell
what was so minutes ago, and change its mind about how many places there are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sekkei.clock import Clock

HOLD_SECONDS = 180.0
Act = Callable[[Request, bytes], object]


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
    details: Mapping[str, str] = field(default_factory=dict)
    """End, name and instructor, as its timetable lists them."""


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
        self._by_lesson: dict[str, list[Reservation]] = {}
        """Those that were not released when somebody looked."""

    def offer(self, lesson: str, capacity: int, **details: str) -> None:
        """Put a lesson on sale, or change its mind about how many places it has; never below what is sold."""
        there = self.lessons.setdefault(lesson, Offered(capacity, details=details))
        there.capacity = max(capacity, self.taken(lesson))
        self._note(lesson)

    def taken(self, lesson: str) -> int:
        now = self._clock.now()
        ours = [one for one in self._by_lesson.get(lesson, []) if one.state is not State.RELEASED]
        self._by_lesson[lesson] = ours
        return self.lessons[lesson].counter + sum(one.state is State.SOLD or one.until > now for one in ours)

    def remember(self, key: str, lesson: str) -> None:
        """Sold to somebody before this program began."""
        self._keep(key, Reservation(lesson, State.SOLD, 0.0))

    def _keep(self, key: str, made: Reservation) -> None:
        self.reservations[key] = made
        self._by_lesson.setdefault(made.lesson, []).append(made)

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
        self._keep(key, made)
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

    def timetable(self, studio: str, first: str, last: str) -> list[dict[str, object]]:
        """Its lessons between two days."""
        found = []
        for name, offered in sorted(self.lessons.items()):
            code, day, start = name.split("/")
            if code == studio and first <= day <= last:
                slot = {"studio": code, "date": day, "start": start, "capacity": offered.capacity}
                found.append({**slot, **offered.details})
        return found

    def _note(self, lesson: str) -> None:
        free = max(0, self.lessons[lesson].capacity - self.taken(lesson))
        self.lessons[lesson].told.append((self._clock.now(), free))


class Served:
    """The system over HTTP. Its timetable and what is free are public; to book one needs the token.

    GET  /{studio}?from=…&to=…  GET /{studio}/{date}/{time}    the feed that `ports/timetable/feed` reads
    PUT, POST, DELETE /reservations/…                          the port that `ports/booking/http` asks
    POST, DELETE /counter/{studio}/{date}/{time}               somebody buys, or gives back, at its own counter
    """

    def __init__(self, system: StudioSystem, token: str, clock: Clock) -> None:
        self._system, self._token, self._clock = system, token, clock

    def application(self) -> Starlette:
        named = "/counter/{lesson:path}"
        return Starlette(
            routes=[
                Route("/reservations/{key}", self._served(self._reserve), methods=["PUT"]),
                Route("/reservations/{key}/confirm", self._served(self._confirm), methods=["POST"]),
                Route("/reservations/{key}", self._served(self._release), methods=["DELETE"]),
                Route(named, self._served(self._sell), methods=["POST"]),
                Route(named, self._served(self._give_back), methods=["DELETE"]),
                Route("/{studio}", self._served(self._timetable, public=True), methods=["GET"]),
                Route("/{lesson:path}", self._served(self._availability, public=True), methods=["GET"]),
            ]
        )

    def _served(self, act: Act, *, public: bool = False) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            if not public and request.headers.get("authorization") != f"Bearer {self._token}":
                return JSONResponse({"code": "unauthorised"}, 401)
            return await self._answer(act, request)

        return endpoint

    async def _answer(self, act: Act, request: Request) -> Response:
        faults, chance = self._system.faults, self._clock.random
        if faults.slow_seconds:
            await asyncio.sleep(faults.slow_seconds)
        if chance() < faults.deaf:
            return await _silence()
        try:
            found = act(request, await request.body())
        except Refused as refused:
            return JSONResponse({"code": refused.code}, refused.status)
        if chance() < faults.mute:
            return await _silence()
        if chance() < faults.broken:
            return JSONResponse({"code": "broken"}, 500)
        return Response(status_code=204) if found is None else JSONResponse(found)

    def _reserve(self, request: Request, body: bytes) -> object:
        try:
            lesson = orjson.loads(body)["lesson"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise Refused(400, "no-lesson") from None
        return {"state": self._system.reserve(request.path_params["key"], str(lesson)).state.value}

    def _confirm(self, request: Request, body: bytes) -> object:
        return {"state": self._system.confirm(request.path_params["key"]).state.value}

    def _release(self, request: Request, body: bytes) -> object:
        self._system.release(request.path_params["key"])
        return None

    def _sell(self, request: Request, body: bytes) -> object:
        if not self._system.sell(self._known(request)):
            raise Refused(409, "full")
        return self._system.availability(self._known(request))

    def _give_back(self, request: Request, body: bytes) -> object:
        self._system.give_back(self._known(request))
        return self._system.availability(self._known(request))

    def _known(self, request: Request) -> str:
        lesson = str(request.path_params["lesson"])
        if lesson not in self._system.lessons:
            raise Refused(404, "no-such-lesson")
        return lesson

    def _timetable(self, request: Request, body: bytes) -> object:
        query = request.query_params
        first, last = query.get("from", ""), query.get("to", "9999")
        return {"lessons": self._system.timetable(request.path_params["studio"], first, last)}

    def _availability(self, request: Request, body: bytes) -> object:
        return self._system.availability(request.path_params["lesson"])


def application(system: StudioSystem, token: str, clock: Clock) -> Starlette:
    return Served(system, token, clock).application()


async def _silence() -> Response:
    await asyncio.sleep(3600)
    return Response(status_code=504)
