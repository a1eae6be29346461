"""A copy of the whole file: one commit point, whatever is written meanwhile, and nothing is overwritten."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.upkeep import whole_file
from sekkei.engine.upkeep.recover import recover
from sekkei.engine.upkeep.verify import verify_file
from sekkei.engine.upkeep.whole_file import AlreadyThere, InUse, copy_file
from sekkei.errors import DamagedFile, NotOurFile
from sekkei.testing.stores import Snapshots
from tests.engine.conftest import Tables, item

ITEMS = 60


def quietly(done: int, pages: int) -> None:
    pass


async def write_pair(tables: Tables, number: int) -> None:
    """One transaction over two tables; a copy that holds half of it would show."""
    puts = [
        {"Put": {"TableName": name, "Item": item(pk="counter", n=number, padding="x" * 2_000)}}
        for name in ("first", "second")
    ]
    puts.append({"Put": {"TableName": "first", "Item": item(pk=f"trail-{number}", n=number, padding="x" * 2_000)}})
    await tables("TransactWriteItems", TransactItems=puts)


async def create_pair(tables: Tables) -> None:
    for name in ("first", "second"):
        await tables.create_plain(name)


async def test_a_copy_under_load_is_a_commit_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_file, "PAGES_PER_STEP", 3)
    source = tmp_path / "store.db"
    with Engine(source, housekeeping_seconds=None) as engine:
        tables = Tables(engine, ManualClock())
        await create_pair(tables)
        load = Load(tables)
        for _ in range(50):
            await load.write()
        for round_number in range(5):
            target = tmp_path / f"copy-{round_number}.db"
            before = load.acknowledged
            steps: list[int] = []

            def watch(done: int, pages: int, steps: list[int] = steps) -> None:
                steps.append(done)
                if len(steps) in (2, 4, 8):
                    load.wait_for_a_write()

            copied = asyncio.get_running_loop().run_in_executor(None, copy_file, source, target, watch)
            await asyncio.gather(load.until(copied), copied)
            assert await copied == []
            assert steps == sorted(steps), "writes do not make it begin anew"
            await check_commit_point(target, before, load.acknowledged)
            assert load.acknowledged >= before + 3


class Load:
    """Transactions, one after the other, and how many there were."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._wrote = threading.Event()
        self.acknowledged = 0

    async def write(self) -> None:
        await write_pair(self._tables, self.acknowledged + 1)
        self.acknowledged += 1
        self._wrote.set()

    async def until(self, done: asyncio.Future[Any]) -> None:
        while not done.done():
            await self.write()

    def wait_for_a_write(self) -> None:
        """From another thread."""
        self._wrote.clear()
        assert self._wrote.wait(30)


async def check_commit_point(target: Path, least: int, most: int) -> None:
    with Engine(target, housekeeping_seconds=None) as engine:
        tables = Tables(engine, ManualClock())
        first, second = [(await tables.get(name, pk="counter") or {})["n"]["N"] for name in ("first", "second")]
        assert first == second
        assert least <= int(first) <= most
        trail = {found["pk"]["S"] for found in await tables.all("first")} - {"counter"}
        assert trail == {f"trail-{number}" for number in range(1, int(first) + 1)}


async def test_progress_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_file, "PAGES_PER_STEP", 10)
    steps: list[tuple[int, int]] = []
    await make(tmp_path / "store.db")
    copy_file(tmp_path / "store.db", tmp_path / "copy.db", lambda *step: steps.append(step))
    assert len(steps) > 1
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1][0] == steps[-1][1]


async def make(path: Path, note: str = "note") -> None:
    with Engine(path, housekeeping_seconds=None) as engine:
        tables = Tables(engine, ManualClock())
        await tables.create_plain()
        await tables.put("plain", pk="a", note=note)


async def note_of(path: Path) -> str:
    with Engine(path, housekeeping_seconds=None) as engine:
        found = await Tables(engine, ManualClock()).get("plain", pk="a")
        assert found is not None
        return str(found["note"]["S"])


async def test_nothing_is_overwritten_unless_told(tmp_path: Path) -> None:
    source, target = tmp_path / "store.db", tmp_path / "copy.db"
    await make(source, "new")
    await make(target, "old")
    with pytest.raises(AlreadyThere):
        copy_file(source, target, quietly)
    assert await note_of(target) == "old"
    assert copy_file(source, target, quietly, overwrite=True) == []
    assert await note_of(target) == "new"
    assert {path.name for path in tmp_path.iterdir()} == {"store.db", "store.db-acknowledged", "copy.db"}


async def test_a_store_that_is_open_is_not_replaced(tmp_path: Path) -> None:
    source, target = tmp_path / "store.db", tmp_path / "copy.db"
    await make(source, "new")
    await make(target, "old")
    with Engine(target) as engine:
        with pytest.raises(InUse):
            copy_file(source, target, quietly, overwrite=True)
        await Tables(engine, ManualClock()).put("plain", pk="b")
    assert await note_of(target) == "old"


