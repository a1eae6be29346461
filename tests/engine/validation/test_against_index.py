"""What does not fit the table or the index that a query or a scan reads, in DynamoDB's words."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.validation import against_table
from tests.engine.refusals import refusal_of
from tests.engine.validation.tables import EMPTY, HASH, INVALID, MISMATCH, OTHERS, RANGE, s

START = "The provided starting key is invalid"


# Queries


def query(on: Table, condition: str, values: dict[str, Any], **more: Any) -> Any:
    request = {"TableName": "abc", "KeyConditionExpression": condition, "ExpressionAttributeValues": values, **more}
    return against_table.check_query(on, operations.check("Query", request))


V = {":v": s("x")}


def too_many(conditions: int, attributes: int) -> str:
    return (
        f"The number of query conditions ({conditions}) exceeds the number of key attributes defined in the schema "
        f"({attributes})"
    )


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
        (HASH, "a = :v AND b = :v", V, {}, too_many(2, 1)),
        (HASH, "y = :v AND z = :v", V, {}, too_many(2, 1)),
        (HASH, "a > :v", V, {}, "Query key condition not supported"),
        (HASH, "begins_with(a, :v)", V, {}, "Query key condition not supported"),
        (RANGE, "a = :v AND b = :v AND c = :v", V, {}, too_many(3, 2)),
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
    assert refusal_of(lambda: query(on, condition, values, **more)) == text


LEGACY = [
    ({name: {"ComparisonOperator": "NULL"} for name in "abc"}, too_many(3, 2)),
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
    checked = operations.check("Query", {"TableName": "abc", "KeyConditions": conditions})
    assert refusal_of(against_table.check_query, RANGE, checked) == text


def test_query_filter_has_its_own_wording() -> None:
    condition = {"ComparisonOperator": "EQ", "AttributeValueList": [s("x")]}
    request = {"TableName": "abc", "KeyConditions": {"a": condition}, "QueryFilter": {"b": condition}}
    assert refusal_of(against_table.check_query, RANGE, operations.check("Query", request)) == (
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
    assert refusal_of(lambda: query(on, condition, V, ExclusiveStartKey=start, **more)) == text


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
    return against_table.check_scan(on, operations.check("Scan", {"TableName": "abc", **request}))


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
    assert refusal_of(lambda: scan(on, **request_)) == text


def test_a_scan_goes_on_in_its_own_segment() -> None:
    start = {"a": s("x")}
    own = int(HASH.key_bytes(start)[0] >= 128)
    assert scan(HASH, Segment=own, TotalSegments=2, ExclusiveStartKey=start) is None
    text = refusal_of(lambda: scan(HASH, Segment=1 - own, TotalSegments=2, ExclusiveStartKey=start))
    assert text == (
        f"{START}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
        f"TotalSegments: 2 Segment: {1 - own}"
    )


def test_scans_that_can_be() -> None:
    assert scan(RANGE) is None
    assert scan(RANGE, ExclusiveStartKey=AB) is None
    assert scan(RANGE, IndexName="gtwo", ProjectionExpression="e, a") is RANGE.indexes["gtwo"]
    assert scan(RANGE, IndexName="local", ConsistentRead=True, Select="ALL_ATTRIBUTES") is RANGE.indexes["local"]
