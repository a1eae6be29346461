"""Taking something to work on, so that of several workers one does it, and another one can after a crash."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar

from sekkei.design import Condition, ConditionFailed, Database, Field, Update

M = TypeVar("M")


def free(lease_until: Field[M, Any], now: datetime) -> Condition[M]:
    """Nobody works on it, or whoever did has been silent for too long."""
    return lease_until.absent() | (lease_until < now)


async def take(db: Database, update: Update[M]) -> M | None:
    """Carry out the update that takes the lease; None when somebody else was quicker."""
    try:
        return await db.write(update)
    except ConditionFailed:
        return None
