"""A JSON value of the wrong type, in any member: DynamoDB's words for it."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import SerializationException

MAP_OF = "Unrecognized collection type java.util.Map<java.lang.String, {}>"
CLASS = "com.amazonaws.dynamodb.v20120810."
STRUCTURE = "Start of structure or map found where not expected"
CAST = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class "
    "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base "
    "of loader 'bootstrap')"
)


def same(text: str, *values: Any) -> list[tuple[Any, str]]:
    return [(value, text) for value in values]


def number(kind: str) -> list[tuple[Any, str]]:
    return [
        ("23", f"STRING_VALUE cannot be converted to {kind}"),
        (True, f"TRUE_VALUE cannot be converted to {kind}"),
        (False, f"FALSE_VALUE cannot be converted to {kind}"),
        ([], f"Unrecognized collection type class java.lang.{kind}"),
        ({}, STRUCTURE),
    ]


SCALARS = ("23", True, 23, -2147483648, 2147483648, 34.56)
TYPES: dict[str, list[tuple[Any, str]]] = {
    "Boolean": [
        ("23", "Unexpected token received from parser"),
        *same("NUMBER_VALUE cannot be converted to Boolean", 23, -2147483648, 2147483648),
        (34.56, "DECIMAL_VALUE cannot be converted to Boolean"),
        ([], "Unrecognized collection type class java.lang.Boolean"),
        ({}, STRUCTURE),
    ],
    "String": [
        (True, "TRUE_VALUE cannot be converted to String"),
        (False, "FALSE_VALUE cannot be converted to String"),
        *same("NUMBER_VALUE cannot be converted to String", 23, -2147483648, 2147483648),
        (34.56, "DECIMAL_VALUE cannot be converted to String"),
        ([], "Unrecognized collection type class java.lang.String"),
        ({}, STRUCTURE),
    ],
    "Integer": number("Integer"),
    "Long": number("Long"),
    "Blob": [
        *same("only base-64-encoded strings are convertible to bytes", True, 23, -2147483648, 34.56),
        ([], "Unrecognized collection type class java.nio.ByteBuffer"),
        ({}, STRUCTURE),
        ("23456", "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
        *same("Invalid last non-pad Base64 character dectected", "=+/=", "+/+="),
    ],
    "List": [*same("Unexpected field type", *SCALARS), ({}, STRUCTURE)],
    "ListElement": [*same(CAST, *SCALARS), ({}, STRUCTURE)],
    "MapElement": [*same(CAST, *SCALARS), ([], MAP_OF.format(CLASS + "AttributeValue"))],
}


def map_of(name: str) -> list[tuple[Any, str]]:
    java = name if "." in name else CLASS + name
    return [*same("Unexpected field type", *SCALARS), ([], MAP_OF.format(java))]


def element(name: str) -> list[tuple[Any, str]]:
    return [
        *same("Unexpected value type in payload", *SCALARS),
        ([], f"Unrecognized collection type class {CLASS}{name}"),
    ]


def field(name: str) -> list[tuple[Any, str]]:
    return [*same("Unexpected field type", *SCALARS), ([], f"Unrecognized collection type class {CLASS}{name}")]


VALUE_MEMBERS = {
    "S": TYPES["String"],
    "N": TYPES["String"],
    "B": TYPES["Blob"],
    "BOOL": TYPES["Boolean"],
    "NULL": TYPES["Boolean"],
    "SS": TYPES["List"],
    "SS.0": TYPES["String"],
    "NS": TYPES["List"],
    "NS.0": TYPES["String"],
    "BS": TYPES["List"],
    "BS.0": TYPES["Blob"],
    "L": TYPES["List"],
    "L.0": element("AttributeValue"),
    "L.0.BS": TYPES["List"],
    "L.0.BS.0": TYPES["Blob"],
    "M": map_of("AttributeValue"),
    "M.a": element("AttributeValue"),
    "M.a.BS": TYPES["List"],
    "M.a.BS.0": TYPES["Blob"],
}


def values_at(path: str, whole: list[tuple[Any, str]]) -> list[tuple[str, list[tuple[Any, str]]]]:
    return [(path, whole), *((f"{path}.{member}", wrong) for member, wrong in VALUE_MEMBERS.items())]


EXPRESSIONS = [
    ("ExpressionAttributeValues", map_of("AttributeValue")),
    *values_at("ExpressionAttributeValues.Attr", element("AttributeValue")),
    ("ExpressionAttributeNames", map_of("java.lang.String")),
    ("ExpressionAttributeNames.Attr", TYPES["String"]),
]
EXPECTED = [
    ("Expected", map_of("ExpectedAttributeValue")),
    ("Expected.Attr", element("ExpectedAttributeValue")),
    ("Expected.Attr.Exists", TYPES["Boolean"]),
    *values_at("Expected.Attr.Value", field("AttributeValue")),
]
THROUGHPUT = [
    ("ProvisionedThroughput", field("ProvisionedThroughput")),
    ("ProvisionedThroughput.WriteCapacityUnits", TYPES["Long"]),
]
MEMBERS: dict[str, list[tuple[str, list[tuple[Any, str]]]]] = {
    "GetItem": [
        ("TableName", TYPES["String"]),
        ("Key", map_of("AttributeValue")),
        *values_at("Key.Attr", element("AttributeValue")),
        ("AttributesToGet", TYPES["List"]),
        ("AttributesToGet.0", TYPES["String"]),
        ("ConsistentRead", TYPES["Boolean"]),
        ("ReturnConsumedCapacity", TYPES["String"]),
        ("ExpressionAttributeNames", map_of("java.lang.String")),
    ],
    "PutItem": [
        ("Item", map_of("AttributeValue")),
        *values_at("Item.Attr", element("AttributeValue")),
        *EXPECTED,
        *EXPRESSIONS,
        ("ConditionExpression", TYPES["String"]),
    ],
    "UpdateItem": [
        ("AttributeUpdates", map_of("AttributeValueUpdate")),
        ("AttributeUpdates.Attr", element("AttributeValueUpdate")),
        ("AttributeUpdates.Attr.Action", TYPES["String"]),
        *values_at("AttributeUpdates.Attr.Value", field("AttributeValue")),
        ("UpdateExpression", TYPES["String"]),
    ],
    "Query": [
        ("Limit", TYPES["Integer"]),
        ("ScanIndexForward", TYPES["Boolean"]),
        ("KeyConditions", map_of("Condition")),
        ("KeyConditions.Attr", element("Condition")),
        ("KeyConditions.Attr.AttributeValueList", TYPES["List"]),
        *values_at("KeyConditions.Attr.AttributeValueList.0", element("AttributeValue")),
        *values_at("ExclusiveStartKey.Attr", element("AttributeValue")),
    ],
    "Scan": [("Segment", TYPES["Integer"]), ("TotalSegments", TYPES["Integer"]), ("ScanFilter", map_of("Condition"))],
    "BatchGetItem": [
        ("RequestItems", map_of("KeysAndAttributes")),
        ("RequestItems.Table", element("KeysAndAttributes")),
        ("RequestItems.Table.Keys", TYPES["List"]),
        ("RequestItems.Table.Keys.0", TYPES["MapElement"]),
        *values_at("RequestItems.Table.Keys.0.Attr", element("AttributeValue")),
    ],
    "BatchWriteItem": [
        ("RequestItems", map_of(f"java.util.List<{CLASS}WriteRequest>")),
        ("RequestItems.Table", TYPES["ListElement"]),
        ("RequestItems.Table.0", element("WriteRequest")),
        ("RequestItems.Table.0.DeleteRequest", field("DeleteRequest")),
        ("RequestItems.Table.0.DeleteRequest.Key", map_of("AttributeValue")),
        *values_at("RequestItems.Table.0.PutRequest.Item.Attr", element("AttributeValue")),
    ],
    "CreateTable": [
        ("TableName", TYPES["String"]),
        *THROUGHPUT,
        ("KeySchema", TYPES["List"]),
        ("KeySchema.0", element("KeySchemaElement")),
        ("KeySchema.0.KeyType", TYPES["String"]),
        ("LocalSecondaryIndexes.0", element("LocalSecondaryIndex")),
        ("LocalSecondaryIndexes.0.Projection", field("Projection")),
        ("LocalSecondaryIndexes.0.Projection.NonKeyAttributes.0", TYPES["String"]),
        ("GlobalSecondaryIndexes.0.ProvisionedThroughput.ReadCapacityUnits", TYPES["Long"]),
        ("BillingMode", TYPES["String"]),
    ],
    "ListTables": [("Limit", TYPES["Integer"]), ("ExclusiveStartTableName", TYPES["String"])],
}
CASES = [
    pytest.param(operation, path, value, text, id=f"{operation}-{path}-{value!r}")
    for operation, members in MEMBERS.items()
    for path, wrong in members
    for value, text in wrong
]


def request_with(path: str, value: Any) -> Any:
    """A request that holds nothing but the value at the path."""
    head, _, rest = path.partition(".")
    inner = request_with(rest, value) if rest else value
    return [inner] if head == "0" else {head: inner}


@pytest.mark.parametrize(("operation", "path", "value", "text"), CASES)
def test_wrong_type(operation: str, path: str, value: Any, text: str) -> None:
    with pytest.raises(SerializationException) as error:
        operations.check(operation, request_with(path, value))
    assert error.value.message == text


@pytest.mark.parametrize(
    ("word", "value"), [("true", True), ("YES", True), ("1", True), ("false", False), ("no", False), ("0", False)]
)
def test_words_for_booleans(word: str, value: bool) -> None:
    request = {"TableName": "abc", "Key": {}, "ConsistentRead": word}
    assert operations.check("GetItem", request).request["ConsistentRead"] is value


def test_a_null_is_as_good_as_nothing_and_unknown_members_fall_away() -> None:
    request = {"TableName": "abc", "Key": {"a": {"S": "b", "N": None}}, "ProjectionExpression": None, "Surplus": 1}
    checked = operations.check("GetItem", request)
    assert checked.request == {"TableName": "abc", "Key": {"a": {"S": "b"}}}
    assert checked.key == {"a": {"S": "b"}}


def test_a_fraction_is_cut_off() -> None:
    assert operations.check("Scan", {"TableName": "abc", "Limit": 2.9}).request["Limit"] == 2


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**70, 10**400, 1e300, float("inf"), float("nan")])
def test_numbers_that_no_integer_holds(value: float) -> None:
    with pytest.raises(SerializationException, match="cannot be converted to Integer"):
        operations.check("Scan", {"TableName": "abc", "Limit": value})


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan"), True, "1"])
def test_times_that_are_none(value: float) -> None:
    with pytest.raises(SerializationException, match="cannot be converted to Double"):
        operations.check("ListBackups", {"TimeRangeLowerBound": value})
