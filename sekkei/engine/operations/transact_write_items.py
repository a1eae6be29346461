"""TransactWriteItems: up to 100 puts, updates, deletes and checks that all happen, or none of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import orjson

from sekkei.engine import capacity, item_collections
from sekkei.engine.catalogue import Table
from sekkei.engine.frame import Checked, Render, Response, check_condition
from sekkei.engine.operations.update_item import updated
from sekkei.engine.sealed import seal, unseal
from sekkei.engine.snapshot import Stored
from sekkei.engine.transaction import Transaction
from sekkei.engine.validation import against_table
from sekkei.engine.values import Item
from sekkei.errors import (
    ConditionalCheckFailedException,
    IdempotentParameterMismatchException,
    TransactionCanceledException,
    ValidationException,
)

TOKEN_SECONDS = 600


@dataclass(slots=True)
class Action:
    """One action: the item that is meant, and what it is to become."""

    part: Checked
    table: Table
    key: bytes
    old: Stored | None
    new: Item | None = None
    size: int = 0
    """Of the new item."""


def transact_write_items(transaction: Transaction, checked: Checked, render: Render) -> Response:
    token = checked.request.get("ClientRequestToken")
    digest = _digest(checked.request) if token else b""
    if token:
        answer = _earlier_answer(transaction, token, digest)
        if answer is not None:
            return answer
    actions = _decide(transaction, checked)
    for action in actions:
        _carry_out(transaction, action)
    response = _answer(transaction, checked, actions)
    if token:
        _remember(transaction, token, digest, _answer_to_a_repetition(checked, response))
    return response


def _decide(transaction: Transaction, checked: Checked) -> list[Action]:
    """Every action with its outcome, or the reasons why none of them can happen."""
    tables = [transaction.table(part.table) for part in checked.parts]
    actions = _actions(transaction, checked, tables)
    reasons: list[dict[str, Any]] = []
    for action in actions:
        reason: dict[str, Any] = {"Code": "None"}
        try:
            check_condition(action.part, action.old)
            action.new, action.size = _outcome(action)
        except against_table.EmptyKeyValue:
            raise
        except ConditionalCheckFailedException as error:
            reason = {"Code": "ConditionalCheckFailed", "Message": error.message, **error.details()}
        except ValidationException as error:
            reason = {"Code": "ValidationError", "Message": error.message}
        reasons.append(reason)
    if any(reason["Code"] != "None" for reason in reasons):
        raise TransactionCanceledException.of(reasons)
    return actions


def _actions(transaction: Transaction, checked: Checked, tables: list[Table]) -> list[Action]:
    """The items that are meant. The first key that does not fit its table is the only reason given."""
    actions: list[Action] = []
    for place, (part, table) in enumerate(zip(checked.parts, tables, strict=True)):
        try:
            actions.append(_action(transaction, part, table))
        except against_table.EmptyKeyValue:
            # DynamoDB refuses the whole request for this one fault of a key.
            raise
        except ValidationException as error:
            reasons: list[dict[str, Any]] = [{"Code": "None"} for _ in checked.parts]
            reasons[place] = {"Code": "ValidationError", "Message": error.message}
            raise TransactionCanceledException.of(reasons) from None
    if len({(action.table.id, action.key) for action in actions}) < len(actions):
        raise ValidationException("Transaction request cannot include multiple operations on one item")
    return actions


def _action(transaction: Transaction, part: Checked, table: Table) -> Action:
    if part.item is not None:
        against_table.check_item(table, part.item)
    else:
        against_table.check_key(table, part.key or {})
        against_table.check_update(table, part.update)
    key = table.key_bytes(part.item or part.key or {})
    return Action(part, table, key, transaction.stored(table, key))


def _outcome(action: Action) -> tuple[Item | None, int]:
    """The new item, if there will be one, and its size."""
    part = action.part
    if part.action == "Put":
        return part.item, part.size
    if part.action == "Update":
        change, size = updated(action.table, part, action.old)
        return change.item, size
    return None, 0


def _carry_out(transaction: Transaction, action: Action) -> None:
    if action.new is not None:
        transaction.put(action.table, action.key, action.new, action.size, action.old)
    elif action.part.action == "Delete" and action.old is not None:
        transaction.delete(action.table, action.key, action.old)


def _answer(transaction: Transaction, checked: Checked, actions: list[Action]) -> Response:
    response: Response = {}
    how = checked.request.get("ReturnConsumedCapacity")
    if capacity.wanted(how):
        # A transactional write costs two plain ones.
        consumed = capacity.Consumed(factor=2.0)
        for action in actions:
            old = action.old.item if action.old else None
            consumed.add_write(action.table, old, old if action.part.action == "ConditionCheck" else action.new)
        capacity.attach_all(response, consumed, how, "WriteCapacityUnits")
    if checked.request.get("ReturnItemCollectionMetrics") == "SIZE":
        collections: dict[str, list[Any]] = {}
        for action in actions:
            if action.table.has_local_indexes:
                item = action.part.item or action.part.key or {}
                found = collections.setdefault(action.table.name, [])
                metrics = item_collections.metrics(transaction, action.table, item)
                if metrics not in found:
                    found.append(metrics)
        if collections:
            response["ItemCollectionMetrics"] = collections
    return response


# Idempotency.


def _digest(request: dict[str, Any]) -> bytes:
    """Of what the request would do; how it wants to be answered is no part of that."""
    return hashlib.sha256(orjson.dumps(request["TransactItems"], option=orjson.OPT_SORT_KEYS)).digest()


def _earlier_answer(transaction: Transaction, token: str, digest: bytes) -> Response | None:
    since = int((transaction.now - TOKEN_SECONDS) * 1000)
    rows = transaction.rows(
        "SELECT digest, answer, time_ms FROM tokens WHERE token = ? AND time_ms > ?", (token, since)
    )
    if not rows:
        return None
    known, answer, time_ms = rows[0]
    response: Response = unseal(answer, "token", token, known, time_ms)
    if known != digest:
        raise IdempotentParameterMismatchException("Request was issued with the same token but different parameters")
    return response


def _remember(transaction: Transaction, token: str, digest: bytes, answer: Response) -> None:
    now_ms = int(transaction.now * 1000)
    transaction.wrote = True
    transaction.connection.execute(
        "INSERT OR REPLACE INTO tokens(token, digest, answer, time_ms) VALUES (?, ?, ?, ?)",
        (token, digest, seal(answer, "token", token, digest, now_ms), now_ms),
    )


def _answer_to_a_repetition(checked: Checked, response: Response) -> Response:
    """A repetition only reads; DynamoDB bills it as reads and says so."""
    if "ConsumedCapacity" not in response:
        return response
    repeated = []
    for description in response["ConsumedCapacity"]:
        units = description["CapacityUnits"]
        repeated.append({"TableName": description["TableName"], "CapacityUnits": units, "ReadCapacityUnits": units})
    return {**response, "ConsumedCapacity": repeated}
