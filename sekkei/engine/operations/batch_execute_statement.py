"""BatchExecuteStatement: up to 25 statements, each about one item, each with its own answer."""

from __future__ import annotations

from functools import partial
from typing import Any

from sekkei.engine.operation import Checked, Plan, Render, Response, Statements
from sekkei.engine.operations.execute_statement import how_to_answer, perform
from sekkei.engine.operations.get_item import get_item
from sekkei.engine.partiql.prepared import Existence, Prepared, Selection, prepare
from sekkei.engine.partiql.select import KeyPlanner, index_of
from sekkei.engine.partiql.single_item import get_of, write_of
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import WritePath
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import List, Structure
from sekkei.errors import (
    AccessDeniedException,
    ConditionalCheckFailedException,
    DuplicateItemException,
    DynamoDBError,
    ItemCollectionSizeLimitExceededException,
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    ResourceNotFoundException,
    ThrottlingException,
    TransactionConflictException,
    ValidationException,
)

_CODES: dict[type[DynamoDBError], str] = {
    ConditionalCheckFailedException: "ConditionalCheckFailed",
    ItemCollectionSizeLimitExceededException: "ItemCollectionSizeLimitExceeded",
    RequestLimitExceeded: "RequestLimitExceeded",
    ValidationException: "ValidationError",
    ProvisionedThroughputExceededException: "ProvisionedThroughputExceeded",
    TransactionConflictException: "TransactionConflict",
    ThrottlingException: "ThrottlingError",
    ResourceNotFoundException: "ResourceNotFound",
    AccessDeniedException: "AccessDenied",
    DuplicateItemException: "DuplicateItem",
}

_SHAPE = Structure(
    "BatchExecuteStatementInput",
    "Statements",
    Statements=List(
        Structure(
            "BatchStatementRequest",
            "Statement",
            Statement=fields.STATEMENT,
            Parameters=fields.PARAMETERS,
            ConsistentRead=fields.BOOLEAN,
            ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
        ),
        shortest=1,
        longest=25,
    ),
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
)


class Member:
    """One statement of a batch on its way from its text to its answer."""

    def __init__(self, request: dict[str, Any], how: str | None) -> None:
        self.request = how_to_answer(request)
        if how is not None:
            self.request["ReturnConsumedCapacity"] = how
        self.table: Table | None = None
        self.part: Checked | None = None
        self.answer: Response = {}
        self.capacity: dict[str, Any] | None = None
        self.statement: Prepared | None = None
        try:
            self.statement = prepare(request["Statement"], request.get("Parameters", ()))
        except ValidationException as refusal:
            self.fail(refusal)

    def fail(self, error: DynamoDBError, table_name: str | None = None) -> None:
        code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), "InternalServerError")
        self.answer = {"Error": {"Code": code, "Message": error.message, **error.details()}}
        if table_name is not None:
            self.answer["TableName"] = table_name

    def find_item(self, snapshot: Snapshot) -> None:
        """Which item the statement is about."""
        if self.statement is None:
            return
        name = self.statement.target.table_name
        try:
            table = snapshot.table(name)
        except ResourceNotFoundException as error:
            self.fail(error, name)
            return
        try:
            self.part = self._request(table)
            self.table = table
        except ValidationException as refusal:
            self.fail(refusal)

    def _request(self, table: Table) -> Checked:
        statement = self.statement
        if isinstance(statement, Selection):
            return _read_of(statement, table, self.request)
        if isinstance(statement, Existence):
            raise ValidationException("EXISTS can only be used in ExecuteTransaction write requests.")
        assert statement is not None, "only a statement that could be read is looked at"
        return write_of(statement, table, self.request)

    @property
    def item_key(self) -> tuple[int, bytes] | None:
        """The item, so that no two statements are about the same; None when the key is not one of the table."""
        if self.table is None or self.part is None:
            return None
        key = self.part.item or self.part.key or {}
        if any(part.type not in key.get(part.name, ()) for part in self.table.key.parts):
            return None
        return self.table.id, self.table.key_bytes(key)


def batch_execute_statement(checked: Checked) -> Plan:
    request = checked.request
    members = [Member(statement, request.get("ReturnConsumedCapacity")) for statement in request["Statements"]]
    statements = [member.statement for member in members if member.statement is not None]
    reads = [statement for statement in statements if isinstance(statement, Selection)]
    if reads and len(reads) < len(statements):
        raise ValidationException("Read and write requests together in the same batch is not supported.")
    if len(reads) < len(statements):
        return Plan(write=partial(_write, members), fastest=WritePath.AT_ONCE)
    return Plan(read=partial(_read, members))


def _read(members: list[Member], snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    _find_items(members, snapshot)
    for member in members:
        if member.part is not None:
            try:
                _succeed(member, get_item(snapshot, member.part, render), "Item")
            except DynamoDBError as error:
                member.fail(error, member.part.table)
    return _answer(members)


def _write(members: list[Member], transaction: Transaction, checked: Checked, render: Render) -> Response:
    _find_items(members, transaction)
    for member in members:
        if member.part is not None and not isinstance(member.statement, Selection | None):
            try:
                _succeed(member, perform(transaction, member.statement, member.part, render), "Attributes")
            except DynamoDBError as error:
                member.fail(error, member.part.table)
    return _answer(members)


def _read_of(statement: Selection, table: Table, request: dict[str, Any]) -> Checked:
    index = index_of(table, statement)
    if index is None and statement.where is not None:
        KeyPlanner(table.key, statement.bindings).reads(statement.where)
    part = get_of(statement, table, statement.columns(), request) if index is None else None
    if part is None:
        raise ValidationException(
            "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
        )
    return part


def _find_items(members: list[Member], snapshot: Snapshot) -> None:
    # A read may be tried a second time, so nothing is left from a first one.
    for member in members:
        if member.statement is not None:
            member.answer, member.part, member.table, member.capacity = {}, None, None, None
        member.find_item(snapshot)
    items = [member.item_key for member in members if member.item_key is not None]
    if len(set(items)) < len(items):
        raise ValidationException("Provided list of item keys contains duplicates")


def _succeed(member: Member, answer: Response, member_name: str) -> None:
    assert member.table is not None, "a statement with a request has its table"
    member.answer = {"TableName": member.table.name}
    if answer.get(member_name) is not None:
        member.answer["Item"] = answer[member_name]
    member.capacity = answer.get("ConsumedCapacity")


def _answer(members: list[Member]) -> Response:
    response: Response = {"Responses": [member.answer for member in members]}
    used = [member.capacity for member in members if member.capacity is not None]
    if used:
        response["ConsumedCapacity"] = _added_up(used)
    return response


def _added_up(descriptions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry a table."""
    tables: dict[str, dict[str, Any]] = {}
    for description in descriptions:
        name = description["TableName"]
        tables[name] = _sum(tables[name], description) if name in tables else description
    return list(tables.values())


def _sum(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    total: dict[str, Any] = {**left, **right}
    for name in left.keys() & right.keys():
        if isinstance(left[name], dict):
            total[name] = _sum(left[name], right[name])
        elif isinstance(left[name], float | int):
            total[name] = left[name] + right[name]
    return total


OPERATIONS = (Statements("BatchExecuteStatement", _SHAPE, plain, batch_execute_statement),)
