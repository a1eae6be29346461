"""Damage to the log after `kill -9`: what was acknowledged is there, or the store says that it is not.

An oracle knows what was acknowledged. A bit is flipped in, or a piece cut off, the log, the shared memory or the
database; then either opening refuses and `verify` has a finding, or every item is there. A torn tail, which a crash
leaves and which nobody was told of, is no damage.

Seen to fail: without the record of what was acknowledged and without a look beyond the log's first bad frame, more
than 10 of 24 flips lose items in silence (`test_without_the_record_and_the_look_it_is_noticed`).
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sekkei.engine import Engine
from sekkei.engine.storage import ack_log, wal
from sekkei.engine.upkeep.recover import recover
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import DamagedFile
from tests.torture import amounts

ITEMS = 100
CHILD = """
import asyncio, os, signal, sys
from sekkei.engine import Engine

async def main(path, count):
    engine = Engine(path, housekeeping_seconds=None)
    await engine.call("CreateTable", {
        "TableName": "things",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    })
    for number in range(count):
        await engine.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": str(number)}, "x": {"S": "x" * 300}}})
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""

Damage = Callable[[bytearray, random.Random], None]


def killed_store(folder: Path) -> Path:
    """A folder with a store whose process was killed after so many acknowledged puts."""
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", CHILD, str(folder / "store.db"), str(ITEMS)], timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert (folder / "store.db-wal").stat().st_size > 100_000
    return folder


def flip(content: bytearray, chance: random.Random) -> None:
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def cut_off(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content)) :]


async def kept(path: Path) -> set[str]:
    with Engine(path, housekeeping_seconds=None) as engine:
        answer = await engine.call("Scan", {"TableName": "things"})
        return {item["pk"]["S"] for item in answer["Items"]}


async def losses_in_silence(source: Path, times: int, seed: int, damage: Damage, suffix: str) -> int:
    """How often something acknowledged was gone and nothing said so."""
    chance, silent = random.Random(seed), 0
    for number in range(times):
        folder = source.with_name(f"{suffix or 'db'}-{number}")
        shutil.copytree(source, folder)
        path, victim = folder / "store.db", folder / f"store.db{suffix}"
        content = bytearray(victim.read_bytes())
        damage(content, chance)
        victim.write_bytes(content)
        noticed = await _noticed(path)
        if not noticed and await kept(path) != {str(item) for item in range(ITEMS)}:
            silent += 1
        shutil.rmtree(folder)
    return silent


async def _noticed(path: Path) -> bool:
    try:
        if list(verify_file(str(path))):
            return True
        await kept(path)
    except Exception:
        # Refused, or damaged in a way that an answer says.
        return True
    return False


@pytest.mark.parametrize("damage", [flip, cut_off])
@pytest.mark.parametrize("suffix", ["-wal", "", "-shm"])
async def test_damage_is_noticed(tmp_path: Path, damage: Damage, suffix: str) -> None:
    source = killed_store(tmp_path / "killed")
    assert await losses_in_silence(source, 12, seed=1, damage=damage, suffix=suffix) == 0


@pytest.mark.parametrize("damage", [flip, cut_off])
async def test_without_a_record_most_damage_to_the_log_is_noticed(tmp_path: Path, damage: Damage) -> None:
    """A flip is proven by the commits behind it, unless it hits the last one; a cut leaves nothing behind it."""
    source = killed_store(tmp_path / "killed")
    os.unlink(ack_log.place(str(source / "store.db")))
    silent = await losses_in_silence(source, 24, seed=2, damage=damage, suffix="-wal")
    assert silent <= (2 if damage is flip else 24)


async def test_without_the_record_and_the_look_it_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is, this test would notice if both were gone."""
    monkeypatch.setattr(ack_log, "lost", lambda connection, path: 0)
    monkeypatch.setattr(wal, "damaged_frame", lambda connection, path: None)
    source = killed_store(tmp_path / "killed")
    assert await losses_in_silence(source, 24, seed=1, damage=flip, suffix="-wal") > 10


async def test_a_torn_tail_is_no_damage(tmp_path: Path) -> None:
    """What a crash in the middle of a commit leaves: frames that no commit ends, or that are not whole."""
    source = killed_store(tmp_path / "killed")
    path, log = source / "store.db", source / "store.db-wal"
    whole = log.read_bytes()
    frame = 4096 + 24
    for tail in (whole[-frame : -frame // 2], whole[-frame:-1000] + bytes(1000), os.urandom(3 * frame)):
        log.write_bytes(whole + tail)
        assert list(verify_file(str(path))) == []
    assert len(await kept(path)) == ITEMS


async def test_a_store_refuses_says_what_to_do_and_is_left_as_it_is(tmp_path: Path) -> None:
    source = killed_store(tmp_path / "killed")
    path, log = source / "store.db", source / "store.db-wal"
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    log.write_bytes(content)
    for _ in range(2):
        with pytest.raises(DamagedFile, match="`sekkei recover"):
            Engine(path)
        assert log.read_bytes() == content
    assert any("acknowledged" in finding for finding in verify_file(str(path)))


@pytest.mark.parametrize("seed", range(8))
async def test_recovery_brings_back_what_is_whole_and_names_the_rest(tmp_path: Path, seed: int) -> None:
    source = killed_store(tmp_path / "killed")
    path, log = source / "store.db", source / "store.db-wal"
    content = bytearray(log.read_bytes())
    flip(content, random.Random(seed))
    log.write_bytes(content)
    report = recover(path, tmp_path / "new.db")
    assert list(verify_file(str(tmp_path / "new.db"))) == []
    there = await kept(tmp_path / "new.db")
    named = sum(gap.items for gap in report.gaps)
    assert len(there) + named >= ITEMS - report.lost_commits
    # One frame of three hundred is bad, and most pages were written again later.
    assert len(there) >= ITEMS * 3 // 4
    assert log.read_bytes() == content, "the damaged store is evidence"


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("damage", [flip, cut_off])
@pytest.mark.parametrize("suffix", ["-wal", "", "-shm"])
async def test_much_damage(tmp_path: Path, damage: Damage, suffix: str) -> None:
    source = killed_store(tmp_path / "killed")
    assert await losses_in_silence(source, amounts.BIT_FLIPS, seed=amounts.seed(3), damage=damage, suffix=suffix) == 0
