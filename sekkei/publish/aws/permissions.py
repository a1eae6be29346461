"""The least that a program needs of DynamoDB: what patterns ask, table by table and index by index.

A system also writes outside its patterns (a service composes transactions), so a table that it owns is open to reads
and writes of items; never to Scan unless a pattern says why it scans, and never to anything that makes, changes or
deletes tables. An index is open to Query alone, and only where a pattern reads it.
"""

from __future__ import annotations

from typing import Any

from sekkei.design import Design, Pattern, Table
from sekkei.publish.aws.names import arn_of, logical

READ = ("BatchGetItem", "GetItem", "Query")
WRITE = ("BatchWriteItem", "ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem")
STREAM = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
_OPERATIONS = {"TransactGetItems": "GetItem", "ConditionCheck": "ConditionCheckItem"}


class UnknownPattern(LookupError):
    """No such pattern in the design."""


def statements(*designs: Design, scan: bool = False) -> list[dict[str, Any]]:
    """Statements for a function that works with all of these designs."""
    found: list[dict[str, Any]] = []
    for design in designs:
        for table in design.tables.values():
            found.append(_allow(logical(table.name, "items"), (*READ, *WRITE), [arn_of(table)]))
        found += _of_indexes(design)
        scanned = sorted({plan.table for p in design.patterns.values() for plan in p.plans if plan.operation == "Scan"})
        for name in scanned if scan else ():
            found.append(_allow(logical(name, "scan"), ("Scan",), [arn_of(design.tables[name])]))
    return found


def _of_indexes(design: Design) -> list[dict[str, Any]]:
    found = []
    for table in design.tables.values():
        read = sorted(
            {
                plan.index
                for pattern in design.patterns.values()
                for plan in pattern.plans
                if plan.table == table.name and plan.index is not None
            }
        )
        if read:
            arns = [_index_arn(table, name) for name in read]
            found.append(_allow(logical(table.name, "indexes"), ("Query",), arns))
    return found


def of_pattern(pattern: Pattern[..., Any], design: Design, leading_key: str | None = None) -> list[dict[str, Any]]:
    """Exactly what one pattern asks; `leading_key` binds it to partition keys of that form, such as a user's own."""
    found: list[dict[str, Any]] = []
    for number, plan in enumerate(pattern.plans):
        operation = plan.operation.removeprefix("TransactWriteItems ")
        operation = _OPERATIONS.get(operation, operation)
        table = design.tables[plan.table]
        arn = arn_of(table) if plan.index is None else _index_arn(table, plan.index)
        statement = _allow(logical(pattern.name, str(number)), (operation,), [arn])
        if leading_key is not None and operation != "Scan":
            condition = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [leading_key]}}
            statement["Condition"] = condition
        if statement["Action"] not in [one["Action"] for one in found if one["Resource"] == statement["Resource"]]:
            found.append(statement)
    return found


def stream_statement(table: Table) -> dict[str, Any]:
    return _allow(logical(table.name, "stream"), STREAM, [{"Fn::GetAtt": [logical(table.name, "table"), "StreamArn"]}])


def _index_arn(table: Table, index: str) -> dict[str, Any]:
    return {"Fn::Sub": f"${{{logical(table.name, 'table')}.Arn}}/index/{index}"}


def _allow(sid: str, operations: tuple[str, ...], resources: list[Any]) -> dict[str, Any]:
    actions = [f"dynamodb:{operation}" for operation in operations]
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}
