"""The least that a program needs of DynamoDB, table by table and index by index.

A function of a system may do what tests have seen that function do (`calls.py`) and nothing else.
For a design without such notes, its patterns say which indexes are read and what is scanned, and its tables are open
to reads and writes of items. Nobody may make, change or delete tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sekkei.design import Design, Pattern, Table
from sekkei.publish.aws.calls import Calls
from sekkei.publish.aws.names import arn_of, logical

_SCANNING = ("work",)
NOTHING: Mapping[str, Calls] = MappingProxyType({})
READ = ("BatchGetItem", "GetItem", "Query")
WRITE = ("BatchWriteItem", "ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem")
STREAM = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
_OPERATIONS = {"TransactGetItems": "GetItem", "ConditionCheck": "ConditionCheckItem"}


def statements(*designs: Design, function: str = "http", noted: Mapping[str, Calls] = NOTHING) -> list[dict[str, Any]]:
    """Statements for a function that works with all of these designs; `noted` are their calls, by name of design."""
    found: list[dict[str, Any]] = []
    for design in designs:
        calls = noted.get(design.name)
        if calls is None:
            found += _of_design(design, scan=function in _SCANNING)
        else:
            found += _of_calls(design, calls.get(function, {}))
    return found


def _of_calls(design: Design, calls: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    """One statement for all that the same is done with."""
    by_actions: dict[tuple[str, ...], list[Any]] = {}
    names: dict[tuple[str, ...], str] = {}
    for resource, noted in calls.items():
        table, _, index = resource.partition("/index/")
        actions = tuple(noted)
        if table in design.tables:
            arn = index_arn(design.tables[table], index) if index else arn_of(design.tables[table])
            by_actions.setdefault(actions, []).append(arn)
            names.setdefault(actions, logical(design.name, table, index))
    return [_allow(names[actions], actions, arns) for actions, arns in by_actions.items()]


def _of_design(design: Design, scan: bool) -> list[dict[str, Any]]:
    found = [_allow(logical(table.name, "items"), (*READ, *WRITE), [arn_of(table)]) for table in design.tables.values()]
    found += _of_indexes(design)
    for name in sorted(_scanned(design)) if scan else ():
        found.append(_allow(logical(name, "scan"), ("Scan",), [arn_of(design.tables[name])]))
    return found


def _scanned(design: Design) -> set[str]:
    """Tables that a pattern scans; it says why."""
    return {plan.table for each in design.patterns.values() for plan in each.plans if plan.operation == "Scan"}


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
            arns = [index_arn(table, name) for name in read]
            found.append(_allow(logical(table.name, "indexes"), ("Query",), arns))
    return found


def of_pattern(pattern: Pattern[..., Any], design: Design, leading_key: str | None = None) -> list[dict[str, Any]]:
    """Exactly what one pattern asks; `leading_key` binds it to partition keys of that form, such as a user's own."""
    found: list[dict[str, Any]] = []
    for number, plan in enumerate(pattern.plans):
        operation = plan.operation.removeprefix("TransactWriteItems ")
        operation = _OPERATIONS.get(operation, operation)
        table = design.tables[plan.table]
        arn = arn_of(table) if plan.index is None else index_arn(table, plan.index)
        statement = _allow(logical(pattern.name, str(number)), (operation,), [arn])
        if leading_key is not None and operation != "Scan":
            condition = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [leading_key]}}
            statement["Condition"] = condition
        if statement["Action"] not in [one["Action"] for one in found if one["Resource"] == statement["Resource"]]:
            found.append(statement)
    return found


def by_arn(statements: list[dict[str, Any]], design: Design, env: str) -> list[dict[str, Any]]:
    """The same for a policy that stands alone, with the tables' names in one environment, in any account and region."""
    arns = {}
    for table in design.tables.values():
        arn = f"arn:aws:dynamodb:*:*:table/{design.table_name(table, env)}"
        arns[str(arn_of(table))] = arn
        arns |= {str(index_arn(table, name)): f"{arn}/index/{name}" for name in table.indexes}
    return [{**each, "Resource": [arns[str(resource)] for resource in each["Resource"]]} for each in statements]


def streams_statement(tables: Iterable[Table]) -> dict[str, Any]:
    arns = [{"Fn::GetAtt": [logical(table.name, "table"), "StreamArn"]} for table in tables]
    return _allow("Streams", STREAM, arns)


def index_arn(table: Table, index: str) -> dict[str, Any]:
    return {"Fn::Sub": f"${{{logical(table.name, 'table')}.Arn}}/index/{index}"}


def _allow(sid: str, operations: tuple[str, ...], resources: list[Any]) -> dict[str, Any]:
    actions = [f"dynamodb:{operation}" for operation in operations]
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}
