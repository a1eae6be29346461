"""ExecuteStatement: one statement of PartiQL, as the operation of the engine that it is."""

from __future__ import annotations

from functools import partial
from typing import Any

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.delete_item import delete_item
from sekkei.engine.operations.put_item import put_item
from sekkei.engine.operations.update_item import update_item
from sekkei.engine.partiql.job import Job
from sekkei.engine.partiql.prepared import Existence, Insertion, Selection, Writing, prepare
from sekkei.engine.partiql.reading import select
from sekkei.engine.partiql.single_item import duplicate_item, write_of
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.transaction import Transaction
from sekkei.errors import ConditionalCheckFailedException, ValidationException

_OPERATIONS = {"Put": put_item, "Update": update_item, "Delete": delete_item}


def execute_statement(checked: Checked) -> Job:
    """What the statement will do, once it has its table."""
    request = checked.request
    statement = prepare(request["Statement"], request.get("Parameters", ()))
    if isinstance(statement, Selection):
        return Job(read=partial(_read, statement))
    if isinstance(statement, Existence):
        raise ValidationException("EXISTS can only be used in ExecuteTransaction write requests.")
    return Job(write=partial(_write, statement))


def _read(statement: Selection, snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    return select(snapshot, statement, checked.request, render)


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
