"""Query and Scan: ranges, pages, filters, projections, indexes, segments."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import ValidationException
from tests.engine.conftest import Tables, item


async def numbers(tables: Tables, condition: str, values: dict[str, Any], **more: Any) -> list[int]:
    response = await tables(
        "Query",
        TableName="items",
        KeyConditionExpression=condition,
        ExpressionAttributeValues={f":{name}": item(x=content)["x"] for name, content in values.items()},
        **more,
    )
    return [int(found["sk"]["N"]) for found in response["Items"]]


@pytest.fixture
async def filled(tables: Tables) -> Tables:
    await tables.create()
    for partition in ("a", "b"):
        for number in range(10):
            await tables.put(pk=partition, sk=number, g="even" if number % 2 == 0 else "odd", n=number)
    return tables


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
async def test_ranges(filled: Tables, condition: str, values: dict[str, Any], expected: list[int]) -> None:
    values = {"p": "a", **values}
    assert await numbers(filled, condition, values) == expected
    assert await numbers(filled, condition, values, ScanIndexForward=False) == expected[::-1]


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
async def test_pages_give_every_item_once(filled: Tables, forward: bool, index: str | None, limit: int) -> None:
    found: list[str] = []
    start: dict[str, Any] = {}
    while True:
        response = await filled(
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


async def test_a_page_goes_on_though_its_last_item_is_gone(filled: Tables) -> None:
    request: dict[str, Any] = {
        "TableName": "items",
        "IndexName": "by_g",
        "KeyConditionExpression": "g = :p",
        "ExpressionAttributeValues": {":p": {"S": "even"}},
    }
    first = await filled("Query", **request, Limit=3)
    last = first["LastEvaluatedKey"]
    await filled("DeleteItem", TableName="items", Key={name: last[name] for name in ("pk", "sk")})
    rest = await filled("Query", **request, ExclusiveStartKey=last)
    assert len(rest["Items"]) == 7


async def test_a_filter_counts_what_it_reads(filled: Tables) -> None:
    response = await filled(
        "Query",
        TableName="items",
        KeyConditionExpression="pk = :p",
        FilterExpression="n > :n",
        ExpressionAttributeValues={":p": {"S": "a"}, ":n": {"N": "6"}},
        Limit=8,
    )
    assert (response["Count"], response["ScannedCount"]) == (1, 8)
    assert "LastEvaluatedKey" in response


async def test_a_page_ends_at_one_megabyte(tables: Tables) -> None:
    await tables.create()
    for number in range(5):
        await tables.put(pk="a", sk=number, x="x" * 300_000)
    response = await tables("Scan", TableName="items")
    assert (len(response["Items"]), response["LastEvaluatedKey"]) == (4, item(pk="a", sk=3))
    rest = await tables("Scan", TableName="items", ExclusiveStartKey=response["LastEvaluatedKey"])
    assert len(rest["Items"]) == 1
    assert "LastEvaluatedKey" not in rest


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


async def test_segments_part_the_items(filled: Tables) -> None:
    found: list[str] = []
    for segment in range(4):
        response = await filled("Scan", TableName="items", Segment=segment, TotalSegments=4)
        found += [entry["pk"]["S"] + entry["sk"]["N"] for entry in response["Items"]]
    assert sorted(found) == sorted(f"{p}{n}" for p in "ab" for n in range(10))


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
async def test_queries_that_cannot_be(filled: Tables, request_: dict[str, Any], says: str) -> None:
    condition = "g = :p" if request_.get("IndexName") == "by_g" else "pk = :p"
    with pytest.raises(ValidationException, match=says):
        await filled(
            "Query",
            TableName="items",
            KeyConditionExpression=condition,
            ExpressionAttributeValues={":p": {"S": "a"}},
            **request_,
        )
