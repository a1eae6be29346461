"""TransactWriteItems: up to 100 puts, updates, deletes and checks that all happen, or none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sekkei.engine.items import capacity, values
from sekkei.engine.items.values import Item
from sekkei.engine.operation import Checked, Render, Response, Write, check_condition
from sekkei.engine.operations.update_item import bind, updated
from sekkei.engine.storage import documents
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Stored
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import WritePath
from sekkei.engine.validation import against_table, fields
from sekkei.engine.validation.against_table import check_item_size
from sekkei.engine.validation.fields import TABLE_NAME, named
from sekkei.engine.validation.shapes import List, Shape, Structure
from sekkei.errors import (
    ConditionalCheckFailedException,
    TransactionCanceledException,
    ValidationException,
)

BYTES_MAX = 4 * 1024 * 1024
_READ = "Read"
"""Names, in what is kept of an answer, the capacity of a repetition."""


def _shape_of(name: str, required: str, **members: Shape) -> Structure:
    return Structure(
        name,
        f"TableName {required}",
        **members,
        TableName=TABLE_NAME,
        ConditionExpression=fields.STRING,
        ExpressionAttributeNames=fields.NAMES,
        ExpressionAttributeValues=fields.ITEM,
        ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
    )


_SHAPE = Structure(
    "TransactWriteItemsInput",
    "TransactItems",
    ClientRequestToken=fields.CLIENT_REQUEST_TOKEN,
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=fields.RETURN_ITEM_COLLECTION_METRICS,
    TransactItems=List(
        Structure(
            "TransactWriteItem",
            ConditionCheck=_shape_of("ConditionCheck", "Key ConditionExpression", Key=fields.ITEM),
            Put=_shape_of("Put", "Item", Item=fields.ITEM),
            Delete=_shape_of("Delete", "Key", Key=fields.ITEM),
            Update=_shape_of("Update", "Key UpdateExpression", Key=fields.ITEM, UpdateExpression=fields.STRING),
        ),
        shortest=1,
        longest=100,
    ),
)


def rules(request: dict[str, Any]) -> Checked:
    actions = request["TransactItems"]
    for action in actions:
        if not action:
            raise ValidationException(
                "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
            )
        if len(action) > 1:
            raise ValidationException("TransactItems can only contain one of Check, Put, Update or Delete")
    checked = Checked(request)
    checked.parts = [_part(name, body) for action in actions for name, body in action.items()]
    _check_size(checked)
    return checked


def _part(name: str, body: dict[str, Any]) -> Checked:
    """Unlike elsewhere, names and values without an expression that uses them are let pass."""
    part = Checked(body, named(body["TableName"]), action=name)
    if name == "Put":
        if "" in body["Item"]:
            values.check_name("")
        part.item, part.size = values.measured_item(body["Item"])
        check_item_size(part.size)
    if "ConditionExpression" in body or "UpdateExpression" in body:
        bind(part)
    if name != "Put":
        part.key, part.size = values.measured_item(body["Key"])
    return part


def _check_size(checked: Checked) -> None:
    if sum(part.size for part in checked.parts) > BYTES_MAX:
        raise ValidationException("Transaction size cannot exceed 4 MB: the aggregate size of the items is too large")


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
    digest = documents.digest(checked.request["TransactItems"]) if token else b""
    if token:
        answer = documents.earlier_answer(transaction, token, digest)
        if answer is not None:
            return _repeated(answer, checked.request.get("ReturnConsumedCapacity"))
    actions = _decide(transaction, checked)
    for action in actions:
        _carry_out(transaction, action)
    response = _answer(transaction, checked, actions)
    if token:
        documents.remember(transaction, token, digest, _kept(response, actions))
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
        key = against_table.item_key_bytes(table, part.item)
    else:
        key = against_table.key_bytes(table, part.key or {})
        against_table.check_update(table, part.update)
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
        # A transactional write costs two plain ones; what it changes in indexes is written once.
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
                metrics = capacity.metrics(transaction, action.table, item)
                if metrics not in found:
                    found.append(metrics)
        if collections:
            response["ItemCollectionMetrics"] = collections
    return response


def _kept(response: Response, actions: list[Action]) -> Response:
    """What a repetition is answered from: it reads what the first call was about, and is charged for that."""
    consumed = capacity.Consumed(factor=2.0)
    for action in actions:
        consumed.add_read(action.table, max(action.old.size if action.old else 0, action.size), consistent=True)
    kept = {name: content for name, content in response.items() if name != "ConsumedCapacity"}
    return {**kept, _READ: consumed.describe("INDEXES", "ReadCapacityUnits")}


def _repeated(kept: Response, how: str | None) -> Response:
    """The answer in the manner that the repetition asks for; as it is when an earlier version kept it."""
    read = kept.pop(_READ, None)
    if read is not None and capacity.wanted(how):
        for description in read if how == "TOTAL" else ():
            del description["Table"]
        kept["ConsumedCapacity"] = read
    return kept


OPERATIONS = (Write("TransactWriteItems", _SHAPE, rules, transact_write_items, fastest=WritePath.AT_ONCE),)
