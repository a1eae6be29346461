"""Slightly broken requests: something missing, of the wrong type, out of bounds, or where it does not belong."""

from __future__ import annotations

import copy
from typing import Any

from tests.peers.dice import Dice
from tests.peers.tables import Request


def broken(random: Dice, request: Request) -> Request:
    damaged = copy.deepcopy(request)
    random.choice((_without_member, _wrong_table, _wrong_enum, _empty_text, _out_of_bounds, _mixed))(random, damaged)
    return damaged


def _without_member(random: Dice, request: Request) -> None:
    request.pop(random.choice(list(request)))


def _wrong_table(random: Dice, request: Request) -> None:
    if "TableName" in request:
        request["TableName"] = random.choice(("absent", "", "a", "x" * 256, "bad name", "ab"))
    else:
        request["RequestItems"] = {}


def _wrong_enum(random: Dice, request: Request) -> None:
    name = random.choice(
        ("ReturnValues", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics", "Select", "ConditionalOperator")
    )
    request[name] = random.choice(("", "all_old", "WHATEVER"))


def _empty_text(random: Dice, request: Request) -> None:
    names = [name for name, value in request.items() if isinstance(value, str)]
    if names:
        request[random.choice(names)] = ""


def _out_of_bounds(random: Dice, request: Request) -> None:
    bounds: dict[str, Any] = {"Limit": random.choice((0, -1)), "Segment": -1, "TotalSegments": 0}
    name = random.choice(list(bounds))
    request[name] = bounds[name]


def _mixed(random: Dice, request: Request) -> None:
    """Parameters of both generations, which exclude each other."""
    name, value = random.choice(
        (
            ("AttributesToGet", ["a"]),
            ("ConditionalOperator", "AND"),
            ("ScanFilter", {"a": {"ComparisonOperator": "NULL"}}),
            ("QueryFilter", {"a": {"ComparisonOperator": "NULL"}}),
            ("Expected", {"a": {"Exists": False}}),
            ("AttributeUpdates", {"a": {"Action": "DELETE"}}),
            ("ExpressionAttributeNames", {}),
            ("ExpressionAttributeValues", {}),
            ("ExpressionAttributeNames", {"bad": "a"}),
            ("ExpressionAttributeValues", {"bad": {"S": "a"}}),
        )
    )
    request[name] = value
