"""Query."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import ValidationException
from tests.engine.conftest import Tables, item
from tests.engine.refusals import AT_LEAST_ONE, CAPACITY, INVALID, NOT_NULL, PATTERN, faults, refusal


async def numbers(tables: Tables, condition: str, values: dict[str, Any], **more: Any) -> list[int]:
    response = await tables(
        "Query",
        TableName="items",
        KeyConditionExpression=condition,
        ExpressionAttributeValues={f":{name}": item(x=content)["x"] for name, content in values.items()},
        **more,
    )
    return [int(found["sk"]["N"]) for found in response["Items"]]


@pytest.mark.parametrize(
    ("condition", "values", "expected"),
    [
        ("pk = :p", {}, list(range(10))),
        ("pk = :p AND sk = :x", {"x": 3}, [3]),
        ("pk = :p AND sk < :x", {"x": 3}, [0, 1, 2]),
        ("pk = :p AND sk <= :x", {"x": 3}, [0, 1, 2, 3]),
        ("pk = :p AND sk > :x", {"x": 7}, [8, 9]),
        ("pk = :p AND sk >= :x", {"x": 7}, [7, 8, 9]),
        ("pk = :p AND sk BETWEEN :x AND :y", {"x": 2, "y": 4}, [2, 3, 4]),
        ("sk = :x AND pk = :p", {"x": 5}, [5]),
    ],
)
async def test_ranges(numbered: Tables, condition: str, values: dict[str, Any], expected: list[int]) -> None:
    values = {"p": "a", **values}
    assert await numbers(numbered, condition, values) == expected
    assert await numbers(numbered, condition, values, ScanIndexForward=False) == expected[::-1]


async def test_begins_with_does_not_stop_at_wide_characters(tables: Tables) -> None:
    await tables.create(
        "texts",
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        GlobalSecondaryIndexes=None,
        LocalSecondaryIndexes=None,
    )
    for text in ("猫", "猫缶", "猫\U0010ffff", "犬"):
        await tables.put("texts", pk="a", sk=text)
    response = await tables(
        "Query",
        TableName="texts",
        KeyConditionExpression="pk = :p AND begins_with(sk, :x)",
        ExpressionAttributeValues=item(**{":p": "a", ":x": "猫"}),
    )
    assert [found["sk"]["S"] for found in response["Items"]] == ["猫", "猫缶", "猫\U0010ffff"]


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("index", [None, "by_g"])
@pytest.mark.parametrize("limit", [1, 3, 4, 100])
async def test_pages_give_every_item_once(numbered: Tables, forward: bool, index: str | None, limit: int) -> None:
    found: list[str] = []
    start: dict[str, Any] = {}
    while True:
        response = await numbered(
            "Query",
            TableName="items",
            KeyConditionExpression="g = :p" if index else "pk = :p",
            ExpressionAttributeValues={":p": {"S": "even" if index else "a"}},
            ScanIndexForward=forward,
            Limit=limit,
            **({"IndexName": index} if index else {}),
            **start,
        )
        found += [entry["pk"]["S"] + entry["sk"]["N"] for entry in response["Items"]]
        if "LastEvaluatedKey" not in response:
            break
        start = {"ExclusiveStartKey": response["LastEvaluatedKey"]}
    expected = {f"{p}{n}" for p in "ab" for n in range(0, 10, 2)} if index else {f"a{n}" for n in range(10)}
    assert len(found) == len(expected)
    assert set(found) == expected
    order = [int(entry[1:]) for entry in found]
    assert order == sorted(order, reverse=not forward)


async def test_a_page_goes_on_though_its_last_item_is_gone(numbered: Tables) -> None:
    request: dict[str, Any] = {
        "TableName": "items",
        "IndexName": "by_g",
        "KeyConditionExpression": "g = :p",
        "ExpressionAttributeValues": {":p": {"S": "even"}},
    }
    first = await numbered("Query", **request, Limit=3)
    last = first["LastEvaluatedKey"]
    await numbered("DeleteItem", TableName="items", Key={name: last[name] for name in ("pk", "sk")})
    rest = await numbered("Query", **request, ExclusiveStartKey=last)
    assert len(rest["Items"]) == 7


async def test_a_filter_counts_what_it_reads(numbered: Tables) -> None:
    response = await numbered(
        "Query",
        TableName="items",
        KeyConditionExpression="pk = :p",
        FilterExpression="n > :n",
        ExpressionAttributeValues={":p": {"S": "a"}, ":n": {"N": "6"}},
        Limit=8,
    )
    assert (response["Count"], response["ScannedCount"]) == (1, 8)
    assert "LastEvaluatedKey" in response


async def test_an_index_answers_with_what_is_projected(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, l="z", x="more")
    request: dict[str, Any] = {
        "TableName": "items",
        "IndexName": "by_l",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "a"}},
    }
    assert (await tables("Query", **request))["Items"] == [item(pk="a", sk=1, l="z")]
    # A local index fetches the rest from the table, and that costs.
    fetched = await tables("Query", **request, Select="ALL_ATTRIBUTES", ReturnConsumedCapacity="INDEXES")
    assert fetched["Items"] == [item(pk="a", sk=1, l="z", x="more")]
    consumed = fetched["ConsumedCapacity"]
    assert consumed["CapacityUnits"] == 1.0
    assert consumed["Table"] == {"CapacityUnits": 0.5}
    assert consumed["LocalSecondaryIndexes"] == {"by_l": {"CapacityUnits": 0.5}}
    assert (await tables("Query", **request, Select="COUNT")).get("Items") is None


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"IndexName": "nope"}, "The table does not have the specified index: nope"),
        ({"IndexName": "by_g", "ConsistentRead": True}, "Consistent reads are not supported on global"),
        ({"ExclusiveStartKey": item(pk="b", sk=1)}, "outside query boundaries"),
        ({"ExclusiveStartKey": item(pk="a")}, "The provided starting key is invalid"),
        ({"FilterExpression": "sk = :p"}, "Primary key attribute: sk"),
        ({"Limit": 0}, "greater than or equal to 1"),
    ],
)
async def test_queries_that_cannot_be(numbered: Tables, request_: dict[str, Any], says: str) -> None:
    condition = "g = :p" if request_.get("IndexName") == "by_g" else "pk = :p"
    with pytest.raises(ValidationException, match=says):
        await numbered(
            "Query",
            TableName="items",
            KeyConditionExpression=condition,
            ExpressionAttributeValues={":p": {"S": "a"}},
            **request_,
        )


SELECT = "Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
COMPARISON = (
    "Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, "
    "BEGINS_WITH, GE, CONTAINS]"
)


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"Select": "INVALID_VALUE"}, faults(("INVALID_VALUE", "select", SELECT))),
        (
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
            {"IndexName": "a;"},
            faults(
                ("a;", "indexName", PATTERN), ("a;", "indexName", "Member must have length greater than or equal to 3")
            ),
        ),
    ],
)
def test_bounds(request_: dict[str, Any], text: str) -> None:
    assert refusal("Query", {"TableName": "abc", **request_}) == text


CONDITION = {"KeyConditionExpression": "a = :a", "ExpressionAttributeValues": {":a": {"S": "1"}}}


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            {**CONDITION, "Limit": 0},
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1",
        ),
        ({}, "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."),
        ({"KeyConditions": {}}, "Conditions can be of length 1 or 2 only"),
        ({"AttributesToGet": ["b", "a", "a"]}, INVALID + "Duplicate value in attribute name: a"),
        (
            {**CONDITION, "Select": "SPECIFIC_ATTRIBUTES"},
            "1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when choosing to "
            "get SPECIFIC_ATTRIBUTES",
        ),
        (
            {**CONDITION, "ProjectionExpression": "b", "Select": "COUNT"},
            "1 validation error detected: Cannot specify the ProjectionExpression when choosing to get only the Count",
        ),
    ],
)
def test_parameters_that_do_not_go_together(request_: dict[str, Any], text: str) -> None:
    assert refusal("Query", {"TableName": "abc", **request_}) == text
