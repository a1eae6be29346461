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
