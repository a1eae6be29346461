"""Writing many items at once, without conditions. Whatever the store leaves unprocessed is sent again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .actions import Action, Delete, Put
from .errors import Contended, ValueRefused
from .retries import TRIES_MAX, pause

if TYPE_CHECKING:
    from .database import Database

BATCH_WRITE_MAX = 25


def _element(action: Action[Any, Any]) -> dict[str, Any]:
    entity = action.entity
    plain = not action.conditions and not entity.uniques
    if isinstance(action, Put) and action.mode == "put" and plain and entity.model.version is None:
        return {"PutRequest": {"Item": action.item}}
    if isinstance(action, Delete) and plain and not action.needed:
        return {"DeleteRequest": {"Key": action.ref.key}}
    raise ValueRefused(
        "SK225",
        f"{action!r} cannot be in a batch: a batch knows put and delete, and no conditions, versions or uniqueness. "
        "Use db.write or db.transact for it.",
    )


async def write_many(db: Database, actions: Iterable[Action[Any, Any]]) -> int:
    """Write all of them in batches; returns how many. When one item comes twice, the last one counts."""
    last = {action.ref: action for action in actions}
    waiting = [(db.table_name(action.entity.table), _element(action)) for action in last.values()]
    for start in range(0, len(waiting), BATCH_WRITE_MAX):
        await _write_batch(db, waiting[start : start + BATCH_WRITE_MAX])
    return len(waiting)


async def _write_batch(db: Database, batch: list[tuple[str, dict[str, Any]]]) -> None:
    request: dict[str, list[dict[str, Any]]] = {}
    for table_name, element in batch:
        request.setdefault(table_name, []).append(element)
    for attempt in range(TRIES_MAX):
        response = await db.store.call("BatchWriteItem", {"RequestItems": request})
        request = response.get("UnprocessedItems") or {}
        if not request:
            return
        await pause(attempt, db.clock)
    raise Contended(
        "SK305", f"the store left writes unprocessed {TRIES_MAX} times. Some were made; send all of them again."
    )
