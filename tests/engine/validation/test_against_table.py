"""What does not fit a table's schema or an index, in DynamoDB's words."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import validation
from sekkei.engine.catalogue import Table
from sekkei.engine.errors import ValidationException
from sekkei.engine.validation import against_table

INVALID = "One or more parameter values were invalid: "
MISMATCH = "The provided key element does not match the schema"
START = "The provided starting key is invalid"
EMPTY = (
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
    "{} value. Key: {}"
)
HASH_SIZE = INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
RANGE_SIZE = INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"


def keyed(*parts: str) -> list[dict[str, str]]:
    """ "a" is a HASH key, "-b" a RANGE key."""
    return [{"AttributeName": part[-1], "KeyType": "RANGE" if part[0] == "-" else "HASH"} for part in parts]


def table(*parts: str, types: str = "", indexes: dict[str, Any] | None = None) -> Table:
    """`types` names the attributes that are no strings: "nN" is a number called n. LSI names begin with l."""
    kinds = {pair[0]: pair[1] for pair in types.split()}
    indexes = indexes or {}
    names = dict.fromkeys(part[-1] for group in (parts, *(i["keys"] for i in indexes.values())) for part in group)
    described: dict[str, list[Any]] = {}
    for number, (name, index) in enumerate(indexes.items(), start=1):
        member = "LocalSecondaryIndexes" if name[0] == "l" else "GlobalSecondaryIndexes"
        projection = {"ProjectionType": index.get("projection", "ALL")}
        if "include" in index:
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": index["include"]}
        described.setdefault(member, []).append(
            {
                "id": number,
                "IndexName": name,
                "KeySchema": keyed(*index["keys"]),
                "Projection": projection,
                "Backfilling": index.get("backfilling", False),
            }
        )
    record = {
        "TableName": "abc",
        "TableArn": "arn:aws:dynamodb:us-east-1:123456789012:table/abc",
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": kinds.get(n, "S")} for n in names],
        "KeySchema": keyed(*parts),
        **described,
    }
    return Table(1, record)


HASH = table("a")
RANGE = table(
    "a",
    "-b",
    indexes={
        "local": {"keys": ("a", "-c")},
        "gone": {"keys": ("c",)},
        "gtwo": {"keys": ("c", "-d"), "include": ["e"]},
        "gkeys": {"keys": ("c", "-d"), "projection": "KEYS_ONLY"},
        "growing": {"keys": ("c",), "backfilling": True},
        "gmany": {"keys": ("c", "d", "-e", "-f")},
    },
)


def s(text: str) -> dict[str, str]:
    return {"S": text}


def refusal(check: Any, *arguments: Any) -> str:
    with pytest.raises(ValidationException) as error:
        check(*arguments)
    assert error.value.code == "ValidationException"
    return error.value.message


OTHERS: list[dict[str, Any]] = [
    {"N": "1"},
    {"B": "Yg=="},
    {"BOOL": True},
    {"NULL": True},
    {"SS": ["a"]},
    {"NS": ["1"]},
    {"BS": ["Yg=="]},
    {"M": {}},
    {"L": []},
]


# Keys and items


@pytest.mark.parametrize("key", [{}, {"b": s("a")}, {"a": s("a"), "b": s("b")}, *({"a": value} for value in OTHERS)])
def test_keys_that_do_not_match(key: dict[str, Any]) -> None:
    assert refusal(against_table.check_key, HASH, key) == MISMATCH
    assert refusal(against_table.check_keys, HASH, [{"a": s("a")}, key]) == MISMATCH


def test_empty_and_long_keys() -> None:
    binary = table("a", "-b", types="bB")
    assert refusal(against_table.check_key, HASH, {"a": s("")}) == EMPTY.format("string", "a")
    assert refusal(against_table.check_key, binary, {"a": s("a"), "b": {"B": ""}}) == EMPTY.format("binary", "b")
    against_table.check_key(RANGE, {"a": s("a" * 2048), "b": s("b" * 1024)})
    assert refusal(against_table.check_key, HASH, {"a": s("a" * 2049)}) == HASH_SIZE
    assert refusal(against_table.check_key, HASH, {"a": s("é" * 1025)}) == HASH_SIZE
    assert refusal(against_table.check_key, RANGE, {"a": s("a"), "b": s("b" * 1025)}) == RANGE_SIZE


def test_items_without_a_key() -> None:
    assert refusal(against_table.check_item, HASH, {}) == INVALID + "Missing the key a in the item"
    assert refusal(against_table.check_item, RANGE, {"a": s("a")}) == INVALID + "Missing the key b in the item"
    for value in OTHERS:
        kind = next(iter(value))
        text = INVALID + f"Type mismatch for key a expected: S actual: {kind}"
        assert refusal(against_table.check_item, HASH, {"a": value}) == text
    assert refusal(against_table.check_item, HASH, {"a": s("")}) == EMPTY.format("string", "a")
    assert refusal(against_table.check_item, HASH, {"a": s("a" * 2049)}) == HASH_SIZE


def test_a_batch_has_one_wording() -> None:
    for item in ({}, {"a": {"N": "1"}}, {"b": s("b")}):
        assert refusal(against_table.check_batch_item, HASH, item) == MISMATCH
    assert refusal(against_table.check_batch_item, HASH, {"a": s("")}) == EMPTY.format("string", "a")
    against_table.check_batch_item(HASH, {"a": s("a"), "b": {"N": "1"}})


def test_index_keys_of_an_item() -> None:
    item = {"a": s("a"), "b": s("b")}
    against_table.check_item(RANGE, {**item, "x": {"N": "1"}})
    text = INVALID + "Type mismatch for Index Key c Expected: S Actual: N IndexName: gkeys"
    assert refusal(against_table.check_item, RANGE, {**item, "c": {"N": "1"}}) == text
    assert refusal(against_table.check_batch_item, RANGE, {**item, "c": {"N": "1"}}) == text
    assert refusal(against_table.check_item, RANGE, {**item, "c": s("")}) == (
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. "
        "The AttributeValue for a key attribute cannot contain an empty string value. "
        "IndexName: gkeys, IndexKey: c"
    )
    assert refusal(against_table.check_item, RANGE, {**item, "c": s("c" * 1025)}) == RANGE_SIZE


def test_an_empty_key_value_can_be_told_from_the_rest() -> None:
    for item in ({"a": s("")}, {"a": s("a"), "b": s("b"), "c": s("")}):
        with pytest.raises(against_table.EmptyKeyValue):
            against_table.check_item(RANGE, item)


def test_a_batch_writes_no_item_twice() -> None:
    def parts(*keys: str) -> list[tuple[validation.Checked, Table]]:
        deletes = [{"DeleteRequest": {"Key": {"a": {"N": key}}}} for key in keys]
        numbers = table("a", types="aN")
        checked = validation.check("BatchWriteItem", {"RequestItems": {"abc": deletes}})
        return [(part, numbers) for part in checked.parts]

    against_table.check_no_duplicates(parts("1", "2"))
    text = refusal(against_table.check_no_duplicates, parts("1", "1.0"))
    assert text == "Provided list of item keys contains duplicates"


# Updates


def update(text: str, **values: Any) -> Any:
    request = {"TableName": "abc", "Key": {}, "UpdateExpression": text}
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
    return validation.check("UpdateItem", request).update


def test_updates_leave_the_key_alone() -> None:
    text = INVALID + "Cannot update attribute b. This attribute is part of the key"
    assert refusal(against_table.check_update, RANGE, update("SET b = :v", v=s("x"))) == text
    assert refusal(against_table.check_update, RANGE, update("REMOVE x, b")) == text
    legacy = {"TableName": "abc", "Key": {}, "AttributeUpdates": {"b": {"Value": s("x")}}}
    assert refusal(against_table.check_update, RANGE, validation.check("UpdateItem", legacy).update) == text
    assert refusal(against_table.check_updated_item, RANGE, {"a": s("1"), "b": s("2")}, {"a": s("1")}) == text
    against_table.check_update(RANGE, update("SET c = :v", v=s("x")))
    against_table.check_update(RANGE, None)


def test_updates_treat_index_keys_as_scalars() -> None:
    text = refusal(against_table.check_update, RANGE, update("SET c.x = :v", v=s("x")))
    assert text == (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: c"
    )


def test_items_after_an_update() -> None:
    before = {"a": s("a"), "b": s("b"), "c": {"N": "1"}}
    against_table.check_updated_item(RANGE, before, {**before, "x": s("x")})
    text = refusal(against_table.check_updated_item, RANGE, before, {**before, "c": {"N": "2"}})
    assert text == INVALID + "Type mismatch for Index Key c Expected: S Actual: N IndexName: gkeys"
    text = refusal(against_table.check_updated_item, RANGE, before, {**before, "c": s("")})
    assert text == (
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key "
        "to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value."
    )
    text = refusal(against_table.check_updated_item, RANGE, before, {**before, "x": s("x" * 410_000)})
    assert text == "Item size to update has exceeded the maximum allowed size"


# Queries


def query(on: Table, condition: str, values: dict[str, Any], **more: Any) -> Any:
    request = {"TableName": "abc", "KeyConditionExpression": condition, "ExpressionAttributeValues": values, **more}
    return against_table.check_query(on, validation.check("Query", request))


V = {":v": s("x")}


@pytest.mark.parametrize(
    ("on", "condition", "values", "more", "text"),
    [
        (HASH, "a = :v", V, {"IndexName": "whatever"}, "The table does not have the specified index: whatever"),
        (
            RANGE,
            "c = :v",
            V,
            {"IndexName": "gone", "ConsistentRead": True},
            "Consistent reads are not supported on global secondary indexes",
        ),
        (RANGE, "c = :v", V, {"IndexName": "growing"}, "Cannot read from backfilling global secondary index: growing"),
        (RANGE, "b = :v", V, {}, "Query condition missed key schema element: a"),
        (RANGE, "z = :v", V, {}, "Query condition missed key schema element: a"),
        (RANGE, "a = :v AND c = :v", V, {}, "Query condition missed key schema element: b"),
        (RANGE, "a = :v AND b = :v", V, {"IndexName": "local"}, "Query condition missed key schema element: c"),
        (HASH, "a = :v AND b = :v", V, {}, "Query key condition not supported"),
        (HASH, "y = :v AND z = :v", V, {}, "Query key condition not supported"),
        (HASH, "a > :v", V, {}, "Query key condition not supported"),
        (HASH, "begins_with(a, :v)", V, {}, "Query key condition not supported"),
        (RANGE, "a = :v AND b = :v AND c = :v", V, {}, "Conditions can be of length 1 or 2 only"),
        (HASH, "a = :v", {":v": {"N": "1"}}, {}, INVALID + "Condition parameter type does not match schema type"),
        (HASH, "a = :v", {":v": s("")}, {}, EMPTY.format("string", "a")),
        (
            RANGE,
            "a = :v",
            V,
            {"FilterExpression": "b.x = :v OR c = :v"},
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: b",
        ),
        (
            RANGE,
            "c = :v",
            V,
            {"IndexName": "gtwo", "FilterExpression": "d = :v"},
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: d",
        ),
        (
            RANGE,
            "a = :v",
            V,
            {"ProjectionExpression": "a.x"},
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: a",
        ),
        (
            RANGE,
            "a = :v",
            V,
            {"FilterExpression": "c[0] = :v"},
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: c",
        ),
        (
            RANGE,
            "c = :v",
            V,
            {"IndexName": "gtwo", "Select": "ALL_ATTRIBUTES"},
            INVALID + "Select type ALL_ATTRIBUTES is not supported for global secondary index gtwo because its "
            "projection type is not ALL",
        ),
        (
            RANGE,
            "c = :v",
            V,
            {"IndexName": "gtwo", "ProjectionExpression": "e, x"},
            INVALID + "Global secondary index gtwo does not project [x]",
        ),
        (
            RANGE,
            "c = :v AND e = :v",
            V,
            {"IndexName": "gmany"},
            "HASH key attributes d must have equality conditions specified in the query",
        ),
        (
            RANGE,
            "c = :v AND d = :v AND e > :v AND f = :v",
            V,
            {"IndexName": "gmany"},
            "RANGE key attributes e must have equality conditions specified in the query "
            "because a condition is present on key attribute f",
        ),
    ],
)
def test_queries(on: Table, condition: str, values: dict[str, Any], more: dict[str, Any], text: str) -> None:
    assert refusal(lambda: query(on, condition, values, **more)) == text


LEGACY = [
    ({"z": {"ComparisonOperator": "NULL"}}, "Query condition missed key schema element: a"),
    *(
        ({"a": condition}, "Attempted conditional constraint is not an indexable operation")
        for condition in (
            {"ComparisonOperator": "NULL"},
            {"ComparisonOperator": "NE", "AttributeValueList": [s("x")]},
            {"ComparisonOperator": "CONTAINS", "AttributeValueList": [s("x")]},
            {"ComparisonOperator": "IN", "AttributeValueList": [s("x")]},
        )
    ),
]


@pytest.mark.parametrize(("conditions", "text"), LEGACY)
def test_key_conditions(conditions: dict[str, Any], text: str) -> None:
    checked = validation.check("Query", {"TableName": "abc", "KeyConditions": conditions})
    assert refusal(against_table.check_query, RANGE, checked) == text


def test_query_filter_has_its_own_wording() -> None:
    condition = {"ComparisonOperator": "EQ", "AttributeValueList": [s("x")]}
    request = {"TableName": "abc", "KeyConditions": {"a": condition}, "QueryFilter": {"b": condition}}
    assert refusal(against_table.check_query, RANGE, validation.check("Query", request)) == (
        "QueryFilter can only contain non-primary key attributes: Primary key attribute: b"
    )


@pytest.mark.parametrize(
    ("condition", "index", "inside", "outside"),
    [
        ("a = :v", None, [s("a")], []),
        ("a = :v AND b = :w", None, [s("m")], [s("l"), s("n"), s("m0")]),
        ("a = :v AND b < :w", None, [s("l")], [s("m")]),
        ("a = :v AND b <= :w", None, [s("m")], [s("n")]),
        ("a = :v AND b > :w", None, [s("n"), s("m0")], [s("m")]),
        ("a = :v AND b >= :w", None, [s("m")], [s("l")]),
        ("a = :v AND begins_with(b, :w)", None, [s("m"), s("mm")], [s("n"), s("l")]),
        ("a = :v AND b BETWEEN :w AND :x", None, [s("m"), s("p")], [s("l"), s("p0")]),
    ],
)
def test_the_range_of_a_query(condition: str, index: str | None, inside: list[Any], outside: list[Any]) -> None:
    values = {":v": s("x"), ":w": s("m"), ":x": s("p")}
    used = {name: value for name, value in values.items() if name in condition}
    found, within = query(RANGE, condition, used)
    assert found is None
    for sort, expected in [(value, True) for value in inside] + [(value, False) for value in outside]:
        assert within.contains(RANGE.key_bytes({"a": s("x"), "b": sort})) is expected
        assert not within.contains(RANGE.key_bytes({"a": s("y"), "b": sort}))


def test_the_index_of_a_query() -> None:
    index, within = query(RANGE, "c = :v AND d > :v", V, IndexName="gtwo")
    assert index is RANGE.indexes["gtwo"]
    assert within.contains(index.key.bytes_of({"c": s("x"), "d": s("y")}))
    index, within = query(RANGE, "c = :v AND d = :v AND e = :v", V, IndexName="gmany")
    assert within.contains(index.key.bytes_of({"c": s("x"), "d": s("x"), "e": s("x"), "f": s("y")}))
    assert not within.contains(index.key.bytes_of({"c": s("x"), "d": s("x"), "e": s("xx"), "f": s("y")}))


# Start keys

AB = {"a": s("x"), "b": s("m")}
ABC = {**AB, "c": s("m")}
ABCD = {**ABC, "d": s("m")}


@pytest.mark.parametrize(
    ("on", "condition", "index", "start", "text"),
    [
        (HASH, "a = :v", None, {}, START),
        (HASH, "a = :v", None, {"b": s("a")}, START),
        (HASH, "a = :v", None, AB, START),
        (
            HASH,
            "a = :v",
            None,
            {"a": s("x")},
            "The provided exclusive start key is invalid: ExclusiveStartKey: {a=AttributeValue: {S:x}}",
        ),
        *((HASH, "z = :v", None, {"a": value}, MISMATCH) for value in OTHERS),
        (RANGE, "a = :v", None, {"a": s("x")}, START),
        (RANGE, "a = :v", None, {"a": s("x"), "c": {"N": "1"}}, START),
        (RANGE, "z = :v", None, {"a": {"N": "1"}, "z": s("a")}, MISMATCH),
        (RANGE, "z = :v", None, {"a": s("x"), "b": {"N": "1"}}, "Query condition missed key schema element: a"),
        (RANGE, "a = :v", None, {"a": s("x"), "b": {"N": "1"}}, MISMATCH),
        (RANGE, "a = :v", "local", AB, START),
        (RANGE, "a = :v", "local", {**AB, "c": {"N": "1"}}, MISMATCH),
        (RANGE, "a = :v", "local", {**ABC, "b": {"N": "1"}}, f"{START}: {MISMATCH}"),
        (RANGE, "c = :v", "gone", {"a": {"N": "1"}, "b": s("1"), "c": s("x")}, f"{START}: {MISMATCH}"),
        (RANGE, "c = :v", "gone", {"x": s("1"), "y": s("1"), "c": s("x")}, f"{START}: {MISMATCH}"),
        (
            RANGE,
            "a = :v",
            None,
            {**AB, "a": s("y")},
            "The provided starting key is outside query boundaries based on provided conditions",
        ),
        (
            RANGE,
            "c = :v",
            "gone",
            ABC,
            "The provided starting key is outside query boundaries based on provided conditions",
        ),
        (
            RANGE,
            "a = :v AND b > :v",
            None,
            AB,
            "The provided starting key does not match the range key predicate",
        ),
        (
            RANGE,
            "c = :v AND d > :v",
            "gtwo",
            ABCD,
            "The provided starting key does not match the range key predicate",
        ),
        (
            RANGE,
            "a = :v AND b < :v",
            None,
            {**AB, "a": s("y")},
            "The query can return at most one row and cannot be restarted",
        ),
    ],
)
def test_start_keys_of_queries(on: Table, condition: str, index: str | None, start: Any, text: str) -> None:
    more = {} if index is None else {"IndexName": index}
    assert refusal(lambda: query(on, condition, V, ExclusiveStartKey=start, **more)) == text


@pytest.mark.parametrize(
    ("condition", "index", "start"),
    [
        ("a = :v", None, AB),
        ("a = :v AND b < :v", None, AB),
        ("a = :v", "local", ABC),
        ("c = :v", "gone", {**ABC, "c": s("x")}),
        ("c = :v AND d < :v", "gtwo", {**ABCD, "c": s("x")}),
    ],
)
def test_start_keys_that_can_be(condition: str, index: str | None, start: Any) -> None:
    more = {} if index is None else {"IndexName": index}
    assert query(RANGE, condition, V, ExclusiveStartKey=start, **more)


def scan(on: Table, **request: Any) -> Any:
    return against_table.check_scan(on, validation.check("Scan", {"TableName": "abc", **request}))


@pytest.mark.parametrize(
    ("on", "request_", "text"),
    [
        (HASH, {"IndexName": "whatever"}, "The table does not have the specified index: whatever"),
        (
            RANGE,
            {"IndexName": "gone", "ConsistentRead": True},
            "Consistent reads are not supported on global secondary indexes",
        ),
        *((HASH, {"ExclusiveStartKey": start}, f"{START}: {MISMATCH}") for start in ({}, AB, {"a": {"N": "1"}})),
        *(
            (RANGE, {"IndexName": "local", "ExclusiveStartKey": start}, START)
            for start in ({}, AB, {"a": s("a")}, {"b": s("a"), "c": s("a"), "z": s("a")})
        ),
        (RANGE, {"IndexName": "local", "ExclusiveStartKey": {**AB, "c": {"N": "1"}}}, MISMATCH),
        (
            RANGE,
            {"IndexName": "gone", "ExclusiveStartKey": {**ABC, "a": {"N": "1"}}},
            f"{START}: {MISMATCH}",
        ),
        (
            RANGE,
            {"IndexName": "gtwo", "Select": "ALL_ATTRIBUTES", "ExclusiveStartKey": {**ABCD, "a": {"N": "1"}}},
            INVALID + "Select type ALL_ATTRIBUTES is not supported for global secondary index gtwo because its "
            "projection type is not ALL",
        ),
        (
            HASH,
            {"FilterExpression": "attribute_exists(a.b.c)"},
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: a",
        ),
    ],
)
def test_scans(on: Table, request_: dict[str, Any], text: str) -> None:
    assert refusal(lambda: scan(on, **request_)) == text


def test_a_scan_goes_on_in_its_own_segment() -> None:
    start = {"a": s("x")}
    own = int(HASH.key_bytes(start)[0] >= 128)
    assert scan(HASH, Segment=own, TotalSegments=2, ExclusiveStartKey=start) is None
    text = refusal(lambda: scan(HASH, Segment=1 - own, TotalSegments=2, ExclusiveStartKey=start))
    assert text == (
        f"{START}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
        f"TotalSegments: 2 Segment: {1 - own}"
    )


def test_scans_that_can_be() -> None:
    assert scan(RANGE) is None
    assert scan(RANGE, ExclusiveStartKey=AB) is None
    assert scan(RANGE, IndexName="gtwo", ProjectionExpression="e, a") is RANGE.indexes["gtwo"]
    assert scan(RANGE, IndexName="local", ConsistentRead=True, Select="ALL_ATTRIBUTES") is RANGE.indexes["local"]
