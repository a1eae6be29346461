"""ExecuteTransaction: up to 100 statements, each about one item, that all happen or none of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from sekkei.engine.operation import Checked, Plan, Render, Response, Statements
from sekkei.engine.operations.execute_statement import how_to_answer
from sekkei.engine.operations.transact_get_items import transact_get_items
from sekkei.engine.operations.transact_write_items import transact_write_items
from sekkei.engine.partiql import prepared
from sekkei.engine.partiql.prepared import (
    Deletion,
    Insertion,
    Prepared,
    Selection,
    UpdateStatement,
    Writing,
    prepare_with,
)
from sekkei.engine.partiql.select import KeyPlanner
from sekkei.engine.partiql.single_item import duplicate_item, get_of, keyed, write_of
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import WritePath
from sekkei.engine.validation import against_table, fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import List, Structure
from sekkei.errors import ResourceNotFoundException, TransactionCanceledException, ValidationException

S = TypeVar("S", bound=Prepared)

_MISMATCH = "The provided key element does not match the schema"

_SHAPE = Structure(
    "ExecuteTransactionInput",
    "TransactStatements",
    TransactStatements=List(
        Structure(
            "ParameterizedStatement",
            "Statement",
            Statement=fields.STATEMENT,
            Parameters=fields.PARAMETERS,
            ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
        ),
        shortest=1,
        longest=100,
    ),
    ClientRequestToken=fields.CLIENT_REQUEST_TOKEN,
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
)


class Cancels(Exception):
    """What keeps one statement from happening, as the reason that the answer shows."""

    def __init__(self, code: str, message: str) -> None:
        self.reason = {"Code": code, "Message": message}


def execute_transaction(checked: Checked) -> Plan:
    requests = checked.request["TransactStatements"]
    # All parameters are read before the first statement is.
    values = [prepared.normalised(request.get("Parameters", ())) for request in requests]
    statements = [
        _in_statement(place, partial(prepare_with, request["Statement"], given))
        for place, (request, given) in enumerate(zip(requests, values, strict=True))
    ]
    reads = [statement for statement in statements if isinstance(statement, Selection)]
    if reads and len(reads) < len(statements):
        raise ValidationException(
            "ExecuteTransaction API does not support both read and write operations in the same request."
        )
    if reads:
        return Plan(read=partial(_read, reads))
    writes = [statement for statement in statements if not isinstance(statement, Selection)]
    return Plan(write=partial(_write, writes), fastest=WritePath.AT_ONCE)


_T = TypeVar("_T")


def _in_statement(place: int, work: Callable[[], _T]) -> _T:
    """Errors of one statement name its place."""
    try:
        return work()
    except ValidationException as refusal:
        raise ValidationException(f"Validation failed in TransactStatements[{place}]: {refusal.message}") from None


def _parts(
    snapshot: Snapshot, statements: list[S], checked: Checked, part_of: Callable[[S, Table, dict[str, Any]], Checked]
) -> list[Checked]:
    """The statements as requests about items, or the reasons why they cannot be."""
    parts: list[Checked] = []
    reasons: list[dict[str, Any]] = []
    for place, (statement, request) in enumerate(zip(statements, checked.request["TransactStatements"], strict=True)):
        reason: dict[str, Any] = {"Code": "None"}
        try:
            table = snapshot.table(statement.target.table_name)
            parts.append(_in_statement(place, partial(part_of, statement, table, how_to_answer(request))))
        except ResourceNotFoundException as error:
            reason = {"Code": "ResourceNotFound", "Message": error.message}
        except Cancels as cancelling:
            reason = cancelling.reason
        reasons.append(reason)
    if len(parts) < len(statements):
        raise TransactionCanceledException.of(reasons)
    return parts


def _read(statements: list[Selection], snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    inner = Checked(checked.request)
    inner.parts = _parts(snapshot, statements, checked, _get)
    _check_distinct(snapshot, inner)
    return transact_get_items(snapshot, inner, render)


def _get(statement: Selection, table: Table, request: dict[str, Any]) -> Checked:
    if statement.target.index_name is not None:
        raise ValidationException("Reads on indices are not supported within transactions.")
    part = get_of(statement, table, statement.columns(), request)
    if part is not None and any(key.type not in (part.key or {})[key.name] for key in table.key.parts):
        raise Cancels("ValidationError", _MISMATCH)
    if statement.where is not None:
        KeyPlanner(table.key, statement.bindings).reads(statement.where)
    if part is None:
        raise ValidationException(
            "Select statements within ExecuteTransaction must specify the primary key in the where clause."
        )
    return part


def _check_distinct(snapshot: Snapshot, inner: Checked) -> None:
    tables = [snapshot.table(part.table) for part in inner.parts]
    items = {(table.id, table.key_bytes(part.key or {})) for table, part in zip(tables, inner.parts, strict=True)}
    if len(items) < len(inner.parts):
        raise ValidationException("Transaction request cannot include multiple operations on one item")


def _write(statements: list[Writing], transaction: Transaction, checked: Checked, render: Render) -> Response:
    # What the statements say is what a repetition must say again.
    request = {**checked.request, "TransactItems": checked.request["TransactStatements"]}
    inner = Checked(request)
    inner.parts = _parts(transaction, statements, checked, _change)
    try:
        return {"Responses": [], **transact_write_items(transaction, inner, render)}
    except TransactionCanceledException as cancelled:
        raise TransactionCanceledException.of(list(map(_reason, statements, cancelled.reasons))) from None


def _reason(statement: Writing, reason: dict[str, Any]) -> dict[str, Any]:
    if isinstance(statement, Insertion) and reason["Code"] == "ConditionalCheckFailed":
        return {"Code": "DuplicateItem", "Message": duplicate_item().message}
    return reason


def _change(statement: Writing, table: Table, request: dict[str, Any]) -> Checked:
    if (isinstance(statement, UpdateStatement) and statement.returning) or (
        isinstance(statement, Deletion) and statement.returns_old
    ):
        raise ValidationException("RETURNING clause is not supported in ExecuteTransaction.")
    if isinstance(statement, Insertion):
        try:
            against_table.item_key_bytes(table, statement.item)
        except ValidationException as refusal:
            raise Cancels("ValidationError", refusal.message) from None
    elif isinstance(statement, UpdateStatement | Deletion):
        found = keyed(table, statement.where, statement.bindings)
        if found.names_two or not found.is_whole(table):
            raise Cancels("ValidationError", _MISMATCH)
        if any(part.type not in found.key[part.name] for part in table.key.parts):
            raise Cancels("ValidationError", _MISMATCH)
    return write_of(statement, table, request)


OPERATIONS = (Statements("ExecuteTransaction", _SHAPE, plain, execute_transaction),)
