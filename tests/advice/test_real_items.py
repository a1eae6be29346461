"""Measuring with real items: an export as S3 has it, a store's file."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from sekkei import cli
from sekkei.advice.measuring import measure
from sekkei.advice.real_items import BadStock, Stock
from sekkei.advice.sizes import item_bytes, read_units
from sekkei.design import Design, Query
from sekkei.store import Embedded
from tests.advice.conftest import Thing, thing_design


def shop() -> tuple[Design, Any]:
    design, things = thing_design()

    @design.pattern
    def things_of(owner: str) -> Query[Thing]:
        """Somebody's things."""
        return things.where(Thing.owner == owner)

    return design, things


def items(things: Any, owners: int = 1, each: int = 10) -> list[dict[str, Any]]:
    """Heavy ones: believable items are a tenth of it."""
    return [
        things.encode(Thing(owner=f"o{owner}", id=f"i{number}", note="x" * 4_000))
        for owner in range(owners)
        for number in range(each)
    ]


def exported(folder: Path, found: list[dict[str, Any]]) -> Path:
    """developerguide/S3DataExport.Output.html: manifests beside a folder `data` of gzipped lines."""
    data = folder / "AWSDynamoDB" / "01700000000000-a1b2c3" / "data"
    data.mkdir(parents=True)
    (data.parent / "manifest-summary.json").write_text('{"outputFormat": "DYNAMODB_JSON"}')
    (data.parent / "manifest-files.json").write_text('{"dataFileS3Key": "x"}')
    lines = "".join(json.dumps({"Item": item}) + "\n" for item in found)
    (data / "abcdef.json.gz").write_bytes(gzip.compress(lines.encode()))
    return data.parent


async def test_an_export_from_s3(tmp_path: Path) -> None:
    design, things = shop()
    real = items(things)
    stock = Stock(design)
    stock.add_export("things", exported(tmp_path, real))
    assert (len(stock), stock.strangers) == (10, 0)
    found = await measure(design, stock=stock)
    assert found.units["things_of"].items == 10
    assert found.units["things_of"].read == read_units(sum(map(item_bytes, real)))


async def test_the_typical_partition_counts(tmp_path: Path) -> None:
    """Of many small partitions and a large one, a small one."""
    design, things = shop()
    path = tmp_path / "all.json"
    crowd = [things.encode(Thing(owner=f"o{number}", id="i")) for number in range(200)]
    path.write_text("\n".join(json.dumps({"Item": item}) for item in [*items(things, each=20), *crowd]))
    stock = Stock(design)
    stock.add_export("things", path)
    assert (await measure(design, stock=stock)).units["things_of"].items == 1


def test_an_incremental_export(tmp_path: Path) -> None:
    design, things = shop()
    (one,) = items(things, each=1)
    path = tmp_path / "part.json"
    keys = {name: one[name] for name in ("PK", "SK")}
    path.write_text(json.dumps({"Keys": keys, "NewImage": one}) + "\n" + json.dumps({"Keys": keys, "OldImage": one}))
    stock = Stock(design)
    stock.add_export("things", path)
    assert stock.items == {"things": [one]}


async def test_a_stores_file_that_is_in_use(tmp_path: Path) -> None:
    design, things = shop()
    store = Embedded(tmp_path / "sekkei.db")
    db = design.open(store)
    await db.create_tables()
    for number in range(3):
        await db.write(things.put(Thing(owner="a", id=str(number))))
    await store.call("PutItem", {"TableName": "things", "Item": {"PK": {"S": "ODD"}, "SK": {"S": "x"}}})
    stock = Stock(design)
    await stock.add_store(tmp_path / "sekkei.db", "dev")
    await store.close()
    assert (len(stock), stock.strangers) == (4, 1)
    assert (await measure(design, stock=stock)).units["things_of"].items == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not json", "is no JSON"),
        ('{"Thing": {}}', "is no item of an export"),
        ('{"Item": {"PK": "plain"}}', "is no item of an export"),
        ('["Item"]', "is no item of an export"),
    ],
)
def test_a_file_that_is_no_export(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(BadStock, match=said):
        Stock(shop()[0]).add_export("things", path)


def test_an_export_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.json.gz").write_bytes(b"no gzip")
    for table, path, said in (
        ("nothing", tmp_path, "has no table nothing"),
        ("things", tmp_path / "empty", "has no .json"),
        ("things", tmp_path / "broken.json.gz", "cannot be read"),
    ):
        with pytest.raises(BadStock, match=said):
            Stock(shop()[0]).add_export(table, path)


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (["nowhere.db"], "is no file of a store"),
        (["nothing=x"], "has no table nothing"),
        (["{file}"], "text.db is no file of a store"),
        (["{store}"], "has none of the tables of tasks for the environment dev"),
    ],
)
async def test_the_command_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sources: list[str], said: str
) -> None:
    (tmp_path / "text.db").write_text("this is no store" * 1_000)
    await Embedded(tmp_path / "store.db").close()
    named = [one.format(file=tmp_path / "text.db", store=tmp_path / "store.db") for one in sources]
    code = await asyncio.to_thread(cli.main, ["measure", "tasks", "--out", str(tmp_path / "m"), "--from", *named])
    assert code == 2
    assert said in capsys.readouterr().err
