"""What an Idempotency-Key makes once, with its answer in the transaction of its effect: tasks and comments.

Everything else that writes has it of the shell (sekkei.web.once).
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from sekkei.design import Action
from sekkei.runtime.idempotency import Idempotency, own_key
from sekkei.web.once import with_effect
from sekkei_systems.tasks.service import Member

M = TypeVar("M")
Out = TypeVar("Out")
Beside = Callable[[M], list[Action[Any, Any]]]
"""What is written in the transaction of the effect, given what it makes."""


async def once(
    idempotency: Idempotency,
    member: Member,
    key: str | None,
    asked: tuple[object, ...],
    make: Callable[[Beside[M]], Awaitable[M]],
    out: Callable[[M], Out],
    shape: type[Out],
) -> Out:
    """Make it, with its mark in the same transaction: there is never one without the other."""
    if key is None:
        return out(await make(lambda made: []))
    row = own_key("tasks", member.team_id, member.user_id, key)
    earlier = f"tasks/{member.team_id}/{member.user_id}/{hashlib.sha256(key.encode()).hexdigest()}"
    body = hashlib.sha256(msgspec.json.encode(asked)).hexdigest()
    found = await with_effect(
        idempotency, (row, earlier), body, lambda mark: make(lambda made: [mark(made)]), out, shape
    )
    return found.answer
