"""What an Idempotency-Key makes once, with its answer in the transaction of its effect: bookings and waitlist entries.

Everything else that writes has it of the shell (sekkei.web.once).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from sekkei.runtime.idempotency import Idempotency, own_key
from sekkei.web import Answer
from sekkei.web.once import with_effect
from sekkei_systems.lessons.api.shapes import LessonName, TieOut, tie_out
from sekkei_systems.lessons.design import UserLesson
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.ties import Also


class LessonRef(msgspec.Struct):
    lesson: LessonName


Operation = Callable[[Member, Slot, Also | None], Awaitable[UserLesson]]


async def once(
    idempotency: Idempotency, member: Member, key: str | None, asked: str, operation: Operation, slot: Slot
) -> Answer[TieOut]:
    """Do it, or give the answer of that time."""
    if key is None:
        return Answer(tie_out(await operation(member, slot, None)))
    rows = own_key("lessons", "", member.user_id, key), *_earlier(member.user_id, key)
    asked = f"{asked} {slot}"
    made = await with_effect(idempotency, rows, asked, lambda mark: operation(member, slot, mark), tie_out, TieOut)
    return Answer(made.answer, headers=made.headers)


def _earlier(user_id: str, key: str) -> tuple[str, str]:
    """Names of rows that earlier versions wrote; they go within a week."""
    return own_key("lessons", user_id, key), f"lessons/{user_id}/{key}"
