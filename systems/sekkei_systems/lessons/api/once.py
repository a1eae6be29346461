"""A request with an Idempotency-Key is carried out once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

import msgspec
from msgspec import Meta

from sekkei.design import Put
from sekkei.runtime.design import Once
from sekkei.runtime.idempotency import Idempotency, own_key
from sekkei_systems.lessons.api.shapes import LessonName, TieOut, tie_out
from sekkei_systems.lessons.design import UserLesson
from sekkei_systems.lessons.refusals import KeyReused
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.ties import AlreadyDone, Also


class LessonRef(msgspec.Struct):
    lesson: LessonName


class Repeatable(msgspec.Struct, rename={"key": "Idempotency-Key"}):
    key: Annotated[str, Meta(min_length=1, max_length=255)] | None = None
    """The same key is carried out once."""


Operation = Callable[[Member, Slot, Also | None], Awaitable[UserLesson]]


async def once(
    idempotency: Idempotency, member: Member, key: str | None, asked: str, operation: Operation, slot: Slot
) -> TieOut:
    """Do it; a request with an Idempotency-Key that has been carried out before gets the answer of that time.

    The key is written in the transaction of the effect, so that there is never one without the other.
    """
    if key is None:
        return tie_out(await operation(member, slot, None))
    row = own_key("lessons", member.user_id, key)
    earlier = f"lessons/{member.user_id}/{key}"  # of rows that an earlier version wrote; they go within a week

    def mark(tie: UserLesson) -> Put[Once]:
        return idempotency.mark(row, {"asked": asked, "answer": msgspec.to_builtins(tie_out(tie))})

    answered = await idempotency.answer(row, earlier)
    if answered is None:
        try:
            return tie_out(await operation(member, slot, mark))
        except AlreadyDone:
            answered = await idempotency.answer(row)
    if answered is None or answered["asked"] != asked:
        raise KeyReused()
    return msgspec.convert(answered["answer"], TieOut)
