"""Backup under load, restored and compared, again and again: each is one commit point, and nothing acknowledged lacks.

The drill itself is in tests/engine/upkeep/test_whole_file.py. Seen to fail with a copy of the file's bytes instead of
its pages at one moment (`test_a_plain_copy_is_noticed`).
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.upkeep import whole_file
from tests.engine.conftest import Tables
from tests.engine.upkeep.test_whole_file import Load, check_commit_point, create_pair, quietly
from tests.torture import amounts
from tests.torture.plants import NOTICED


async def drill(folder: Path, drills: int) -> None:
    source = folder / "store.db"
    with Engine(source, housekeeping_seconds=None) as engine:
        tables = Tables(engine, ManualClock())
        await create_pair(tables)
        load = Load(tables)
        for _ in range(30):
            await load.write()
        loop = asyncio.get_running_loop()
        for number in range(drills):
            target = folder / f"copy-{number}.db"
            before = load.acknowledged
            copied = loop.run_in_executor(None, whole_file.copy_file, source, target, quietly)
            await asyncio.gather(load.until(copied), copied)
            assert await copied == []
            await check_commit_point(target, before, load.acknowledged)
            target.unlink()


async def test_a_plain_copy_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def plain(source: Path, partial: Path, progress: Any) -> list[str]:
        shutil.copy(source, partial)
        return []

    monkeypatch.setattr(whole_file, "_copy_pages", plain)
    with pytest.raises(NOTICED):
        await drill(tmp_path, 3)


@pytest.mark.torture
@pytest.mark.timeout(0)
async def test_many_drills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_file, "PAGES_PER_STEP", 3)
    for _ in range(amounts.BACKUP_DRILLS):
        place = tmp_path / "drill"
        place.mkdir()
        await drill(place, 5)
        shutil.rmtree(place)
