"""Carrying out writes: read first where that is needed, send, explain failures, try again where that helps.

A batch writes many items without conditions; items that the store leaves unprocessed are sent again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sekkei.errors import (
    ConditionalCheckFailedException,
    TransactionCanceledException,
    TransactionConflictException,
    TransactionInProgressException,
)

from .actions import Action, Check, Delete, Put, Update
from .codecs import AttributeValue
from .conditions import Compare, Expression
from .errors import ConditionFailed, Contended, Reason, TransactionFailed, ValueRefused
from .keys import Ref
from .model import Unknown, replace_version
from .reading import alive
from .retries import TRIES_MAX, pause
from .writing import Knowledge, Missing, Piece, hand_over, pieces_of

if TYPE_CHECKING:
    from .database import Database

_BATCH_WRITE_MAX = 25


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
    for start in range(0, len(waiting), _BATCH_WRITE_MAX):
        await _write_batch(db, waiting[start : start + _BATCH_WRITE_MAX])
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


if TYPE_CHECKING:
    from .database import Database

_ACTIONS_MAX = 100
_OPERATIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
_RETURNS = {"Put": "NONE", "Update": "ALL_NEW", "Delete": "ALL_OLD"}


class Stale(Exception):
    """What was read first has changed since; read again."""


class _TransactionToken:
    """The token of one transaction through all its tries.

    An answer can be lost after the transaction has happened. As long as a try asks for the same as the one before, it
    carries the same token, so that the store recognises it and does not take its own work for somebody else's.
    """

    def __init__(self, db: Database, given: str | None) -> None:
        self._given = given
        self._own: str | None = None
        self._items: list[dict[str, Any]] | None = None
        # A store in this process never loses an answer, and spares the row that remembers the token.
        self.needed = given is not None or not getattr(db.store, "answers_surely", False)

    def of(self, items: list[dict[str, Any]]) -> str | None:
        if self._given is not None or not self.needed:
            return self._given
        if self._own is None or items != self._items:
            # Chance itself, not the clock's: stores outlive programs, and a token must not come back in another one.
            self._own, self._items = os.urandom(16).hex(), items
        return self._own


async def write(db: Database, action: Action[Any, Any], given: str | None = None, once: bool = False) -> Any:
    """Carry out one action; returns what its type says."""
    token, now = _TransactionToken(db, given), _moment(db, given)
    together = given is not None or (once and token.needed)
    answer_lost = False
    before = await _read(db, action.ref) if together and isinstance(action, Delete) else None
    for attempt in range(TRIES_MAX):
        try:
            pieces, knowledge = await _prepare(db, (action,), now)
            if not together and len(pieces) == 1 and pieces[0].kind != "ConditionCheck":
                return await _single(db, pieces[0], knowledge, answer_lost)
            await _together(db, pieces, knowledge, token, action.pattern)
        except TransactionConflictException as error:
            answer_lost = answer_lost or error.answer_lost
            await pause(attempt, db.clock)
            continue
        except (Stale, TransactionInProgressException) as error:
            answer_lost = answer_lost or getattr(error.__cause__, "answer_lost", False)
            await pause(attempt, db.clock)
            continue
        except TransactionFailed as failed:
            raise _as_single(action, failed) from failed
        return await _result(db, action, knowledge, before)
    raise _contended(f"{action!r}")


async def transact(db: Database, actions: tuple[Action[Any, Any], ...], token: str | None, pattern: str | None) -> None:
    """Carry out several actions, all or none."""
    through_all, now = _TransactionToken(db, token), _moment(db, token)
    for attempt in range(TRIES_MAX):
        pieces, knowledge = await _prepare(db, actions, now)
        _check_distinct(pieces)
        try:
            await _together(db, pieces, knowledge, through_all, pattern)
            return
        except (Stale, TransactionInProgressException):
            await pause(attempt, db.clock)
    raise _contended(f"a transaction of {len(actions)} actions")


def _contended(what: str) -> Contended:
    return Contended(
        "SK303", f"{what} met other writes {TRIES_MAX} times. Try again later, or spread the writes over more items."
    )


def _moment(db: Database, token: str | None) -> int | None:
    """What counts as expired: the same in every try, so that a try that nothing has changed for asks for the same. None
    with a token of the caller's, who may send it again later: such a request must not tell the time."""
    return int(db.clock.now()) if token is None else None


