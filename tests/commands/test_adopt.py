"""Taking over tables that live already, without a change to them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.design.loading import load
from sekkei.store import Embedded

TABLE = {
    "TableName": "orders",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "state")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-state",
            "KeySchema": [{"AttributeName": "state", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    async def fill() -> None:
        store = Embedded(tmp_path / "live.db")
        await store.call("CreateTable", TABLE)
        for number in range(3):
            key = {"pk": {"S": f"USER#{number}"}, "sk": {"S": f"ORDER#{number}"}}
            await store.call("PutItem", {"TableName": "orders", "Item": {**key, "state": {"S": "paid"}}})
        await store.close()

    asyncio.run(fill())
    return tmp_path / "live.db"


def described(file: Path) -> str:
    async def ask() -> str:
        store = Embedded(file)
        try:
            return str(await store.call("DescribeTable", {"TableName": "orders"}))
        finally:
            await store.close()

    return asyncio.run(ask())


def test_a_table_is_adopted_as_it_is(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, out = described(file), tmp_path / "adopted_shop.py"
    assert cli.main(["adopt", "orders", "--store", str(file), "--out", str(out)]) == 0
    assert "nothing differs" in capsys.readouterr().out
    assert described(file) == before
    (table,) = load(str(out)).tables.values()
    assert [entity.key_texts for entity in table.entities] == [("USER#{user_id}", "ORDER#{order_id}")]
    assert cli.main(["tables", "diff", str(out), "--store", str(file)]) == 0
    assert cli.main(["adopt", "orders", "--store", str(file), "--out", str(out)]) == 2
    assert "there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tables", "out", "said"), [("nothing", "a.py", "no table nothing"), ("orders", "a-b", "shop.py")]
)
def test_mistakes(tables: str, out: str, said: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file.parent / out
    assert cli.main(["adopt", tables, "--store", str(file), "--out", str(path)]) == 2
    assert said in capsys.readouterr().err
    assert not path.exists()