async def test_a_file_made_in_the_meantime_stays(tmp_path: Path) -> None:
    source, target = tmp_path / "store.db", tmp_path / "copy.db"
    await make(source)

    def make_the_file(done: int, pages: int) -> None:
        target.write_text("mine")

    with pytest.raises(AlreadyThere):
        copy_file(source, target, make_the_file)
    assert target.read_text() == "mine"


async def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("not a database, but long enough to look like one" * 100)
    other = tmp_path / "other.db"
    connection = apsw.Connection(str(other))
    connection.execute("CREATE TABLE theirs(a)")
    connection.close()
    target = tmp_path / "copy.db"
    for source in (text, other, tmp_path / "none.db"):
        with pytest.raises(NotOurFile):
            copy_file(source, target, quietly)
    store = tmp_path / "store.db"
    await make(store)
    with pytest.raises(NotOurFile):
        copy_file(store, text, quietly, overwrite=True)
    assert not target.exists()
    assert text.read_text().startswith("not a database")


async def test_damage_is_told_and_not_put_in_the_place_of_a_store(tmp_path: Path) -> None:
    source, target = tmp_path / "store.db", tmp_path / "copy.db"
    await make(source)
    connection = apsw.Connection(str(source))
    connection.execute("UPDATE items_1 SET item = CAST(replace(item, 'note', 'nope') AS BLOB)")
    connection.close()
    assert copy_file(source, target, quietly, only_sound=True) != []
    assert not target.exists()
    assert copy_file(source, target, quietly) != []
    assert list(verify_file(str(target))) != []


async def test_what_recovery_needs_of_a_killed_and_damaged_store_stays(tmp_path: Path) -> None:
    source = await killed_and_damaged(tmp_path / "killed")
    before = {path.name: path.read_bytes() for path in source.parent.iterdir() if path.suffix != ".db-shm"}
    saved = recover(source, tmp_path / "first.db").items
    assert saved > ITEMS // 2
    for only_sound in (True, False):
        findings = copy_file(source, tmp_path / "copy.db", quietly, only_sound=only_sound)
        assert "acknowledged" in findings[0]
        assert (tmp_path / "copy.db").exists() is not only_sound
    with pytest.raises(DamagedFile, match="`sekkei recover"):
        Snapshots(tmp_path / "snapshots").take("one", source)
    assert Snapshots(tmp_path / "snapshots").names() == []
    assert {name: (source.parent / name).read_bytes() for name in before} == before
    assert recover(source, tmp_path / "second.db").items == saved


async def test_the_log_of_a_killed_and_sound_store_is_in_its_copy(tmp_path: Path) -> None:
    source = await killed_and_damaged(tmp_path / "killed", bit=0)
    assert copy_file(source, tmp_path / "copy.db", quietly) == []
    assert recover(tmp_path / "copy.db", tmp_path / "new.db").items == ITEMS


async def killed_and_damaged(folder: Path, bit: int = 1) -> Path:
    """What `kill -9` leaves, with a bit of the log flipped."""
    store = folder / "store.db"
    folder.mkdir()
    with Engine(folder.with_name("alive.db"), housekeeping_seconds=None) as engine:
        tables = Tables(engine, ManualClock())
        await tables.create_plain()
        for number in range(ITEMS):
            await tables.put("plain", pk=f"k{number}", text="x" * 300)
        for suffix in ("", "-wal", "-acknowledged"):
            shutil.copyfile(f"{engine.path}{suffix}", f"{store}{suffix}")
    log = bytearray(Path(f"{store}-wal").read_bytes())
    log[len(log) // 2] ^= bit
    Path(f"{store}-wal").write_bytes(log)
    return store


async def test_a_store_whose_schema_is_damaged_is_copied_with_a_finding(tmp_path: Path) -> None:
    source, target = tmp_path / "store.db", tmp_path / "copy.db"
    await make(source)
    spoil_schema(source)
    (finding,) = copy_file(source, target, quietly)
    assert "malformed" in finding
    assert target.stat().st_size == source.stat().st_size
    assert copy_file(source, tmp_path / "other.db", quietly, only_sound=True) == [finding]
    assert not (tmp_path / "other.db").exists()
    assert len(list(tmp_path.iterdir())) == 3, "nothing is left beside the store, what was acknowledged and the copy"


def spoil_schema(store: Path) -> None:
    """One bit, which makes a bracket of the items' CREATE TABLE the other one."""
    content = bytearray(store.read_bytes())
    content[content.index(b"CREATE TABLE items_1(") + len("CREATE TABLE items_1")] ^= 1
    store.write_bytes(content)


async def test_a_backup_on_a_read_only_medium_can_be_restored(tmp_path: Path) -> None:
    source = tmp_path / "backup.db"
    await make(tmp_path / "store.db")
    copy_file(tmp_path / "store.db", source, quietly)
    before = source.read_bytes()
    os.chmod(source, 0o400)
    assert copy_file(source, tmp_path / "restored" / "sekkei.db", quietly, only_sound=True) == []
    assert await note_of(tmp_path / "restored" / "sekkei.db") == "note"
    assert source.read_bytes() == before
