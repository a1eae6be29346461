"""Recovery: everything that can be proven whole is in the new store, and everything else is named."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import apsw
import pytest

from sekkei.engine import Engine
from sekkei.engine.upkeep.recover import Report, recover
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import NotOurFile
from tests.engine.conftest import Tables, item
from tests.engine.operations.stream_reading import read, stream, stream_arn
from tests.engine.operations.waiting import jobs_done

ITEMS = 400


async def make(path: Path, *, backup: bool = False) -> dict[str, Any]:
    """A store with an index, a stream and recovery; gives its items by sort key."""
    with Engine(path, housekeeping_seconds=None) as engine:
        tables = Tables(engine, None)  # type: ignore[arg-type]
        await tables.create(StreamSpecification=stream("NEW_IMAGE"))
        for number in range(ITEMS):
            await tables.put(pk=f"p{number % 9}", sk=number, g=f"g{number % 3}", text="x" * 200)
        await tables(
            "UpdateContinuousBackups",
            TableName="items",
            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
        )
        if backup:
            await tables("CreateBackup", TableName="items", BackupName="backup")
            await jobs_done(engine)
        return {found["sk"]["N"]: found for found in await tables.all()}


async def content(path: Path, index: str | None = None) -> dict[str, Any]:
    with Engine(path, housekeeping_seconds=None) as engine:
        return {found["sk"]["N"]: found for found in await Tables(engine, None).all(index=index)}  # type: ignore[arg-type]


def pages_of(path: Path, name: str, kind: str = "leaf") -> list[int]:
    connection = apsw.Connection(str(path))
    rows: list[Any] = connection.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ?", (name, kind)
    ).fetchall()
    connection.close()
    return [page for (page,) in rows]


def items_table(path: Path) -> str:
    connection = apsw.Connection(str(path))
    name = connection.execute("SELECT 'items_' || id FROM tables").get
    connection.close()
    return str(name)


def spoil(path: Path, page: int) -> None:
    with open(path, "rb+") as opened:
        opened.seek((page - 1) * 4096)
        opened.write(random.Random(page).randbytes(4096))


async def recovered(path: Path, before: dict[str, Any], **more: Any) -> tuple[Report, dict[str, Any]]:
    """The report and what is in the new store, which is sound and holds nothing that was not there."""
    target = path.with_name("new.db")
    report = recover(path, target, **more)
    assert list(verify_file(str(target))) == []
    with Engine(target, housekeeping_seconds=None) as engine:
        if not (await engine.call("ListTables", {}))["TableNames"]:
            assert report.notes
            return report, {}
    after = await content(target)
    assert all(before[key] == found for key, found in after.items())
    assert await content(target, "by_g") == after
    return report, after


async def test_a_sound_store_is_recovered_whole(tmp_path: Path) -> None:
    before = await make(tmp_path / "store.db", backup=True)
    report, after = await recovered(tmp_path / "store.db", before)
    assert report.is_complete
    assert after == before
    with Engine(tmp_path / "new.db") as engine:
        assert len(await read(engine, await stream_arn(engine))) == ITEMS
        assert len((await engine.call("ListBackups", {}))["BackupSummaries"]) == 1


@pytest.mark.parametrize("kind", ["leaf", "internal"])
async def test_items_of_a_lost_page_are_named_and_the_others_are_there(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "store.db"
    before = await make(path)
    page = pages_of(path, items_table(path), kind)[0]
    spoil(path, page)
    report, after = await recovered(path, before)
    assert sum(gap.items for gap in report.gaps) == ITEMS - len(after) > 0
    assert {gap.why for gap in report.gaps} == {"missing"}
    if kind == "leaf":
        assert len(after) > ITEMS * 9 // 10
        assert "Table items: " in str(report.gaps[0])
        assert "pk='p" in str(report.gaps[0])


async def test_a_backup_inside_the_store_says_what_it_can_bring_back(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    before = await make(path, backup=True)
    spoil(path, pages_of(path, items_table(path))[3])
    report, _ = await recovered(path, before)
    assert report.gaps
    assert all(gap.in_backups == gap.items for gap in report.gaps)


@pytest.mark.parametrize("which", ["index", "keys"])
async def test_indexes_are_made_anew(tmp_path: Path, which: str) -> None:
    path = tmp_path / "store.db"
    before = await make(path)
    name = items_table(path)
    lost = f"sqlite_autoindex_{name}_1" if which == "keys" else f"index_{int(name.partition('_')[2]) + 1}"
    for page in pages_of(path, lost)[1:3]:
        spoil(path, page)
    _, after = await recovered(path, before)
    assert after == before


async def test_what_is_no_store_of_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"nothing of the kind" * 500)
    with pytest.raises(NotOurFile):
        recover(tmp_path / "store.db", tmp_path / "new.db")
    with pytest.raises(NotOurFile):
        recover(tmp_path / "none.db", tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    "place", ["CREATE TABLE items_1", "tableitems_", "CREATE TABLE tables", "indexsqlite_autoindex_"]
)
async def test_a_damaged_list_of_tables_is_put_together_again(tmp_path: Path, place: str) -> None:
    """One bit of it, and SQLite opens nothing: recovery found a store without tables, and said that all was well."""
    path = tmp_path / "store.db"
    before = await make(path)
    flip(path, path.read_bytes().index(place.encode()) + len(place))
    assert list(verify_file(str(path))) != []
    report, after = await recovered(path, before)
    assert after == before
    assert not report.is_complete


@pytest.mark.parametrize("place", [0, 18, 56, 68, 100, 104, 108])
async def test_a_damaged_first_page(tmp_path: Path, place: int) -> None:
    path = tmp_path / "store.db"
    before = await make(path)
    flip(path, place)
    report, after = await recovered(path, before)
    assert after == before
    assert place in (18, 56) or not report.is_complete, "what says what is in the file was damaged"


@pytest.mark.parametrize("table", ["catalogue", "tables", "statistics", "changes", "streams", "backups", "documents"])
@pytest.mark.parametrize("place", [3, 8])
async def test_damage_to_what_is_kept_of_tables(tmp_path: Path, table: str, place: int) -> None:
    """Neither a traceback, nor all is well when it is not."""
    path = tmp_path / "store.db"
    before = await make(path, backup=True)
    flip(path, (pages_of(path, table)[-1] - 1) * 4096 + place)
    report, after = await recovered(path, before)
    with Engine(tmp_path / "new.db") as engine:
        kept = (
            len((await engine.call("ListTables", {}))["TableNames"]) == 1
            and (await engine.call("ListStreams", {}))["Streams"] != []
            and len(await read(engine, await stream_arn(engine))) == ITEMS
            and len((await engine.call("ListBackups", {}))["BackupSummaries"]) == 1
        )
    assert (after == before and kept) or not report.is_complete


async def test_a_record_that_cannot_be_unsealed_is_named(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    before = await make(path)
    flip(path, path.read_bytes().index(b'"AttributeDefinitions"', 4096))
    report, after = await recovered(path, before)
    assert after == {}
    assert any("Table items: its record is damaged" in note for note in report.notes)


async def test_a_record_whose_row_says_another_name_is_told_by_its_seal(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    before = await make(path)
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE tables SET name = CAST(x'ff6974656d73' AS TEXT)")
    connection.close()
    report, after = await recovered(path, before)
    assert after == before
    assert any("told by its seal" in note for note in report.notes)


async def test_a_change_that_is_there_twice(tmp_path: Path) -> None:
    """One bit of a row's number makes it another's: whole both, and no room for both."""
    path = tmp_path / "store.db"
    before = await make(path)
    page = (pages_of(path, "changes")[0] - 1) * 4096
    content = path.read_bytes()
    cell = int.from_bytes(content[page + 8 + 2 * 3 : page + 10 + 2 * 3])
    place = page + cell + (2 if content[page + cell] & 0x80 else 1)
    assert content[place] == 4, "the fourth row's number"
    flip(path, place)
    report, after = await recovered(path, before)
    assert after == before
    assert any("changes" in note for note in report.notes)


@pytest.mark.parametrize("name", ["a#b", "a?b", "a%41b", "a b"])
async def test_a_new_store_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    before = await make(tmp_path / "store.db")
    assert recover(tmp_path / "store.db", tmp_path / name / "new.db").items == len(before)


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("seed", range(6))
async def test_any_damaged_page(tmp_path: Path, seed: int) -> None:
    """Nothing wrong is ever saved, and what is gone is named or the report says that more may be."""
    path = tmp_path / "store.db"
    before = await make(path)
    chance = random.Random(seed)
    for _ in range(3):
        spoil(path, chance.randrange(2, path.stat().st_size // 4096))
    report, after = await recovered(path, before)
    named = sum(gap.items for gap in report.gaps)
    assert len(after) + named >= ITEMS or report.notes
    assert item(pk="none") not in after.values()
