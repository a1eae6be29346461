"""Expressions, their placeholders and the parameters they replaced."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from tests.engine.refusals import refusal

BOTH = "Can not use both expression and non-expression parameters in the same request: "
NAMES_ALONE = "ExpressionAttributeNames can only be specified when using expressions"
VALUES_ALONE = "ExpressionAttributeValues can only be specified when using expressions: "
EMPTY: dict[str, Any] = {"ExpressionAttributeNames": {}, "ExpressionAttributeValues": {}}
ALL_OF_QUERY: dict[str, Any] = {
    "ExclusiveStartKey": {"a": {}},
    "Select": "SPECIFIC_ATTRIBUTES",
    "AttributesToGet": ["a", "a"],
    "QueryFilter": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{}]}},
    "ConditionalOperator": "OR",
    "KeyConditions": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{}]}},
    "ProjectionExpression": "",
    "FilterExpression": "",
    "KeyConditionExpression": "",
    **EMPTY,
}


def without(*members: str) -> dict[str, Any]:
    return {name: value for name, value in ALL_OF_QUERY.items() if name not in members}


@pytest.mark.parametrize(
    ("operation", "request_", "text"),
    [
        (
            "PutItem",
            {"Item": {"a": {}}, "Expected": {"a": {}}, "ConditionExpression": "", **EMPTY},
            BOTH + "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
        ),
        (
            "PutItem",
            {"Item": {}, "Expected": {"a": {}}, "ConditionalOperator": "OR", "ConditionExpression": ""},
            BOTH + "Non-expression parameters: {Expected, ConditionalOperator} "
            "Expression parameters: {ConditionExpression}",
        ),
        ("PutItem", {"Item": {"a": {}}, "Expected": {"a": {}}, **EMPTY}, NAMES_ALONE),
        (
            "PutItem",
            {"Item": {"a": {}}, "ExpressionAttributeValues": {}},
            VALUES_ALONE + "ConditionExpression is null",
        ),
        (
            "DeleteItem",
            {"Key": {"a": {}}, "ExpressionAttributeValues": {}},
            VALUES_ALONE + "ConditionExpression is null",
        ),
        (
            "UpdateItem",
            {
                "Key": {"a": {}},
                "Expected": {"a": {}},
                "AttributeUpdates": {},
                "ConditionExpression": "",
                "UpdateExpression": "",
                **EMPTY,
            },
            BOTH + "Non-expression parameters: {AttributeUpdates, Expected} "
            "Expression parameters: {UpdateExpression, ConditionExpression}",
        ),
        (
            "UpdateItem",
            {"Key": {"a": {}}, "Expected": {"a": {}}, "ExpressionAttributeValues": {}},
            VALUES_ALONE + "UpdateExpression and ConditionExpression are null",
        ),
        (
            "GetItem",
            {"Key": {"a": {}}, "AttributesToGet": ["a"], "ProjectionExpression": ""},
            BOTH + "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}",
        ),
        ("GetItem", {"Key": {"a": {}}, "ExpressionAttributeNames": {}}, NAMES_ALONE),
        (
            "Query",
            ALL_OF_QUERY,
            BOTH + "Non-expression parameters: {AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions} "
            "Expression parameters: {ProjectionExpression, FilterExpression, KeyConditionExpression}",
        ),
        (
            "Query",
            without("KeyConditionExpression"),
            BOTH + "Non-expression parameters: {AttributesToGet, QueryFilter, ConditionalOperator} "
            "Expression parameters: {ProjectionExpression, FilterExpression}",
        ),
        (
            "Query",
            without("ProjectionExpression", "FilterExpression", "KeyConditionExpression", "ExpressionAttributeNames"),
            VALUES_ALONE + "FilterExpression and KeyConditionExpression are null",
        ),
        (
            "Scan",
            {"ScanFilter": {}, "FilterExpression": "a = b"},
            BOTH + "Non-expression parameters: {ScanFilter} Expression parameters: {FilterExpression}",
        ),
        (
            "Scan",
            {"ProjectionExpression": "a", "ExpressionAttributeValues": {}},
            VALUES_ALONE + "FilterExpression is null",
        ),
    ],
)
def test_old_and_new(operation: str, request_: dict[str, Any], text: str) -> None:
    assert refusal(operation, {"TableName": "abc", **request_}) == text


@pytest.mark.parametrize(
    ("placeholders", "text"),
    [
        (EMPTY, "ExpressionAttributeNames must not be empty"),
        (
            {"ExpressionAttributeNames": {"a": "a"}, "ExpressionAttributeValues": {}},
            'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"',
        ),
        (
            {"ExpressionAttributeNames": {"#": "a"}},
            'ExpressionAttributeNames contains invalid key: Syntax error; key: "#"',
        ),
        (
            {"ExpressionAttributeNames": {"#" + "a" * 255 + "-": "a"}},
            "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is "
            "too long; size of key: 257",
        ),
        (
            {"ExpressionAttributeValues": {":" + "a" * 255: {"S": "a"}}},
            "ExpressionAttributeValues contains invalid key: The expression attribute map contains a key that is "
            "too long;",
        ),
        ({"ExpressionAttributeValues": {}}, "ExpressionAttributeValues must not be empty"),
        (
            {"ExpressionAttributeValues": {"a": {}}},
            'ExpressionAttributeValues contains invalid key: Syntax error; key: "a"',
        ),
        (
            {"ExpressionAttributeValues": {":a b": {"S": "a"}}},
            'ExpressionAttributeValues contains invalid key: Syntax error; key: ":a b"',
        ),
        ({}, "Invalid {}: The expression can not be empty;"),
    ],
)
@pytest.mark.parametrize(
    ("operation", "expression"),
    [
        ("PutItem", "ConditionExpression"),
        ("UpdateItem", "UpdateExpression"),
        ("DeleteItem", "ConditionExpression"),
        ("Query", "KeyConditionExpression"),
        ("Scan", "FilterExpression"),
    ],
)
def test_placeholders(operation: str, expression: str, placeholders: dict[str, Any], text: str) -> None:
    request = {"TableName": "abc", "Item": {}, "Key": {}, expression: "", **placeholders}
    assert refusal(operation, request) == text.format(expression)


@pytest.mark.parametrize(
    ("operation", "request_", "text"),
    [
        (
            "Query",
            {
                "KeyConditionExpression": "pk = :v",
                "ExpressionAttributeValues": {":v": {"S": "val"}},
                "ExpressionAttributeNames": {"#unused": "a"},
            },
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}",
        ),
        (
            "UpdateItem",
            {
                "Key": {},
                "UpdateExpression": "SET attr1 = :v",
                "ExpressionAttributeValues": {":v": {"S": "val"}, ":unused": {"S": "extra"}},
            },
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}",
        ),
        (
            "UpdateItem",
            {"Key": {}, "UpdateExpression": "SET attr1 = :v"},
            "Invalid UpdateExpression: An expression attribute value used in expression is not defined; "
            "attribute value: :v",
        ),
        (
            "Query",
            {
                "KeyConditionExpression": "pk = :pk",
                "FilterExpression": "#missing = :fv",
                "ExpressionAttributeValues": {":pk": {"S": "val"}, ":fv": {"S": "x"}},
            },
            "Invalid FilterExpression: An expression attribute name used in the document path is not defined; "
            "attribute name: #missing",
        ),
        (
            "GetItem",
            {"Key": {}, "ProjectionExpression": "!!! INVALID !!!"},
            'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"',
        ),
    ],
)
def test_expressions_are_parsed(operation: str, request_: dict[str, Any], text: str) -> None:
    assert refusal(operation, {"TableName": "abc", **request_}) == text


def test_a_transaction_parses_every_action() -> None:
    get = {"Get": {"TableName": "abc", "Key": {}, "ProjectionExpression": "!!!"}}
    text = refusal("TransactGetItems", {"TransactItems": [get]})
    assert text == 'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"'


def test_a_transaction_lets_placeholders_without_an_expression_pass() -> None:
    placeholders = {"ExpressionAttributeNames": {"#a": "a"}, "ExpressionAttributeValues": {":a": {"S": "a"}}}
    put = {"TableName": "abc", "Item": {}, **placeholders}
    assert operations.check("TransactWriteItems", {"TransactItems": [{"Put": put}]})
    get = {"TableName": "abc", "Key": {}, "ExpressionAttributeNames": {"#a": "a"}}
    assert operations.check("TransactGetItems", {"TransactItems": [{"Get": get}]})
    put["ConditionExpression"] = "attribute_exists(b)"
    text = refusal("TransactWriteItems", {"TransactItems": [{"Put": put}]})
    assert text == "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"


def test_bound_expressions_come_out() -> None:
    request = {
        "TableName": "abc",
        "KeyConditionExpression": "#a = :a AND b > :b",
        "FilterExpression": "c <> :a",
        "ProjectionExpression": "d, e[0]",
        "ExpressionAttributeNames": {"#a": "a"},
        "ExpressionAttributeValues": {":a": {"N": "1.0"}, ":b": {"S": "x"}},
    }
    checked = operations.check("Query", request)
    assert checked.key_condition == {"a": ("=", ({"N": "1"},)), "b": (">", ({"S": "x"},))}
    assert checked.filter is not None
    assert not checked.filter.matches({"c": {"N": "1"}})
    assert checked.projection is not None
    assert checked.projection.project({"d": {"S": "1"}, "f": {"S": "2"}}) == {"d": {"S": "1"}}


def test_old_parameters_come_out_bound_too() -> None:
    one = {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1.0"}]}
    query = {"TableName": "abc", "KeyConditions": {"a": one}, "QueryFilter": {"b": one}, "AttributesToGet": ["c"]}
    checked = operations.check("Query", query)
    assert checked.key_condition == {"a": ("=", ({"N": "1"},))}
    assert checked.filter is not None
    assert checked.filter.matches({"b": {"N": "1"}})
    assert checked.projection is not None
    assert checked.projection.project({"c": {"S": ""}, "d": {"S": ""}}) == {"c": {"S": ""}}

    update = {"TableName": "abc", "Key": {}, "AttributeUpdates": {"a": {"Value": {"N": "01"}}}, "Expected": {"a": one}}
    checked = operations.check("UpdateItem", update)
    assert checked.condition is not None
    assert checked.condition.matches({"a": {"N": "1"}})
    assert checked.update is not None
    assert checked.update.apply({}).item == {"a": {"N": "1"}}


def test_conditional_operator_needs_conditions() -> None:
    condition = {"ComparisonOperator": "NULL"}
    members = {"PutItem": "Expected", "DeleteItem": "Expected", "UpdateItem": "Expected"}
    for operation, member in {**members, "Scan": "ScanFilter", "Query": "QueryFilter"}.items():
        request = {"TableName": "abc", "Item": {}, "Key": {}, "ConditionalOperator": "OR"}
        alone = "ConditionalOperator cannot be used without Filter or Expected"
        assert refusal(operation, request) == alone
        assert refusal(operation, {**request, member: {}}) == alone
        assert refusal(operation, {**request, member: {"a": condition}}) == (
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )
        request["KeyConditions"] = {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}
        assert operations.check(operation, {**request, member: {"a": condition, "b": condition}})
