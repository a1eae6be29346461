"""Flipped bits and cut-off files: what a damaged file answers is right, or the damage is found.

Either `verify` has a finding (or the file cannot be opened at all), or every answer is what it was before. Seen to fail
without checksums (`test_without_checksums_it_is_noticed`).
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.storage import snapshot, transaction
from sekkei.engine.upkeep import verify
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import NotOurFile
from tests.engine.conftest import Tables
from tests.engine.operations.stream_reading import read, stream_arn
from tests.engine.operations.waiting import jobs_done
from tests.torture import amounts
from tests.torture.plants import NOTICED

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}

Answers = dict[str, Any]


async def make(path: Path) -> bytes:
    """A file with items, indexes, a stream and a backup."""
    clock = ManualClock()
    with Engine(path, clock=clock, housekeeping_seconds=None) as engine:
        tables = Tables(engine, clock)
        await tables.create(StreamSpecification=STREAM)
        for number in range(40):
            await tables.put(pk=f"p{number % 7}", sk=number, g=f"g{number % 3}", l=str(number), text="x" * 60)
        await tables("CreateBackup", TableName="items", BackupName="backup")
        await jobs_done(engine)
    # Out of the log and into the file, which is what is damaged.
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "delete")
    connection.close()
    return path.read_bytes()


async def answers(path: Path) -> Answers:
    with Engine(path, clock=ManualClock(), housekeeping_seconds=None) as engine:
        tables = Tables(engine, ManualClock())
        (backup,) = (await tables("ListBackups"))["BackupSummaries"]
        await tables("RestoreTableFromBackup", TargetTableName="restored", BackupArn=backup["BackupArn"])
        await jobs_done(engine)
        return {
            "table": await tables.all(),
            "index": await tables.all(index="by_g"),
            "local index": await tables.all(index="by_l"),
            "stream": await read(engine, await stream_arn(engine)),
            "restored": await tables.all("restored"),
            "description": (await tables("DescribeTable", TableName="items"))["Table"],
        }


def flip(content: bytearray, chance: random.Random) -> None:
    place = chance.randrange(len(content))
    content[place] ^= 1 << chance.randrange(8)


def cut_off(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content)) :]


async def damage_repeatedly(
    folder: Path, times: int, seed: int, damage: Callable[[bytearray, random.Random], None]
) -> None:
    source = folder / "sound.db"
    sound = await make(source)
    before = await answers(source)
    chance = random.Random(seed)
    for number in range(times):
        content = bytearray(sound)
        damage(content, chance)
        place = folder / str(number)
        place.mkdir()
        (place / "store.db").write_bytes(content)
        await _check(place / "store.db", before)
        shutil.rmtree(place)


async def _check(path: Path, before: Answers) -> None:
    try:
        findings = list(verify_file(str(path)))
    except (NotOurFile, apsw.Error):
        return
    if not findings:
        after = await answers(path)
        for name, answer in before.items():
            assert after[name] == answer, f"damage went unnoticed: {name}"


async def test_a_few_flips(tmp_path: Path) -> None:
    await damage_repeatedly(tmp_path, 25, seed=1, damage=flip)


async def test_a_few_cuts(tmp_path: Path) -> None:
    await damage_repeatedly(tmp_path, 10, seed=2, damage=cut_off)


async def test_without_checksums_it_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is, this test would notice if nothing compared them."""

    class Anything(int):
        """Equal to whatever it is compared with."""

        def __eq__(self, other: object) -> bool:
            return True

        def __ne__(self, other: object) -> bool:
            return False

        __hash__ = int.__hash__

    for module in (transaction, snapshot, verify, verify):
        monkeypatch.setattr(module, "checksum", lambda *arguments: Anything())
    with pytest.raises(NOTICED):
        await damage_repeatedly(tmp_path, 200, seed=3, damage=flip)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("damage", [flip, cut_off])
async def test_much_damage(tmp_path: Path, damage: Callable[[bytearray, random.Random], None]) -> None:
    await damage_repeatedly(tmp_path, amounts.BIT_FLIPS, seed=amounts.seed(4), damage=damage)
