"""ExecuteStatement: one statement of PartiQL, as the operation of the engine that it is."""

from __future__ import annotations

from functools import partial
from typing import Any

from sekkei.engine.operation import Checked, Plan, Render, Response, Slices, Statements, begun
from sekkei.engine.operations.delete_item import delete_item
from sekkei.engine.operations.put_item import put_item
from sekkei.engine.operations.update_item import update_item
from sekkei.engine.partiql.prepared import Existence, Insertion, Selection, Writing, prepare
from sekkei.engine.partiql.select import select
from sekkei.engine.partiql.single_item import duplicate_item, write_of
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import WritePath
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import String, Structure
from sekkei.errors import ConditionalCheckFailedException, ValidationException

_OPERATIONS = {"Put": put_item, "Update": update_item, "Delete": delete_item}

_SHAPE = Structure(
    "ExecuteStatementInput",
    "Statement",
    Statement=fields.STATEMENT,
    Parameters=fields.PARAMETERS,
    ConsistentRead=fields.BOOLEAN,
    NextToken=String(shortest=1, longest=32768),
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    Limit=fields.LIMIT,
    ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
)


def execute_statement(checked: Checked) -> Plan:
    """What the statement will do, once it has its table."""
    request = checked.request
    statement = prepare(request["Statement"], request.get("Parameters", ()))
    if isinstance(statement, Selection):
        return Plan(read=partial(_read, statement))
    if isinstance(statement, Existence):
        raise ValidationException("EXISTS can only be used in ExecuteTransaction write requests.")
    return Plan(write=partial(_write, statement), fastest=WritePath.AT_ONCE)


def _read(statement: Selection, snapshot: Snapshot, checked: Checked, render: Render) -> Response | Slices:
    return begun(select(snapshot, statement, checked.request, render))


def _write(statement: Writing, transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.table(statement.target.table_name)
    part = write_of(statement, table, how_to_answer(checked.request))
    answer = perform(transaction, statement, part, render)
    response: Response = {"Items": [answer["Attributes"]] if answer.get("Attributes") else []}
    if "ConsumedCapacity" in answer:
        response["ConsumedCapacity"] = answer["ConsumedCapacity"]
    return response


def perform(transaction: Transaction, statement: Writing, part: Checked, render: Render) -> Response:
    """The operation that a statement is; `part` is its request."""
    try:
        return _OPERATIONS[part.action](transaction, part, render)
    except ConditionalCheckFailedException:
        if isinstance(statement, Insertion):
            raise duplicate_item() from None
        raise


def how_to_answer(request: dict[str, Any]) -> dict[str, Any]:
    """Those members of a statement's request that the operations on items know as well."""
    members = ("ReturnConsumedCapacity", "ReturnValuesOnConditionCheckFailure", "ConsistentRead")
    return {member: request[member] for member in members if member in request}


OPERATIONS = (Statements("ExecuteStatement", _SHAPE, plain, execute_statement),)
