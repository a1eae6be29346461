"""One engine, two engines on one file, and an engine opened again."""

from __future__ import annotations

from sekkei.engine import Engine
from sekkei.engine.storage.catalogue import Table
from tests.engine.conftest import Tables, item, key
from tests.engine.operations.calls import new_index


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
