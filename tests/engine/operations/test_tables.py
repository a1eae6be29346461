"""CreateTable, DescribeTable, ListTables, UpdateTable, DeleteTable and tags."""

from __future__ import annotations

import pytest

from sekkei.engine import Engine
from sekkei.engine.storage import index_backfill
from sekkei.engine.storage.catalogue import Table
from sekkei.errors import (
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)
from tests.engine.conftest import Tables, item, key


async def described(tables: Tables, name: str = "items") -> dict[str, object]:
    return (await tables("DescribeTable", TableName=name))["Table"]  # type: ignore[no-any-return]


async def test_a_table_is_described_as_it_was_made(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, g="x")
    table = await described(tables)
    assert table["TableStatus"] == "ACTIVE"
    assert table["ItemCount"] == 1
    assert table["TableSizeBytes"] == len("pk") + 1 + len("sk") + 2 + len("g") + 1
    assert table["KeySchema"] == key("pk", "sk")
    assert table["TableArn"] == "arn:aws:dynamodb:us-east-1:123456789012:table/items"
    (index,) = table["GlobalSecondaryIndexes"]  # type: ignore[misc]
    assert (index["IndexName"], index["IndexStatus"], index["ItemCount"]) == ("by_g", "ACTIVE", 1)


async def test_a_name_is_taken_once(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ResourceInUseException, match="Table already exists: items"):
        await tables.create()


async def test_tables_can_be_named_by_arn(tables: Tables) -> None:
    await tables.create_plain()
    arn = str((await described(tables, "plain"))["TableArn"])
    await tables.put(arn, pk="a")
    assert await tables.get(arn, pk="a") == item(pk="a")


async def test_a_deleted_table_is_gone_with_its_items(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1)
    assert (await tables("DeleteTable", TableName="items"))["TableDescription"]["TableStatus"] == "DELETING"
    with pytest.raises(ResourceNotFoundException):
        await tables.get(pk="a", sk=1)
    await tables.create()
    assert await tables.all() == []


async def test_a_protected_table_stays(tables: Tables) -> None:
    await tables.create(DeletionProtectionEnabled=True)
    with pytest.raises(ValidationException, match="protected against deletion"):
        await tables("DeleteTable", TableName="items")
    await tables("UpdateTable", TableName="items", DeletionProtectionEnabled=False)
    await tables("DeleteTable", TableName="items")


async def test_tables_are_listed_by_name_in_pages(tables: Tables) -> None:
    for name in ("ccc", "aaa", "bbb"):
        await tables.create_plain(name)
    first = await tables("ListTables", Limit=2)
    assert first == {"TableNames": ["aaa", "bbb"], "LastEvaluatedTableName": "bbb"}
    assert await tables("ListTables", ExclusiveStartTableName="bbb") == {"TableNames": ["ccc"]}


def new_index(name: str, attribute: str, kind: str = "S") -> dict[str, object]:
    return {
        "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": kind}],
        "GlobalSecondaryIndexUpdates": [
            {
                "Create": {
                    "IndexName": name,
                    "KeySchema": key(attribute),
                    "Projection": {"ProjectionType": "ALL"},
                }
            }
        ],
    }


async def test_a_new_index_holds_the_items_that_were_there(tables: Tables) -> None:
    await tables.create_plain()
    await tables.put("plain", pk="a", colour="red")
    await tables.put("plain", pk="b", colour=7)
    await tables.put("plain", pk="c")
    response = await tables("UpdateTable", TableName="plain", **new_index("by_colour", "colour"))
    assert response["TableDescription"]["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    # An item whose value is of another type stays out of the index, and stays.
    assert await tables.all("plain", "by_colour") == [item(pk="a", colour="red")]
    await tables("UpdateTable", TableName="plain", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_colour"}}])
    with pytest.raises(ValidationException, match="does not have the specified index"):
        await tables.all("plain", "by_colour")


async def test_a_large_backfill_goes_on_beside_writes(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_backfill, "BACKFILL_ITEMS", 7)
    await tables.create_plain()
    for number in range(60):
        await tables.put("plain", pk=str(number), colour="red")
    await tables("UpdateTable", TableName="plain", **new_index("by_colour", "colour"))
    for number in range(0, 60, 2):
        await tables.put("plain", pk=str(number), colour="blue")
    for number in range(100):
        (index,) = (await described(tables, "plain"))["GlobalSecondaryIndexes"]  # type: ignore[misc]
        if index["IndexStatus"] == "ACTIVE":
            break
        # A part of the backfill fits between any two writes.
        await tables.put("plain", pk=f"colourless {number}")
    colours = [found["colour"]["S"] for found in await tables.all("plain", "by_colour")]
    assert (colours.count("red"), colours.count("blue")) == (30, 30)


async def test_tags(tables: Tables) -> None:
    await tables.create_plain()
    arn = (await described(tables, "plain"))["TableArn"]
    await tables("TagResource", ResourceArn=arn, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    await tables("UntagResource", ResourceArn=arn, TagKeys=["a"])
    assert await tables("ListTagsOfResource", ResourceArn=arn) == {"Tags": [{"Key": "b", "Value": "2"}]}


async def test_two_engines_on_one_file_see_each_other(tmp_path: object) -> None:
    path = f"{tmp_path}/store.db"
    with Engine(path) as one, Engine(path) as two:
        tables, others = Tables(one, None), Tables(two, None)  # type: ignore[arg-type]
        await tables.create_plain()
        await others.put("plain", pk="a", colour="red")
        assert await tables.get("plain", pk="a") == item(pk="a", colour="red")
        await tables("UpdateTable", TableName="plain", **new_index("by_colour", "colour"))
        # The other engine learns of the index before it writes.
        await others.put("plain", pk="b", colour="blue")
        assert len(await tables.all("plain", "by_colour")) == 2
        await others("DeleteTable", TableName="plain")
        await others(
            "CreateTable",
            TableName="plain",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "N"}],
            KeySchema=key("id"),
            BillingMode="PAY_PER_REQUEST",
        )
        await others.put("plain", id=1)
        assert await tables.get("plain", id=1) == item(id=1)


async def test_what_was_written_is_there_after_a_restart(tmp_path: object) -> None:
    path = f"{tmp_path}/store.db"
    with Engine(path) as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        await tables.create_plain()
        await tables.put("plain", pk="a")
    with Engine(path) as engine:
        assert await Tables(engine, None).get("plain", pk="a") == item(pk="a")  # type: ignore[arg-type]


async def test_a_change_of_one_table_leaves_the_others_as_they_are(tables: Tables) -> None:
    """With a thousand tables, making all of them anew would cost a fifth of a second for each change."""
    await tables.create("one")
    await tables.create("two")

    async def known(name: str) -> Table:
        return await tables.engine._writer.run(lambda transaction: transaction.table(name))  # type: ignore[no-any-return]

    one, two = await known("one"), await known("two")
    await tables("UpdateTable", TableName="two", DeletionProtectionEnabled=True)
    assert await known("one") is one
    assert await known("two") is not two
    assert (await tables("DescribeTable", TableName="two"))["Table"]["DeletionProtectionEnabled"]
