"""kill -9 under load: no acknowledged write is lost, no transaction torn, every index is its table, one effect a token.

Seen to fail with each of the planted faults of `test_a_planted_fault_is_noticed`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from sekkei.engine import Engine
from tests.torture import amounts, store
from tests.torture.children import Child, write_load
from tests.torture.plants import NOTICED

KILLS_PER_FILE = 15
PLANTS = [
    *("acknowledge early", "commit each put", "forget tokens", "index later", "unindex later"),
    *("expire early", "expire unseen"),
]


async def kill_repeatedly(folder: Path, kills: int, seed: int, planted: str | None = None) -> int:
    """Gives how many transactions had to be repeated with their token."""
    repeated = 0
    chance = random.Random(seed)
    for generation in range(-(-kills // KILLS_PER_FILE)):
        path = folder / f"store-{generation}.db"
        begun: set[int] = set()
        for _ in range(min(KILLS_PER_FILE, kills - generation * KILLS_PER_FILE)):
            now_begun, now_repeated = await _kill_once(path, len(begun), chance, planted)
            begun |= now_begun
            repeated += now_repeated
        path.unlink(missing_ok=True)
    return repeated


async def _kill_once(path: Path, start: int, chance: random.Random, planted: str | None) -> tuple[set[int], int]:
    """Let a child write from `start` on, kill it, check the file, and repeat what was not acknowledged."""
    child = Child(write_load, str(path), start, planted)
    said = []
    wanted = chance.randrange(60)
    for message in child.listen():
        said.append(message)
        if len(said) >= wanted:
            break
    said += child.kill()
    begun = {number for kind, number in said if kind == "begun"}
    done = {number for kind, number in said if kind == "done"}

    there = await store.check(path)
    now_there = {number for number in there if number >= start}
    assert done <= now_there, f"acknowledged and lost: {done - now_there}"
    assert now_there <= begun, f"never begun: {now_there - begun}"
    await _repeat(path, begun - done)
    assert {number for number in await store.check(path) if number >= start} == begun
    return begun, len(begun - done)


async def _repeat(path: Path, numbers: set[int]) -> None:
    """The client's side of a lost answer: the same transaction with the same token, which must count once."""
    with Engine(path, housekeeping_seconds=None) as engine:
        for number in sorted(numbers):
            await store.transact(engine, number, f"token-{number}")


async def test_a_few_kills(tmp_path: Path) -> None:
    await kill_repeatedly(tmp_path, kills=8, seed=1)


@pytest.mark.parametrize("planted", PLANTS)
@pytest.mark.timeout(900)
async def test_a_planted_fault_is_noticed(tmp_path: Path, planted: str) -> None:
    """Whether a kill falls between two commits is chance. The first that does ends the test, so it may have many."""
    with pytest.raises(NOTICED):
        await kill_repeatedly(tmp_path, kills=800, seed=2, planted=planted)


@pytest.mark.torture
@pytest.mark.timeout(0)
async def test_many_kills(tmp_path: Path) -> None:
    assert await kill_repeatedly(tmp_path, amounts.KILLS, seed=amounts.seed(3)) >= amounts.TOKEN_RETRIES
