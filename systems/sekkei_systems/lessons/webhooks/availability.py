"""A studio's own system says how many places are free, without being asked."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei.kit.typed import Token
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.refusals import Invalid
from sekkei.runtime.settings import Settings
from sekkei.web import Operations
from sekkei_systems.lessons.api.shapes import LessonName
from sekkei_systems.lessons.ports.timetable import availability_in
from sekkei_systems.lessons.refusals import BadSignature, Replayed
from sekkei_systems.lessons.rules.places import CAPACITY_MAX
from sekkei_systems.lessons.rules.slots import parse_slot
from sekkei_systems.lessons.service.connections import StudioSecrets
from sekkei_systems.lessons.service.monitor import Monitor
from sekkei_systems.lessons.service.timetable import Timetable

# The signature of a push: a studio says without being asked what is free.


_PUSH_SECONDS_MAX = 300


def signature_of(secret: bytes, timestamp: str, slot: str, body: bytes) -> str:
    """The lesson is signed too, or what a studio says of one could be told of another."""
    return "sha256=" + hmac.new(secret, f"{timestamp}.{slot}.".encode() + body, hashlib.sha256).hexdigest()


def verify_push(secret: bytes, slot: str, body: bytes, signature: str, timestamp: str, clock: Clock) -> datetime:
    """`X-Signature: sha256=<hex>` over `<timestamp>.<studio/date/time>.<body>`, not older than five minutes.

    Returns when it was signed.
    """
    expected = signature_of(secret, timestamp, slot, body)
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    fresh = is_number and abs(clock.now() - int(timestamp)) <= _PUSH_SECONDS_MAX
    if not (hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")) and fresh):
        raise BadSignature()
    return datetime.fromtimestamp(int(timestamp), UTC)


operations = Operations()


class AvailabilityIn(msgspec.Struct, rename="camel"):
    """What a studio says is free; null when it does not count."""

    available: Annotated[int, Meta(ge=0, le=CAPACITY_MAX)] | None = None
    total: Annotated[int, Meta(ge=0, le=CAPACITY_MAX)] | None = None
    is_open: bool = True


class ToldOut(msgspec.Struct):
    told: int
    """How many of those who wait were told."""


class Signed(msgspec.Struct, rename={"signature": "X-Signature", "timestamp": "X-Timestamp"}):
    signature: Annotated[Token, Meta(max_length=200)] = ""
    """sha256=<hex>, HMAC over <timestamp>.<lesson>.<body>"""
    timestamp: Annotated[Token, Meta(max_length=20)] = ""
    """Seconds; five minutes to either side."""


@dataclass
class Pushes:
    """What studios' own systems send: signed with the secret that they share with us, and heard once."""

    settings: Settings
    runtime: Database
    idempotency: Idempotency
    clock: Clock
    secrets: StudioSecrets

    def _shared(self) -> bytes:
        given = self.settings.get("lessons_push_secret").encode()
        return given or self.settings.secrets.key("lessons availability")

    async def verified(self, lesson: str, raw: bytes, headers: Signed) -> datetime:
        """When it was signed, with the studio's own secret where it has one."""
        own = await self.secrets.secret(lesson.partition("/")[0]) if headers.signature else None
        return verify_push(own or self._shared(), lesson, raw, headers.signature, headers.timestamp, self.clock)

    async def hear_once(self, push: Push) -> None:
        kept = timedelta(seconds=2 * _PUSH_SECONDS_MAX)
        try:
            await self.runtime.transact(self.idempotency.mark(f"lessons/push/{push.signature}", kept=kept))
        except TransactionFailed:
            raise Replayed() from None


@dataclass(frozen=True, slots=True)
class Push:
    """A push whose signature is right: nothing of what was sent is read before."""

    signature: str
    said_at: datetime


async def push_of(request: Request, lesson: LessonName, headers: Signed, pushes: Pushes) -> Push:
    return Push(headers.signature, await pushes.verified(lesson, await request.body(), headers))


@operations.post(
    "/lessons/{lesson:path}/availability", summary="A studio says what is free", tag="studios", webhook=True
)
async def availability(
    push: Push, lesson: LessonName, body: AvailabilityIn, pushes: Pushes, timetable: Timetable, monitor: Monitor
) -> ToldOut:
    """Signed with the secret that studio and lesson list share. What was received once is refused the next time;
    to say it again, sign it anew. What was signed before the newest push of that lesson is ignored. What was signed
    before the lesson turned full or open here is answered with 412: say what is free then."""
    try:
        found = availability_in(msgspec.to_builtins(body))
    except ValueError as error:
        raise Invalid(field="available") from error
    slot = parse_slot(lesson)
    await timetable.upcoming(slot)
    await pushes.hear_once(push)
    return ToldOut(await monitor.pushed(slot, found, push.said_at))
