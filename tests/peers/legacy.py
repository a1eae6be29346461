"""Random parameters from before there were expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.peers import values
from tests.peers.dice import Dice
from tests.peers.tables import Index, Request, Table, key_value

UNARY = ("NULL", "NOT_NULL")
COMPARISONS = ("EQ", "NE", "LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH")


def _comparison(random: Dice, operators: tuple[str, ...] = (*UNARY, *COMPARISONS, "IN", "BETWEEN")) -> dict[str, Any]:
    operator = random.choice(operators)
    if operator in UNARY:
        operands: list[values.Value] = []
    elif operator == "BETWEEN":
        kind = random.choice(("S", "N", "B"))
        operands = sorted((values.random_value(random, 0, kind) for _ in range(2)), key=values.order)
    elif operator == "IN":
        kind = random.choice(("S", "N", "B"))
        operands = [values.random_value(random, 0, kind) for _ in range(random.randint(1, 3))]
    else:
        kinds = {"BEGINS_WITH": "SB", "EQ": "", "NE": ""}.get(operator, "SNB")
        operands = [values.random_value(random, 1, random.choice(kinds) if kinds else None)]
    if random.wrong(0.03):
        operands = operands[1:] or [values.random_value(random)]
    return {"ComparisonOperator": operator, **({"AttributeValueList": operands} if operands else {})}


def _conditions(random: Dice, names: Sequence[str]) -> dict[str, Any]:
    return {name: _comparison(random) for name in random.sample(names, random.randint(1, 2))}


def _operator(random: Dice, request: Request, conditions: dict[str, Any]) -> None:
    if random.random() < 0.3 and (len(conditions) > 1 or random.wrong(0.1)):
        request["ConditionalOperator"] = random.choice(("AND", "OR"))


def expected(random: Dice, table: Table, request: Request) -> None:
    found: dict[str, Any] = {}
    for name in random.sample((*values.ATTRIBUTES, *table.names), random.randint(1, 2)):
        match random.randint(0, 3):
            case 0:
                found[name] = {"Exists": False}
            case 1:
                found[name] = {"Value": values.random_value(random)}
            case _:
                found[name] = _comparison(random)
    request["Expected"] = found
    _operator(random, request, found)


def attribute_updates(random: Dice, table: Table, request: Request) -> None:
    updates: dict[str, Any] = {}
    for name in random.sample(values.ATTRIBUTES, random.randint(1, 3)):
        action = "PUT" if name in table.types else random.choice(("PUT", "PUT", "ADD", "DELETE"))
        match action:
            case "PUT":
                updates[name] = {"Action": action, "Value": table.attribute(random, name)}
            case "ADD":
                kind = "S" if random.wrong(0.05) else random.choice(("N", "SS", "NS", "L"))
                updates[name] = {"Action": action, "Value": values.random_value(random, 1, kind)}
            case _:
                updates[name] = {"Action": action}
                if random.random() < 0.4:
                    updates[name]["Value"] = values.random_value(random, 0, random.choice(("SS", "NS", "BS")))
    request["AttributeUpdates"] = updates


def key_conditions(random: Dice, table: Table, index: Index | None, request: Request) -> None:
    names = table.names if index is None else index.names
    conditions: dict[str, Any] = {
        names[0]: {"ComparisonOperator": "EQ", "AttributeValueList": [key_value(random, table.types[names[0]])]}
    }
    if len(names) > 1 and random.random() < 0.6:
        kind = table.types[names[1]]
        begins = () if kind == "N" else ("BEGINS_WITH",)
        operator = random.choice(("EQ", "LE", "LT", "GE", "GT", "BETWEEN", *begins))
        operands = sorted((key_value(random, kind) for _ in range(2)), key=values.order)
        operands = operands if operator == "BETWEEN" else operands[:1]
        conditions[names[1]] = {"ComparisonOperator": operator, "AttributeValueList": operands}
    request["KeyConditions"] = conditions
    if random.random() < 0.4:
        request["QueryFilter"] = _conditions(random, [name for name in values.ATTRIBUTES if name not in names])
        _operator(random, request, request["QueryFilter"])


def scan_filter(random: Dice, table: Table, request: Request) -> None:
    request["ScanFilter"] = _conditions(random, (*values.ATTRIBUTES, *table.names))
    _operator(random, request, request["ScanFilter"])