async def _prepare(
    db: Database, actions: tuple[Action[Any, Any], ...], now: int | None
) -> tuple[list[Piece], Knowledge]:
    knowledge = Knowledge(now, db.table_name)
    pieces: list[Piece] = []
    for action in actions:
        try:
            pieces += await _pieces(db, action, knowledge)
        except Missing:
            reason = Reason("ConditionalCheckFailed", f"{action!r}: there is no such item")
            raise _failure(actions, [(action, reason)]) from None
    return hand_over(pieces), knowledge


async def _pieces(db: Database, action: Action[Any, Any], knowledge: Knowledge) -> list[Piece]:
    if knowledge.now is None and _needs_a_living_item(action) and not _says_until_when(action):
        await _clear_expired(db, action.ref)
    try:
        return pieces_of(action, knowledge)
    except Unknown:
        knowledge.read[action.ref] = await _read(db, action.ref)
        return pieces_of(action, knowledge)


async def _read(db: Database, ref: Ref[Any]) -> dict[str, AttributeValue] | None:
    request = {"TableName": db.table_name(ref.entity.table), "Key": ref.key, "ConsistentRead": True}
    found: dict[str, AttributeValue] | None = (await db.store.call("GetItem", request)).get("Item")
    return found


def _check_distinct(pieces: list[Piece]) -> None:
    if not 1 <= len(pieces) <= _ACTIONS_MAX:
        raise ValueRefused(
            "SK223",
            f"a transaction takes 1 to {_ACTIONS_MAX} items, this one has {len(pieces)}. Split it where it may be; "
            "this is never done silently.",
        )
    seen: dict[Ref[Any], Piece] = {}
    for piece in pieces:
        other = seen.setdefault(piece.ref, piece)
        if other is not piece:
            raise ValueRefused(
                "SK224",
                f"{other.action!r} and {piece.action!r} touch the same item, and DynamoDB takes one action per item. "
                "Combine them into one update.",
            )


async def _single(db: Database, piece: Piece, knowledge: Knowledge, answer_lost: bool) -> Any:
    action = piece.action
    request = {**piece.request, "ReturnValues": _RETURNS[piece.kind]}
    db.measure_into(request)
    try:
        response = await db.store.call(_OPERATIONS[piece.kind], request)
    except ConditionalCheckFailedException as error:
        old = await _old_item(db, piece, error.item, knowledge)
        unsure = answer_lost or error.answer_lost
        own = await _own(db, piece, old) if unsure else None
        if own is not None:
            return _stored_instance(action) if isinstance(action, Put) else action.entity.decode(own)
        if await _outdated(db, piece, old, knowledge):
            raise Stale from error
        raise ConditionFailed("SK301", _why(piece, old), action, _decoded(piece, old), unsure=unsure) from error
    db.measured(action.pattern, [response], writing=True, items=1)
    if isinstance(action, Put):
        return _stored_instance(action)
    stored = response.get("Attributes")
    return None if not stored else action.entity.decode(stored)


async def _own(db: Database, piece: Piece, old: dict[str, AttributeValue] | None) -> dict[str, AttributeValue] | None:
    """What stands there, if this very write put it there, in a try whose answer was lost."""
    action = piece.action
    if not isinstance(action, Put) and not action.marks:
        return None
    there = old if old is not None else await _read(db, piece.ref)
    if there is None or there == piece.request.get("Item"):
        return there
    wrote = _wrote(action)
    known = [field.stored for field in action.marks if field.stored in wrote]  # what only the key holds is the same
    own = bool(action.marks) and action.entity.owns(there) and all(there.get(name) == wrote[name] for name in known)
    return there if own else None


