"""Booking in a studio's own system: reserve, confirm, release; the interface, and the system over HTTP."""

from __future__ import annotations

from typing import Protocol
from urllib.parse import quote

import orjson

from sekkei.errors import DamagedAnswer, NoAnswer
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.store.http import Limits
from sekkei_systems.lessons.ports.public import PublicHttp
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import by_studio

# Booking in a studio's own system: reserve, confirm, release. The interface.
#
# Each step has the same key, and may be sent again: a key is reserved once, confirmed once, and what was released stays
# so. Whoever gets no answer does not know what was done, and releases.


class StudioRefused(Exception):
    """The studio's system has answered that it will not."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class NoWord(Exception):
    """No answer, or none that can be understood: it may have been done or not."""


class BookingPort(Protocol):
    async def reserve(self, key: str, slot: Slot) -> None:
        """Hold a place for a few minutes. Raises StudioRefused or NoWord, like the others."""
        ...

    async def confirm(self, key: str) -> None:
        """The place is sold."""
        ...

    async def release(self, key: str) -> None:
        """Nobody wants it any more; also for a key that was never heard of, which can then not be reserved."""
        ...


BookingPorts = dict[str, BookingPort]
"""By studio; under "" for all that are not named."""


# A studio's booking system over HTTP.
#
#     PUT    {url}/reservations/{key}          {"lesson": "gnz/2025-07-30/19:30"}    200 held, 409 {"code": "full"}
#     POST   {url}/reservations/{key}/confirm                                        200 sold, 410 {"code": "lapsed"}
#     DELETE {url}/reservations/{key}                                                204 in any case
#
# `SEKKEI_LESSONS_BOOKING_URL=gnz=https://…` names the system of a studio, `SEKKEI_LESSONS_BOOKING_TOKEN` is sent as a
# bearer token. One without the other stops the program.


TIMEOUTS = Limits(connections=8, connect_seconds=2.0, answer_seconds=4.0, idle_seconds=30.0, answer_bytes=65_536)
_REASONS = frozenset({"full", "closed", "no-such-lesson", "lapsed", "released"})


class HttpBooking:
    def __init__(self, url: str, token: str, http: Http | PublicHttp) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._http = http

    async def reserve(self, key: str, slot: Slot) -> None:
        await self._asked("PUT", f"reservations/{quote(key)}", {"lesson": str(slot)})

    async def confirm(self, key: str) -> None:
        await self._asked("POST", f"reservations/{quote(key)}/confirm", {})

    async def release(self, key: str) -> None:
        await self._asked("DELETE", f"reservations/{quote(key)}", None)

    async def _asked(self, method: str, path: str, content: object) -> None:
        try:
            answer = await self._http.json(method, f"{self._url}/{path}", content, headers=self._headers)
        except (OSError, NoAnswer, DamagedAnswer, TimeoutError) as error:
            raise NoWord(str(error)) from error
        if answer.status in (200, 201, 204):
            return
        raise _refusal(answer.status, answer.body)


def _refusal(status: int, body: bytes) -> Exception:
    """Only what was agreed is a refusal; anything else may have happened after the place was taken."""
    try:
        reason = orjson.loads(body)["code"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        reason = None
    if status in (404, 409, 410) and reason in _REASONS:
        return StudioRefused(reason)
    return NoWord(f"the studio's system answered {status}")


def booking_ports_of(settings: Settings) -> BookingPorts:
    urls, token = by_studio(settings.get("lessons_booking_url")), settings.get("lessons_booking_token")
    if bool(urls) != bool(token):
        raise ValueError("Set SEKKEI_LESSONS_BOOKING_URL and SEKKEI_LESSONS_BOOKING_TOKEN together, or neither.")
    http = Http(TIMEOUTS)
    return {code: HttpBooking(url, token, http) for code, url in urls.items()}
