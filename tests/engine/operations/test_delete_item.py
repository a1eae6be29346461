"""DeleteItem."""

from __future__ import annotations

from tests.engine.conftest import Tables, item


async def test_delete_gives_the_old_item_and_is_content_without_one(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="y")
    first = await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=1), ReturnValues="ALL_OLD")
    assert first == {"Attributes": item(pk="a", sk=1, x="y")}
    assert await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=1), ReturnValues="ALL_OLD") == {}