def _wrote(action: Action[Any, Any]) -> Mapping[str, AttributeValue | None]:
    if isinstance(action, Put):
        return action.item
    assert isinstance(action, Update)
    return {change.field.stored: change.field.encode(change.value) for change in action.changes if change.kind == "set"}


def _stored_instance(action: Put[Any]) -> Any:
    version = action.entity.model.version
    if version is None:
        return action.instance
    written = 0 if action.mode == "create" else int(action.instance.__dict__[version.name])
    return replace_version(action.instance, version.name, written + 1)


async def _result(db: Database, action: Action[Any, Any], knowledge: Knowledge, before: Any) -> Any:
    """What a write gives back when uniqueness or a token made a transaction of it."""
    if isinstance(action, Put):
        return _stored_instance(action)
    if isinstance(action, Delete):
        old = knowledge.read.get(action.ref, before)
        return None if old is None else action.entity.decode(old)
    if isinstance(action, Update):
        stored = await _read(db, action.ref)
        return None if stored is None else action.entity.decode(stored)
    assert isinstance(action, Check)
    return None


async def _together(
    db: Database, pieces: list[Piece], knowledge: Knowledge, token: _TransactionToken, pattern: str | None
) -> None:
    items = [{piece.kind: piece.request} for piece in pieces]
    request: dict[str, Any] = {"TransactItems": items}
    carried = token.of(items)
    if carried is not None:
        request["ClientRequestToken"] = carried
    db.measure_into(request)
    try:
        response = await db.store.call("TransactWriteItems", request)
    except TransactionCanceledException as error:
        raise await _explain(db, pieces, error, knowledge) from error
    db.measured(pattern, [response], writing=True, items=len(pieces))


async def _explain(
    db: Database, pieces: list[Piece], error: TransactionCanceledException, knowledge: Knowledge
) -> Exception:
    failures: list[tuple[Action[Any, Any], Reason]] = []
    conflict = False
    for piece, found in zip(pieces, error.reasons, strict=False):
        code = found.get("Code", "None")
        if code == "None":
            continue
        if code == "ConditionalCheckFailed":
            old = await _old_item(db, piece, found.get("Item"), knowledge)
            if await _outdated(db, piece, old, knowledge):
                return Stale()
            taken = None if piece.unique is None else piece.unique.template.text
            failures.append((piece.action, Reason(code, _why(piece, old), _decoded(piece, old), taken)))
        elif code in ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"):
            conflict = True
        else:
            failures.append((piece.action, Reason(code, f"{piece.action!r}: {found.get('Message', code)}")))
    if conflict and not failures:
        return Stale()
    return _failure(tuple(piece.action for piece in pieces), failures)


def _failure(
    actions: tuple[Action[Any, Any], ...], failures: list[tuple[Action[Any, Any], Reason]]
) -> TransactionFailed:
    told = "; ".join(reason.text for _, reason in failures) or "no reason given"
    return TransactionFailed("SK302", f"nothing was written, because {told}.", failures)


def _as_single(action: Action[Any, Any], failed: TransactionFailed) -> ConditionFailed:
    reason = failed.reason(action)
    text = failed.message if reason is None else f"{reason.text}."
    old = None if reason is None else reason.old
    return ConditionFailed("SK301", text, action, old, None if reason is None else reason.taken)


async def _old_item(
    db: Database, piece: Piece, given: dict[str, AttributeValue] | None, knowledge: Knowledge
) -> dict[str, AttributeValue] | None:
    """The item that made the condition fail; stores that do not send it are asked again when it matters."""
    if given is None and piece.ref in knowledge.read:
        return await _read(db, piece.ref)
    return given


