"""DescribeTable."""

from __future__ import annotations

from tests.engine.conftest import Tables, item, key
from tests.engine.operations.calls import described


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


async def test_tables_can_be_named_by_arn(tables: Tables) -> None:
    await tables.create_plain()
    arn = str((await described(tables, "plain"))["TableArn"])
    await tables.put(arn, pk="a")
    assert await tables.get(arn, pk="a") == item(pk="a")
