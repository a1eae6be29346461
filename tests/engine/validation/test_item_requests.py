"""Requests about items: names of tables, values, and what several operations refuse alike."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.engine.validation.fields import table_name
from tests.engine.refusals import AT_LEAST_ONE, INVALID, NOT_NULL, PATTERN, faults, keys, refusal

KEY: dict[str, Any] = {"Key": {}}
ITEM: dict[str, Any] = {"Item": {}}


WITH_TABLE = {
    "GetItem": KEY,
    "PutItem": ITEM,
    "UpdateItem": KEY,
    "DeleteItem": KEY,
    "Query": {},
    "Scan": {},
}


@pytest.mark.parametrize("operation", WITH_TABLE)
def test_table_name(operation: str) -> None:
    def text(name: str | None) -> str:
        request = {} if name is None else {"TableName": name, "ReturnConsumedCapacity": "odd"}
        return refusal(operation, {**request, **WITH_TABLE[operation]})

    assert text(None) == faults((None, "tableName", NOT_NULL))
    assert text("") == faults(("", "tableName", "Member must have length greater than or equal to 1"))
    assert text("aa") == faults(("aa", "tableName", "Member must have length greater than or equal to 3"))
    assert text("bad table!@#") == faults(("bad table!@#", "tableName", PATTERN))
    long = "a" * 256
    assert text(long) == faults((long, "tableName", "Member must have length less than or equal to 255"))


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem", "UpdateItem"])
def test_everything_missing(operation: str) -> None:
    member = "item" if operation == "PutItem" else "key"
    assert refusal(operation, {}) == faults((None, "tableName", NOT_NULL), (None, member, NOT_NULL))


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem", "UpdateItem"])
def test_a_table_name_is_not_refused_alone_when_something_is_missing(operation: str) -> None:
    member = "item" if operation == "PutItem" else "key"
    assert refusal(operation, {"TableName": ""}) == faults(("", "tableName", AT_LEAST_ONE), (None, member, NOT_NULL))


def test_faults_of_an_update_without_a_key() -> None:
    def enum(*words: str) -> str:
        return f"Member must satisfy enum value set: [{', '.join(words)}]"

    request = {
        "TableName": "",
        "ReturnConsumedCapacity": "odd",
        "ReturnValues": "odd",
        "ConditionalOperator": "XOR",
        "Expected": {"a": {"Exists": False}, "b": {"Exists": False}},
    }
    assert refusal("UpdateItem", request) == faults(
        ("odd", "returnConsumedCapacity", enum("INDEXES", "TOTAL", "NONE")),
        ("", "tableName", AT_LEAST_ONE),
        ("odd", "returnValues", enum("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")),
        ("XOR", "conditionalOperator", enum("OR", "AND")),
        (None, "key", NOT_NULL),
    )


@pytest.mark.parametrize(
    "name", ["abc", "arn:aws:dynamodb:eu-west-1:123456789012:table/abc", "arn:aws-cn:dynamodb:x:1:table/abc"]
)
def test_a_table_is_named_by_name_or_arn(name: str) -> None:
    assert operations.check("Scan", {"TableName": name}).table == "abc"
    assert table_name(name) == "abc"


def test_an_arn_is_no_longer_than_1024_characters() -> None:
    arn = f"arn:aws:dynamodb:{'x' * 1024}:1:table/abc"
    text = faults((arn, "tableName", "Member must have length less than or equal to 1024"))
    assert refusal("Scan", {"TableName": arn}) == text
    assert refusal("DescribeTable", {"TableName": arn}) == text


def test_no_more_than_ten_faults_are_named() -> None:
    filters = {str(number): {} for number in range(20)}
    assert refusal("Scan", {"TableName": "abc", "ScanFilter": filters}).startswith("10 validation errors detected: ")


BAD_VALUES = [
    ({"SS": ["a", None]}, INVALID + "An string set may not have a null string as a member"),
    ({"NULL": "no"}, INVALID + "Null attribute value types must have the value of true"),
    ({"NULL": False}, INVALID + "Null attribute value types must have the value of true"),
    ({"SS": []}, INVALID + "An string set  may not be empty"),
    ({"NS": []}, INVALID + "An number set  may not be empty"),
    ({"BS": []}, INVALID + "Binary sets should not be empty"),
    ({"SS": ["a", "a"]}, INVALID + "Input collection [a, a] contains duplicates."),
    ({"BS": ["Yg==", "Yg=="]}, INVALID + "Input collection [Yg==, Yg==]of type BS contains duplicates."),
    ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
    ({"S": "", "N": ""}, "The parameter cannot be converted to a numeric value"),
    ({"S": "a", "N": "b"}, "The parameter cannot be converted to a numeric value: b"),
    ({"NS": ["1", ""]}, "The parameter cannot be converted to a numeric value"),
    ({"NS": ["1", "b"]}, "The parameter cannot be converted to a numeric value: b"),
    ({"N": "1" * 39}, "Attempting to store more than 38 significant digits in a Number"),
    (
        {"N": "-1.23456789012345678901234567890123456789"},
        "Attempting to store more than 38 significant digits in a Number",
    ),
    ({"N": "1e126"}, "Number overflow. Attempting to store a number with magnitude larger than supported range"),
    (
        {"N": "-1e99999999999999"},
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
    ),
    ({"N": "1e-131"}, "Number underflow. Attempting to store a number with magnitude smaller than supported range"),
    *(
        (value, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
        for value in ({}, {"a": ""}, {"M": {"a": {}}}, {"L": [{}]}, {"L": [{"a": {}}]}, None)
    ),
    (
        {"S": "a", "N": "1"},
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
    ),
]
PLACES: dict[str, Any] = {
    "PutItem": lambda value: {"Item": {"a": value}},
    "GetItem": lambda value: {"Key": {"a": value}},
    "DeleteItem": lambda value: {"Key": {"a": value}},
    "UpdateItem": lambda value: {"Key": {"a": value}, "AttributeUpdates": {"a": {"Value": {}}}},
    "Scan": lambda value: {"ScanFilter": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [value]}}},
    "Query": lambda value: {
        "QueryFilter": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}, value]}},
        "AttributesToGet": ["a", "a"],
    },
}


@pytest.mark.parametrize("operation", PLACES)
@pytest.mark.parametrize(("value", "text"), BAD_VALUES, ids=[str(value)[:40] for value, _ in BAD_VALUES])
def test_bad_values(operation: str, value: Any, text: str) -> None:
    assert refusal(operation, {"TableName": "abc", **PLACES[operation](value)}) == text


@pytest.mark.parametrize(("value", "text"), BAD_VALUES, ids=[str(value)[:40] for value, _ in BAD_VALUES])
def test_bad_values_in_batches_and_transactions(value: Any, text: str) -> None:
    assert refusal("BatchWriteItem", {"RequestItems": {"abc": [{"PutRequest": {"Item": {"a": value}}}]}}) == text
    assert refusal("BatchWriteItem", {"RequestItems": {"abc": [{"DeleteRequest": {"Key": {"a": value}}}]}}) == text
    assert refusal("BatchGetItem", {"RequestItems": {"abc": {"Keys": [{"a": value}]}}}) == text
    assert refusal("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "abc", "Key": {"a": value}}}]}) == text
    assert (
        refusal("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "abc", "Item": {"a": value}}}]}) == text
    )


@pytest.mark.parametrize(("value", "text"), BAD_VALUES, ids=[str(value)[:40] for value, _ in BAD_VALUES])
def test_bad_values_in_a_start_key(value: Any, text: str) -> None:
    about_the_key = ("Supplied", INVALID + "Null", INVALID + "An string set  may", INVALID + "Binary sets")
    prefix = "The provided starting key is invalid: " if text.startswith(about_the_key) else ""
    request = {"TableName": "abc", "ExclusiveStartKey": {"a": value}}
    assert refusal("Scan", request) == prefix + text
    assert refusal("Query", {**request, "KeyConditionExpression": ""}) == prefix + text


@pytest.mark.parametrize(("value", "text"), BAD_VALUES, ids=[str(value)[:40] for value, _ in BAD_VALUES])
def test_bad_expression_attribute_values(value: Any, text: str) -> None:
    request = {
        "TableName": "abc",
        "Key": {},
        "UpdateExpression": "",
        "ExpressionAttributeValues": {":b": {"S": "a"}, ":a": value},
    }
    expected = f"ExpressionAttributeValues contains invalid value: {text} for key :a"
    assert refusal("UpdateItem", request) == expected


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"N": "01.50"}, {"N": "1.5"}),
        ({"N": "-0"}, {"N": "0"}),
        ({"NS": ["1e2", "3.0"]}, {"NS": ["100", "3"]}),
        ({"L": [{"N": "1.0"}, {"M": {"a": {"N": "+1"}}}]}, {"L": [{"N": "1"}, {"M": {"a": {"N": "1"}}}]}),
        ({"S": ""}, {"S": ""}),
        ({"B": ""}, {"B": ""}),
        ({"SS": [""]}, {"SS": [""]}),
        ({"BOOL": False}, {"BOOL": False}),
    ],
)
def test_values_come_out_normalised(given: dict[str, Any], kept: dict[str, Any]) -> None:
    assert operations.check("PutItem", {"TableName": "abc", "Item": {"a": given}}).item == {"a": kept}
    assert operations.check("GetItem", {"TableName": "abc", "Key": {"a": given}}).key == {"a": kept}


@pytest.mark.parametrize("returned", ["UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"])
def test_return_values(returned: str) -> None:
    for operation in ("PutItem", "DeleteItem"):
        request = {"TableName": "abc", "Item": {}, "Key": {}, "ReturnValues": returned}
        assert refusal(operation, request) == "ReturnValues can only be ALL_OLD or NONE"
    assert operations.check("UpdateItem", {"TableName": "abc", "Key": {}, "ReturnValues": returned})


def test_batches_of_nothing() -> None:
    for operation in ("BatchGetItem", "BatchWriteItem"):
        required = f"The requestItems parameter is required for {operation}"
        assert refusal(operation, {"RequestItems": {}}) == required
        assert refusal(operation, {}) == faults((None, "requestItems", NOT_NULL))


def test_a_table_in_a_batch_is_named_by_its_arn() -> None:
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/abc"
    (get,) = operations.check("BatchGetItem", {"RequestItems": {arn: {"Keys": keys(1)}}}).parts
    assert (get.table, get.reference) == ("abc", arn)
    twice = {arn: {"Keys": keys(1)}, "abc": {"Keys": keys(1)}}
    (get,) = operations.check("BatchGetItem", {"RequestItems": twice}).parts
    assert get.keys == keys(1)
    puts = {arn: [{"PutRequest": {"Item": {}}}], "abd": [{"DeleteRequest": {"Key": {}}}]}
    put, delete = operations.check("BatchWriteItem", {"RequestItems": puts}).parts
    assert (put.table, put.reference) == ("abc", arn)
    assert (delete.table, delete.reference) == ("abd", "abd")


@pytest.mark.parametrize("operation", ["TransactGetItems", "TransactWriteItems"])
def test_transaction_limits(operation: str) -> None:
    action = {"TransactGetItems": "Get", "TransactWriteItems": "Delete"}[operation]
    assert refusal(operation, {"TransactItems": []}) == faults(("[]", "transactItems", AT_LEAST_ONE))
    many = [{action: {"TableName": "abc", "Key": key}} for key in keys(101)]
    assert re.fullmatch(
        r"1 validation error detected: Value '\[.+\]' at 'transactItems' failed to satisfy constraint: "
        r"Member must have length less than or equal to 100",
        refusal(operation, {"TransactItems": many}),
    )
    assert len(operations.check(operation, {"TransactItems": many[:100]}).parts) == 100
