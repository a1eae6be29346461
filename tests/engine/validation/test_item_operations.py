"""What is wrong with a request about items, in DynamoDB's words; later mistakes in a request stay unmentioned."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.engine.validation.table_name import table_name
from tests.engine.validation.refusals import INVALID, NOT_NULL, PATTERN, faults, refusal

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


RETURNS = "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
CAPACITY = "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
METRICS = "Member must satisfy enum value set: [SIZE, NONE]"
SELECT = "Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
COMPARISON = (
    "Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, "
    "BEGINS_WITH, GE, CONTAINS]"
)
AT_LEAST_ONE = "Member must have length greater than or equal to 1"


@pytest.mark.parametrize(
    ("operation", "request_", "text"),
    [
        (
            "PutItem",
            {"ReturnConsumedCapacity": "hi", "ReturnItemCollectionMetrics": "hi", "ReturnValues": "hi"},
            faults(
                ("hi", "returnConsumedCapacity", CAPACITY),
                (None, "item", NOT_NULL),
                ("hi", "returnValues", RETURNS),
                ("hi", "returnItemCollectionMetrics", METRICS),
            ),
        ),
        (
            "UpdateItem",
            {"ReturnConsumedCapacity": "hi", "ReturnItemCollectionMetrics": "hi", "ReturnValues": "hi"},
            faults(
                ("hi", "returnConsumedCapacity", CAPACITY),
                ("hi", "returnItemCollectionMetrics", METRICS),
                ("hi", "returnValues", RETURNS),
                (None, "key", NOT_NULL),
            ),
        ),
        (
            "GetItem",
            {"Key": {}, "AttributesToGet": []},
            faults(("[]", "attributesToGet", AT_LEAST_ONE)),
        ),
        ("Query", {"Select": "INVALID_VALUE"}, faults(("INVALID_VALUE", "select", SELECT))),
        (
            "Query",
            {
                "Select": "hi",
                "IndexName": "abc;",
                "ReturnConsumedCapacity": "hi",
                "QueryFilter": {"a": {}, "b": {"ComparisonOperator": ""}},
                "ConditionalOperator": "AN",
                "AttributesToGet": [],
                "Limit": -1,
                "KeyConditions": {"a": {}, "b": {"ComparisonOperator": ""}},
            },
            faults(
                ("hi", "select", SELECT),
                ("abc;", "indexName", PATTERN),
                ("hi", "returnConsumedCapacity", CAPACITY),
                (None, "queryFilter.a.member.comparisonOperator", NOT_NULL),
                ("", "queryFilter.b.member.comparisonOperator", COMPARISON),
                ("AN", "conditionalOperator", "Member must satisfy enum value set: [OR, AND]"),
                ("[]", "attributesToGet", AT_LEAST_ONE),
                (None, "keyConditions.a.member.comparisonOperator", NOT_NULL),
                ("", "keyConditions.b.member.comparisonOperator", COMPARISON),
            ),
        ),
        (
            "Query",
            {"IndexName": "a;"},
            faults(
                ("a;", "indexName", PATTERN), ("a;", "indexName", "Member must have length greater than or equal to 3")
            ),
        ),
        ("Scan", {"Limit": 0}, faults(("0", "limit", "Member must have value greater than or equal to 1"))),
        (
            "Scan",
            {"TotalSegments": 1000001, "Segment": -1},
            faults(
                ("1000001", "totalSegments", "Member must have value less than or equal to 1000000"),
                ("-1", "segment", "Member must have value greater than or equal to 0"),
            ),
        ),
    ],
)
def test_bounds(operation: str, request_: dict[str, Any], text: str) -> None:
    assert refusal(operation, {"TableName": "abc", **request_}) == text


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


def test_item_size() -> None:
    limit = 400 * 1024
    request = {"TableName": "abc", "Item": {"a": {"S": "x" * (limit - 1)}}}
    assert operations.check("PutItem", request).item
    request["Item"] = {"a": {"S": "x" * limit}, "b": {"NULL": True}}
    assert refusal("PutItem", request) == "Item size has exceeded the maximum allowed size"
    put = {"RequestItems": {"abc": [{"PutRequest": {"Item": request["Item"]}}]}}
    assert refusal("BatchWriteItem", put) == "Item size has exceeded the maximum allowed size"


@pytest.mark.parametrize("returned", ["UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"])
def test_return_values(returned: str) -> None:
    for operation in ("PutItem", "DeleteItem"):
        request = {"TableName": "abc", "Item": {}, "Key": {}, "ReturnValues": returned}
        assert refusal(operation, request) == "ReturnValues can only be ALL_OLD or NONE"
    assert operations.check("UpdateItem", {"TableName": "abc", "Key": {}, "ReturnValues": returned})


# Query and Scan

CONDITION = {"KeyConditionExpression": "a = :a", "ExpressionAttributeValues": {":a": {"S": "1"}}}


@pytest.mark.parametrize(
    ("operation", "request_", "text"),
    [
        (
            "Query",
            {**CONDITION, "Limit": 0},
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1",
        ),
        (
            "Query",
            {},
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
        ),
        ("Query", {"KeyConditions": {}}, "Conditions can be of length 1 or 2 only"),
        (
            "Query",
            {"AttributesToGet": ["b", "a", "a"]},
            INVALID + "Duplicate value in attribute name: a",
        ),
        (
            "Query",
            {**CONDITION, "Select": "SPECIFIC_ATTRIBUTES"},
            "1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when choosing to "
            "get SPECIFIC_ATTRIBUTES",
        ),
        (
            "Scan",
            {"Select": "SPECIFIC_ATTRIBUTES"},
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        ),
        (
            "Query",
            {**CONDITION, "ProjectionExpression": "b", "Select": "COUNT"},
            "1 validation error detected: Cannot specify the ProjectionExpression when choosing to get only the Count",
        ),
        (
            "Scan",
            {"ProjectionExpression": "b", "Select": "ALL_ATTRIBUTES"},
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
        ),
        (
            "Scan",
            {"AttributesToGet": ["b"], "Select": "COUNT"},
            "Cannot specify the AttributesToGet when choosing to get only the Count",
        ),
        (
            "Scan",
            {"Select": "ALL_PROJECTED_ATTRIBUTES"},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
        (
            "Scan",
            {"Segment": 0},
            "The TotalSegments parameter is required but was not present in the request "
            "when Segment parameter is present",
        ),
        (
            "Scan",
            {"TotalSegments": 4},
            "The Segment parameter is required but was not present in the request "
            "when parameter TotalSegments is present",
        ),
        (
            "Scan",
            {"Segment": 5, "TotalSegments": 5},
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: 5 is not less than TotalSegments: 5",
        ),
    ],
)
def test_queries_and_scans(operation: str, request_: dict[str, Any], text: str) -> None:
    assert refusal(operation, {"TableName": "abc", **request_}) == text


# Batches and transactions


def test_batches_of_nothing() -> None:
    for operation in ("BatchGetItem", "BatchWriteItem"):
        required = f"The requestItems parameter is required for {operation}"
        assert refusal(operation, {"RequestItems": {}}) == required
        assert refusal(operation, {}) == faults((None, "requestItems", NOT_NULL))


def keys(count: int) -> list[dict[str, Any]]:
    return [{"a": {"S": str(number)}} for number in range(count)]


def test_batch_get_limits() -> None:
    at = "1 validation error detected: Value at 'RequestItems.abc.member.Keys' failed to satisfy constraint: "
    text = refusal("BatchGetItem", {"RequestItems": {"abc": {"Keys": keys(101)}}})
    assert text == at + "Member must have length less than or equal to 100"
    assert refusal("BatchGetItem", {"RequestItems": {"abc": {"Keys": []}}}) == at + AT_LEAST_ONE
    two = {"abc": {"Keys": keys(60)}, "abd": {"Keys": keys(60)}}
    assert refusal("BatchGetItem", {"RequestItems": two}) == "Too many items requested for the BatchGetItem call"
    assert [
        len(part.keys)
        for part in operations.check("BatchGetItem", {"RequestItems": {"abc": {"Keys": keys(100)}}}).parts
    ] == [100]


def test_batch_get_duplicates() -> None:
    twice = [{"a": {"N": "1"}, "b": {"S": "x"}}, {"b": {"S": "x"}, "a": {"N": "1.0"}}]
    text = refusal("BatchGetItem", {"RequestItems": {"abc": {"Keys": twice}}})
    assert text == "Provided list of item keys contains duplicates"


def test_batch_get_projections_are_of_one_kind() -> None:
    tables = {
        "abc": {"Keys": keys(1), "ProjectionExpression": "a"},
        "abd": {"Keys": keys(1), "AttributesToGet": ["a"]},
    }
    assert refusal("BatchGetItem", {"RequestItems": tables}) == (
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
    )


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
    assert operations.check("Scan", {"TableName": arn}).reference == arn


def test_batch_write_limits() -> None:
    puts = [{"PutRequest": {"Item": key}} for key in keys(26)]
    text = refusal("BatchWriteItem", {"RequestItems": {"abc": puts}})
    assert re.fullmatch(
        r"1 validation error detected: Value '\{abc=\[.+\]\}' at 'requestItems' failed to satisfy constraint: "
        r"Map value must satisfy constraint: \[Member must have length less than or equal to 25, "
        r"Member must have length greater than or equal to 1\]",
        text,
    )
    two = {"abc": puts[:13], "abd": puts[:13]}
    assert refusal("BatchWriteItem", {"RequestItems": two}) == "Too many items requested for the BatchWriteItem call"


@pytest.mark.parametrize("write", [{}, {"PutRequest": {"Item": {}}, "DeleteRequest": {"Key": {}}}])
def test_batch_write_of_none_or_both(write: dict[str, Any]) -> None:
    assert refusal("BatchWriteItem", {"RequestItems": {"abc": [write]}}) == (
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )


def test_batch_write_parts() -> None:
    writes = [{"PutRequest": {"Item": {"a": {"N": "1.0"}}}}, {"DeleteRequest": {"Key": {"a": {"N": "2.0"}}}}]
    put, delete = operations.check("BatchWriteItem", {"RequestItems": {"abc": writes}}).parts
    assert (put.action, put.table, put.item) == ("Put", "abc", {"a": {"N": "1"}})
    assert (delete.action, delete.table, delete.key) == ("Delete", "abc", {"a": {"N": "2"}})


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


def test_a_transaction_writes_up_to_4_mb() -> None:
    def puts(count: int) -> dict[str, Any]:
        item = {"a": {"S": "x" * 350_000}}
        return {"TransactItems": [{"Put": {"TableName": "abc", "Item": item}} for _ in range(count)]}

    assert operations.check("TransactWriteItems", puts(11))
    assert "4 MB" in refusal("TransactWriteItems", puts(12))


def test_a_transaction_has_one_action_each() -> None:
    both = {"Put": {"TableName": "abc", "Item": {}}, "Delete": {"TableName": "abc", "Key": {}}}
    text = refusal("TransactWriteItems", {"TransactItems": [both]})
    assert text == "TransactItems can only contain one of Check, Put, Update or Delete"
    text = refusal("TransactWriteItems", {"TransactItems": [{}]})
    assert text == "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"


def test_faults_inside_a_transaction() -> None:
    request = {"TransactItems": [{"ConditionCheck": {"Key": {}}}], "ClientRequestToken": ""}
    at = "transactItems.1.member.conditionCheck."
    assert refusal("TransactWriteItems", request) == faults(
        ("", "clientRequestToken", AT_LEAST_ONE),
        (None, at + "tableName", NOT_NULL),
        (None, at + "conditionExpression", NOT_NULL),
    )


def test_transaction_parts() -> None:
    key, condition = {"a": {"N": "1.0"}}, {"ConditionExpression": "attribute_exists(b)"}
    request = {
        "TransactItems": [
            {"ConditionCheck": {"TableName": "abc", "Key": key, **condition}},
            {"Put": {"TableName": "abc", "Item": key, **condition}},
            {"Delete": {"TableName": "abc", "Key": key}},
            {"Update": {"TableName": "abc", "Key": key, "UpdateExpression": "REMOVE b"}},
        ]
    }
    check, put, delete, update = operations.check("TransactWriteItems", request).parts
    assert [part.action for part in (check, put, delete, update)] == ["ConditionCheck", "Put", "Delete", "Update"]
    assert check.key == put.item == delete.key == update.key == {"a": {"N": "1"}}
    assert check.condition is not None
    assert put.condition is not None
    assert put.condition.matches({"b": {"S": ""}})
    assert delete.condition is None
    assert update.update is not None
