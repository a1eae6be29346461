"""Random parameters from before there were expressions."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.peers import values
from tests.peers.tables import Index, Request, Table, key_value

UNARY = ("NULL", "NOT_NULL")
COMPARISONS = ("EQ", "NE", "LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH")


def _comparison(random: Random, operators: tuple[str, ...] = (*UNARY, *COMPARISONS, "IN", "BETWEEN")) -> dict[str, Any]:
    operator = random.choice(operators)
    if operator in UNARY:
        operands: list[values.Value] = []
    elif operator == "BETWEEN":
        kind = random.choice(("S", "N", "B"))
        operands = [values.value(random, 0, kind) for _ in range(2)]
    elif operator == "IN":
        operands = [values.value(random, 0, random.choice(("S", "N", "B"))) for _ in range(random.randint(1, 3))]
    else:
        scalar = operator not in ("EQ", "NE")
        operands = [values.value(random, 1, random.choice(("S", "N", "B")) if scalar else None)]
    if random.random() < 0.03:
        operands = operands[1:] or [values.value(random)]
    return {"ComparisonOperator": operator, **({"AttributeValueList": operands} if operands else {})}


def _conditions(random: Random, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _comparison(random) for name in random.sample(names, random.randint(1, 2))}


def _operator(random: Random, request: Request) -> None:
    if random.random() < 0.3:
        request["ConditionalOperator"] = random.choice(("AND", "OR"))


def expected(random: Random, table: Table, request: Request) -> None:
    found: dict[str, Any] = {}
    for name in random.sample((*values.ATTRIBUTES, *table.names), random.randint(1, 2)):
        match random.randint(0, 3):
            case 0:
                found[name] = {"Exists": False}
            case 1:
                found[name] = {"Value": values.value(random)}
            case _:
                found[name] = _comparison(random)
    request["Expected"] = found
    _operator(random, request)


def attribute_updates(random: Random, table: Table, request: Request) -> None:
    updates: dict[str, Any] = {}
    for name in random.sample(values.ATTRIBUTES, random.randint(1, 3)):
        action = random.choice(("PUT", "PUT", "ADD", "DELETE"))
        match action:
            case "PUT":
                updates[name] = {"Action": action, "Value": table.attribute(random, name)}
            case "ADD":
                kind = random.choice(("N", "SS", "NS", "L", "S"))
                updates[name] = {"Action": action, "Value": values.value(random, 1, kind)}
            case _:
                updates[name] = {"Action": action}
                if random.random() < 0.4:
                    updates[name]["Value"] = values.value(random, 0, random.choice(("SS", "NS", "BS")))
    request["AttributeUpdates"] = updates


def key_conditions(random: Random, table: Table, index: Index | None, request: Request) -> None:
    names = table.names if index is None else index.names
    conditions: dict[str, Any] = {
        names[0]: {"ComparisonOperator": "EQ", "AttributeValueList": [key_value(random, table.types[names[0]])]}
    }
    if len(names) > 1 and random.random() < 0.6:
        operator = random.choice(("EQ", "LE", "LT", "GE", "GT", "BETWEEN", "BEGINS_WITH"))
        operands = [key_value(random, table.types[names[1]]) for _ in range(2 if operator == "BETWEEN" else 1)]
        conditions[names[1]] = {"ComparisonOperator": operator, "AttributeValueList": operands}
    request["KeyConditions"] = conditions
    if random.random() < 0.4:
        request["QueryFilter"] = _conditions(random, values.ATTRIBUTES)
        _operator(random, request)


def scan_filter(random: Random, table: Table, request: Request) -> None:
    request["ScanFilter"] = _conditions(random, (*values.ATTRIBUTES, *table.names))
    _operator(random, request)
