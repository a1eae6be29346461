"""Expected, filters, KeyConditions and AttributeUpdates: their own rules in their own words."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from tests.engine.refusals import INVALID, refusal

A, B, ONE = {"S": "a"}, {"S": "b"}, {"N": "1"}
OTHERS = [{"BOOL": True}, {"NULL": True}, {"SS": ["a"]}, {"NS": ["1"]}, {"BS": ["abcd"]}, {"M": {}}, {"L": []}]
BETWEEN = "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"


def of_type(operator: str, kind: str) -> str:
    return INVALID + f"ComparisonOperator {operator} is not valid for {kind} AttributeValue type"


def wrong_number(operator: str) -> str:
    return INVALID + f"Invalid number of argument(s) for the {operator} ComparisonOperator"


CONDITIONS = [
    *(
        (operator, [], wrong_number(operator))
        for operator in ["EQ", "NE", "LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "IN"]
    ),
    *(
        (operator, [A, A], wrong_number(operator))
        for operator in ["EQ", "NE", "LE", "LT", "GE", "GT", "BEGINS_WITH", "NULL"]
    ),
    ("BETWEEN", [A], wrong_number("BETWEEN")),
    ("BETWEEN", [A, A, A], wrong_number("BETWEEN")),
    ("NOT_NULL", [A], wrong_number("NOT_NULL")),
    *(
        (operator, [value], of_type(operator, next(iter(value))))
        for operator in ["LT", "LE", "GT", "GE", "IN"]
        for value in OTHERS
    ),
    *(("BETWEEN", [value, value], of_type("BETWEEN", next(iter(value)))) for value in OTHERS),
    *(("CONTAINS", [value], of_type("CONTAINS", next(iter(value)))) for value in OTHERS[2:]),
    *(("BEGINS_WITH", [value], of_type("BEGINS_WITH", next(iter(value)))) for value in [ONE, *OTHERS]),
    ("IN", [B, ONE], INVALID + "AttributeValues inside AttributeValueList must be of same type"),
    ("BETWEEN", [B, A], BETWEEN),
    ("BETWEEN", [{"N": "10"}, {"N": "9"}], BETWEEN),
]


@pytest.mark.parametrize("member", ["KeyConditions", "QueryFilter", "ScanFilter", "Expected"])
@pytest.mark.parametrize(("operator", "arguments", "text"), CONDITIONS)
def test_conditions(member: str, operator: str, arguments: list[dict[str, Any]], text: str) -> None:
    condition = {"a": {"ComparisonOperator": operator, "AttributeValueList": arguments}}
    operation = {"ScanFilter": "Scan", "Expected": "PutItem"}.get(member, "Query")
    assert refusal(operation, {"TableName": "abc", "Item": {}, member: condition}) == text


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ({}, "Value must be provided when Exists is null for Attribute: a"),
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: a"),
        ({"Exists": False, "Value": A}, "Value cannot be used when Exists is false for Attribute: a"),
        (
            {"ComparisonOperator": "LT"},
            "Value or AttributeValueList must be used with ComparisonOperator: LT for Attribute: a",
        ),
        (
            {"Exists": True, "ComparisonOperator": "LT"},
            "Exists and ComparisonOperator cannot be used together for Attribute: a",
        ),
        (
            {"AttributeValueList": [A], "Value": A, "ComparisonOperator": "LT"},
            "Value and AttributeValueList cannot be used together for Attribute: a",
        ),
        (
            {"AttributeValueList": [A]},
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
        ),
        (
            {"Exists": True, "AttributeValueList": [A]},
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
        ),
        ({"Value": A, "ComparisonOperator": "NULL"}, "Invalid number of argument(s) for the NULL ComparisonOperator"),
        (
            {"Value": A, "ComparisonOperator": "BETWEEN"},
            "Invalid number of argument(s) for the BETWEEN ComparisonOperator",
        ),
    ],
)
def test_expected(operation: str, condition: dict[str, Any], text: str) -> None:
    request = {"TableName": "abc", "Item": {}, "Key": {}, "Expected": {"a": condition}}
    assert refusal(operation, request) == INVALID + text


@pytest.mark.parametrize(
    ("condition", "holds_for", "fails_for"),
    [
        ({"Exists": False}, {}, {"a": A}),
        ({"Value": A}, {"a": A}, {}),
        ({"Exists": True, "Value": A}, {"a": A}, {"a": B}),
        ({"ComparisonOperator": "NULL"}, {}, {"a": A}),
        ({"ComparisonOperator": "GE", "Value": B}, {"a": B}, {"a": A}),
        ({"ComparisonOperator": "IN", "AttributeValueList": [A, B]}, {"a": B}, {"a": ONE}),
    ],
)
def test_what_expected_means(condition: dict[str, Any], holds_for: Any, fails_for: Any) -> None:
    checked = operations.check("PutItem", {"TableName": "abc", "Item": {}, "Expected": {"a": condition}})
    assert checked.condition is not None
    assert checked.condition.matches(holds_for)
    assert not checked.condition.matches(fails_for)


@pytest.mark.parametrize(
    ("update", "text"),
    [
        ({"x": "whatever"}, "Only DELETE action is allowed when no attribute value is specified"),
        ({"Action": "ADD"}, "Only DELETE action is allowed when no attribute value is specified"),
        *(
            ({"Action": "DELETE", "Value": value}, f"DELETE action with value is not supported for the type {kind}")
            for kind, value in (("S", A), ("N", ONE), ("B", {"B": "Yg=="}), ("M", {"M": {}}), ("L", {"L": []}))
        ),
        *(
            ({"Action": "ADD", "Value": value}, f"ADD action is not supported for the type {kind}")
            for kind, value in (("S", A), ("B", {"B": "Yg=="}), ("NULL", {"NULL": True}), ("M", {"M": {}}))
        ),
    ],
)
def test_attribute_updates(update: dict[str, Any], text: str) -> None:
    request = {"TableName": "abc", "Key": {}, "AttributeUpdates": {"a": update}, "Expected": {"a": {}}}
    assert refusal("UpdateItem", request) == INVALID + text


def test_no_key_condition() -> None:
    request = {"TableName": "abc", "KeyConditions": {}}
    assert refusal("Query", request) == "Conditions can be of length 1 or 2 only"