async def _outdated(db: Database, piece: Piece, old: dict[str, AttributeValue] | None, knowledge: Knowledge) -> bool:
    """Did the condition fail only because of what was read before? Then reading again may help."""
    mine = piece.unique is None and old is not None
    if mine and (await _migrated(db, piece, old or {}) or await _cleared(db, piece, old or {}, knowledge)):
        return True
    if piece.ref not in knowledge.read:
        return False
    read = knowledge.read[piece.ref]
    if old is None or read is None:
        return (old is None) != (read is None)
    now = piece.ref.entity.decode(old).__dict__
    return any(now[name] != value for name, value in piece.assumed.items())


async def _migrated(db: Database, piece: Piece, old: dict[str, AttributeValue]) -> bool:
    """An update of an item of an earlier schema: bring the stored item up to date, then try again."""
    model = piece.ref.entity.model
    if piece.kind != "Update" or not model.migrations:
        return False
    stored = old.get(model.schema_stored)
    if stored is not None and int(stored["N"]) == model.schema:
        return False
    await db.migrate(piece.ref, old)
    return True


async def _cleared(db: Database, piece: Piece, old: dict[str, AttributeValue], knowledge: Knowledge) -> bool:
    """An upsert, or a condition that could not tell the time, met an expired item that lingers: take it away, then try
    again."""
    action = piece.action
    in_the_way = knowledge.now is None or (isinstance(action, Update) and action.creating)
    if not in_the_way or alive(piece.ref.entity, old, db.clock.now()):
        return False
    await _clear(db, piece.ref, old)
    return True


def _says_until_when(action: Action[Any, Any]) -> bool:
    """`Model.expires > moment` among its conditions is the caller's own word on what has expired."""
    ttl = action.entity.ttl
    return ttl is None or any(
        isinstance(one, Compare) and one.field is ttl and one.operator == ">" for one in action.conditions
    )


def _needs_a_living_item(action: Action[Any, Any]) -> bool:
    if isinstance(action, Put):
        return action.mode == "replace"
    if isinstance(action, Delete):
        return action.needed
    return isinstance(action, Update) or (isinstance(action, Check) and action.present)


async def _clear_expired(db: Database, ref: Ref[Any]) -> None:
    """Where a condition cannot tell the time, what has expired is gone before it is asked."""
    old = await _read(db, ref)
    if old is not None and not alive(ref.entity, old, db.clock.now()):
        await _clear(db, ref, old)


async def _clear(db: Database, ref: Ref[Any], old: dict[str, AttributeValue]) -> None:
    """Take away an expired item that lingers, unless it was written again."""
    ttl = ref.entity.ttl
    assert ttl is not None
    expression = Expression()
    request = {"TableName": db.table_name(ref.entity.table), "Key": ref.key}
    request["ConditionExpression"] = f"{expression.name(ttl.stored)} = {expression.value(old[ttl.stored])}"
    expression.into(request)
    try:
        await db.store.call("DeleteItem", request)
    except (ConditionalCheckFailedException, TransactionConflictException):
        pass  # it is somebody else's fresh item by now, or somebody is at it


def _why(piece: Piece, old: dict[str, AttributeValue] | None) -> str:
    action = piece.action
    if piece.unique is not None:
        return f"{action!r}: {piece.unique.template.text} is already taken"
    if isinstance(action, Put) and action.mode == "create" and not action.conditions:
        return f"{action!r}: the item is already there"
    if isinstance(action, Check) and not action.present:
        return f"{action!r}: there is such an item"
    if old is None:
        return f"{action!r}: there is no such item, or its condition does not hold"
    return f"{action!r}: its condition does not hold for the item that is there"


def _decoded(piece: Piece, old: dict[str, AttributeValue] | None) -> Any:
    entity = piece.ref.entity
    if old is None or piece.unique is not None or not entity.owns(old):
        return None
    return entity.decode(old)
