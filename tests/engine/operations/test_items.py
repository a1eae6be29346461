"""PutItem, GetItem, UpdateItem and DeleteItem."""

from __future__ import annotations

import pytest

from sekkei.errors import (
    ConditionalCheckFailedException,
    ResourceNotFoundException,
    ValidationException,
)
from tests.engine.conftest import Tables, item


async def test_what_was_put_is_got(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, text="ことば", n={"N": "1.50"}, b={"B": "aGk="}, s={"NS": ["2", "1.0"]})
    found = await tables.get(pk="a", sk=1)
    assert found == {
        **item(pk="a", sk=1, text="ことば"),
        "n": {"N": "1.5"},
        "b": {"B": "aGk="},
        "s": {"NS": ["2", "1"]},
    }
    assert await tables.get(pk="a", sk=2) is None


async def test_a_request_is_left_as_it_was(tables: Tables) -> None:
    await tables.create()
    request = {"TableName": "items", "Item": {"pk": {"S": "a"}, "sk": {"N": "1.0"}}}
    await tables.engine.call("PutItem", request)
    assert request == {"TableName": "items", "Item": {"pk": {"S": "a"}, "sk": {"N": "1.0"}}}


async def test_put_returns_the_old_item_when_asked(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="old")
    first = await tables("PutItem", TableName="items", Item=item(pk="a", sk=1, x="new"), ReturnValues="ALL_OLD")
    assert first["Attributes"] == item(pk="a", sk=1, x="old")
    fresh = await tables("PutItem", TableName="items", Item=item(pk="b", sk=1), ReturnValues="ALL_OLD")
    assert "Attributes" not in fresh


async def test_a_failed_condition_changes_nothing_and_may_show_the_item(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="old")
    with pytest.raises(ConditionalCheckFailedException) as failed:
        await tables(
            "PutItem",
            TableName="items",
            Item=item(pk="a", sk=1, x="new"),
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert failed.value.item == item(pk="a", sk=1, x="old")
    assert await tables.get(pk="a", sk=1) == item(pk="a", sk=1, x="old")


async def test_a_missing_table_is_said_to_be_missing(tables: Tables) -> None:
    with pytest.raises(ResourceNotFoundException):
        await tables.get("nowhere", pk="a")
    with pytest.raises(ResourceNotFoundException):
        await tables.put("nowhere", pk="a")


@pytest.mark.parametrize(
    ("key", "says"),
    [
        (item(pk="a"), "The provided key element does not match the schema"),
        (item(pk="a", sk="1"), "The provided key element does not match the schema"),
        (item(pk="a", sk=1, x="y"), "The provided key element does not match the schema"),
        (item(pk="", sk=1), "cannot contain an empty string value. Key: pk"),
    ],
)
async def test_a_key_that_does_not_fit(tables: Tables, key: dict[str, dict[str, str]], says: str) -> None:
    await tables.create()
    for operation in ("GetItem", "DeleteItem", "UpdateItem"):
        with pytest.raises(ValidationException, match=says):
            await tables(operation, TableName="items", Key=key)


async def test_an_item_too_large_is_refused(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ValidationException, match="Item size has exceeded the maximum allowed size"):
        await tables.put(pk="a", sk=1, x="x" * (400 * 1024))
    await tables.put(pk="a", sk=1, x="x" * (399 * 1024))
    with pytest.raises(ValidationException, match="Item size to update has exceeded the maximum allowed size"):
        await tables(
            "UpdateItem",
            TableName="items",
            Key=item(pk="a", sk=1),
            UpdateExpression="SET y = :y",
            ExpressionAttributeValues={":y": {"S": "y" * 2000}},
        )


async def test_update_makes_the_item_it_does_not_find(tables: Tables) -> None:
    await tables.create()
    response = await tables(
        "UpdateItem",
        TableName="items",
        Key=item(pk="a", sk=1),
        UpdateExpression="ADD hits :one SET label = if_not_exists(label, :new)",
        ExpressionAttributeValues={":one": {"N": "1"}, ":new": {"S": "new"}},
        ReturnValues="ALL_NEW",
    )
    assert response["Attributes"] == item(pk="a", sk=1, hits=1, label="new")


async def test_update_that_only_removes_makes_nothing(tables: Tables) -> None:
    await tables.create()
    await tables("UpdateItem", TableName="items", Key=item(pk="a", sk=1), UpdateExpression="REMOVE x")
    assert await tables.get(pk="a", sk=1) is None


async def test_update_without_expression_makes_a_key_alone(tables: Tables) -> None:
    await tables.create()
    await tables("UpdateItem", TableName="items", Key=item(pk="a", sk=1))
    assert await tables.get(pk="a", sk=1) == item(pk="a", sk=1)


@pytest.mark.parametrize(
    ("how", "attributes"),
    [
        ("NONE", None),
        ("ALL_OLD", item(pk="a", sk=1, x=1, y="y")),
        ("ALL_NEW", item(pk="a", sk=1, x=2, y="y")),
        ("UPDATED_OLD", item(x=1)),
        ("UPDATED_NEW", item(x=2)),
    ],
)
async def test_update_returns_what_is_asked(tables: Tables, how: str, attributes: dict[str, object] | None) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x=1, y="y")
    response = await tables(
        "UpdateItem",
        TableName="items",
        Key=item(pk="a", sk=1),
        UpdateExpression="SET x = x + :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
        ReturnValues=how,
    )
    assert response.get("Attributes") == attributes


