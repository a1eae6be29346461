"""A studio's own system says how many places are free, without being asked."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request

from sekkei.design import TransactionFailed
from sekkei.runtime.refusals import Invalid
from sekkei.runtime.system import Context
from sekkei.web import Api
from sekkei_systems.lessons.api.shapes import LessonName
from sekkei_systems.lessons.ports.timetable.provider import availability_in
from sekkei_systems.lessons.ports.timetable.push import PUSH_SECONDS_MAX, verify_push
from sekkei_systems.lessons.refusals import Replayed
from sekkei_systems.lessons.rules.slots import parse_slot
from sekkei_systems.lessons.service import Service


class AvailabilityIn(msgspec.Struct, rename="camel"):
    """What a studio says is free; null when it does not count."""

    available: Annotated[int, Meta(ge=0, lt=10**6)] | None = None
    total: Annotated[int, Meta(ge=0, lt=10**6)] | None = None
    is_open: bool = True


class ToldOut(msgspec.Struct):
    told: int
    """How many of those who wait were told."""


class Signed(msgspec.Struct, rename={"signature": "X-Signature", "timestamp": "X-Timestamp"}):
    signature: Annotated[str, Meta(max_length=200)] = ""
    """sha256=<hex>, HMAC over <timestamp>.<lesson>.<body>"""
    timestamp: Annotated[str, Meta(max_length=20)] = ""
    """Seconds; five minutes to either side."""


def declare(api: Api, service: Service, context: Context) -> None:
    given = context.settings.get("lessons_push_secret").encode()
    secret = given or context.settings.secrets.key("lessons availability")

    @api.post("/lessons/{lesson:path}/availability", summary="A studio says what is free", tag="studios", webhook=True)
    async def availability(request: Request, lesson: LessonName, headers: Signed, body: AvailabilityIn) -> ToldOut:
        """Signed with the secret that studio and lesson list share. What was received once is refused the next time;
        to say it again, sign it anew. What was signed before the newest push of that lesson is ignored."""
        raw = await request.body()
        said_at = verify_push(secret, lesson, raw, headers.signature, headers.timestamp, context.clock)
        try:
            found = availability_in(msgspec.to_builtins(body))
        except ValueError as error:
            raise Invalid(field="available") from error
        slot = parse_slot(lesson)
        await service.timetable.upcoming(slot)
        kept = timedelta(seconds=2 * PUSH_SECONDS_MAX)
        try:
            await context.runtime.transact(context.idempotency.mark(f"lessons/push/{headers.signature}", kept=kept))
        except TransactionFailed:
            raise Replayed() from None
        return ToldOut(await service.monitor.pushed(slot, found, said_at))