async def test_the_key_cannot_be_updated(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ValidationException, match="Cannot update attribute pk"):
        await tables(
            "UpdateItem",
            TableName="items",
            Key=item(pk="a", sk=1),
            UpdateExpression="SET pk = :x",
            ExpressionAttributeValues={":x": {"S": "b"}},
        )


async def test_delete_gives_the_old_item_and_is_content_without_one(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="y")
    first = await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=1), ReturnValues="ALL_OLD")
    assert first == {"Attributes": item(pk="a", sk=1, x="y")}
    assert await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=1), ReturnValues="ALL_OLD") == {}


async def test_index_entries_follow_their_item(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, g="one")
    assert [found["g"] for found in await tables.all(index="by_g")] == [{"S": "one"}]
    await tables.put(pk="a", sk=1, g="two")
    assert [found["g"] for found in await tables.all(index="by_g")] == [{"S": "two"}]
    await tables("UpdateItem", TableName="items", Key=item(pk="a", sk=1), UpdateExpression="REMOVE g")
    assert await tables.all(index="by_g") == []
    await tables.put(pk="a", sk=1, g="three")
    await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=1))
    assert await tables.all(index="by_g") == []


async def test_an_index_key_of_the_wrong_type_is_refused(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ValidationException, match="Type mismatch for Index Key g Expected: S Actual: N"):
        await tables.put(pk="a", sk=1, g=1)
    assert await tables.all() == []


async def test_capacity_of_writes_counts_index_entries(tables: Tables) -> None:
    await tables.create()

    async def units(**attributes: object) -> dict[str, float]:
        response = await tables("PutItem", TableName="items", Item=item(**attributes), ReturnConsumedCapacity="INDEXES")
        consumed = response["ConsumedCapacity"]
        found = {"table": consumed["Table"]["CapacityUnits"], "all": consumed["CapacityUnits"]}
        for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            found.update({name: entry["CapacityUnits"] for name, entry in consumed.get(member, {}).items()})
        return found

    assert await units(pk="a", sk=1) == {"table": 1.0, "all": 1.0}
    assert await units(pk="a", sk=1, g="x") == {"table": 1.0, "by_g": 1.0, "all": 2.0}
    assert await units(pk="a", sk=1, g="y") == {"table": 1.0, "by_g": 2.0, "all": 3.0}
    assert await units(pk="a", sk=1, g="y") == {"table": 1.0, "all": 1.0}
    assert await units(pk="a", sk=1, g="y", l="z", x="x" * 2000) == {
        "table": 2.0,
        "by_g": 2.0,
        "by_l": 1.0,
        "all": 5.0,
    }


async def test_capacity_of_reads(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="x" * 5000)
    for consistent, units in ((True, 2.0), (False, 1.0)):
        response = await tables(
            "GetItem",
            TableName="items",
            Key=item(pk="a", sk=1),
            ConsistentRead=consistent,
            ReturnConsumedCapacity="TOTAL",
        )
        assert response["ConsumedCapacity"] == {"TableName": "items", "CapacityUnits": units}


async def test_collection_metrics(tables: Tables) -> None:
    await tables.create()
    response = await tables("PutItem", TableName="items", Item=item(pk="a", sk=1), ReturnItemCollectionMetrics="SIZE")
    assert response["ItemCollectionMetrics"] == {
        "ItemCollectionKey": {"pk": {"S": "a"}},
        "SizeEstimateRangeGB": [0.0, 1.0],
    }
