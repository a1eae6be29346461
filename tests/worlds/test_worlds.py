"""The floor itself: what it finds, that it finds it again, and how long it takes."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import random
import re
import secrets
import selectors
import subprocess
import sys
import uuid
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import pytest

from sekkei.commands.world import tell
from sekkei.worlds import CALM, Retelling, run, shrink
from sekkei.worlds.chance import seeded
from sekkei.worlds.errors import mistakes
from sekkei.worlds.loop import VirtualLoop, lay_to_rest
from sekkei.worlds.processes import Process
from tests.worlds.bank import Bank, CarelessBank, script

SEEDS = range(12)


def test_a_sound_bank_loses_nothing() -> None:
    found = {seed: outcome.broken for seed in SEEDS if (outcome := run(script(Bank), seed)).broken}
    assert found == {}


def test_a_careless_bank_is_found_out() -> None:
    broken = {run(script(CarelessBank), seed).invariant for seed in SEEDS}
    assert "no_money_is_lost" in broken
    assert broken <= {"", "no_money_is_lost", "nobody_is_in_debt"}


class FailingBank(Bank):
    async def move(self, source: str, target: str, amount: int) -> None:
        rates: dict[str, int] = {}
        rates["yen"] += 1


def test_an_error_of_ours_says_which_and_where() -> None:
    line = FailingBank.move.__code__.co_firstlineno + 2
    said = run(script(FailingBank), 0).broken
    assert re.fullmatch(rf"no_errors_of_ours: customer-\d#1 got 500: KeyError: 'yen' \(test_worlds\.py:{line}\)", said)


def test_a_process_that_does_not_start_breaks_its_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was started again and again, for ever, where no faults are about that could keep it from starting."""

    async def start_up(self: Process, first: bool = False) -> None:
        raise KeyError("port")

    monkeypatch.setattr(Process, "start_up", start_up)
    assert run(script(Bank), 1).broken.startswith("process 1: does not start: KeyError: 'port' (test_worlds.py:")


def test_logs_are_as_they_were_after_a_world() -> None:
    logging.disable(logging.INFO)
    try:
        run(script(FailingBank), 0)
        assert logging.root.manager.disable == logging.INFO
        assert not logging.getLogger("sekkei").isEnabledFor(logging.INFO)
    finally:
        logging.disable(logging.NOTSET)


def test_what_the_network_did_is_told_in_short_stories_only() -> None:
    seeds = (run(script(Bank), seed) for seed in SEEDS)
    found = next(each for each in seeds if any("the answer to" in event.what for event in each.lost))
    lost = [event.what for event in found.lost]
    kinds = (r"process \d+'s \w+ is lost before it is done", r"the answer to process \d+'s \w+ is lost")
    assert [what for what in lost if not any(re.match(kind, what) for kind in kinds)] == []
    assert any(re.search(r"customer-\d#\d+$", what) for what in lost)
    assert not any(each in tell(found) for each in lost)
    shorter = replace(found, retelling=Retelling(frozenset({"customer-1#1"})))
    assert all(each in tell(shorter) for each in lost)


def test_without_faults_people_alone_find_it_too() -> None:
    assert any(run(script(CarelessBank), seed, faults=CALM).broken for seed in SEEDS)


def test_the_same_seed_tells_the_same_story() -> None:
    first, second = run(script(CarelessBank), 3), run(script(CarelessBank), 3)
    assert first.digest == second.digest
    assert [event.what for event in first.story] == [event.what for event in second.story]
    assert run(script(CarelessBank), 4).digest != first.digest


@pytest.mark.parametrize("name", ["chiipochi", "eventbot", "lessons", "q", "tasks"])
def test_our_worlds_are_worlds_to_run(name: str) -> None:
    assert list(mistakes(import_module(f"tests.worlds.{name}").WORLD)) == []


SYSTEM_DICE = random.SystemRandom()
"""Made before any world was, as `secrets` makes its own."""
CHANCE: dict[str, Callable[[], object]] = {
    "random": random.random,
    "secrets.choice": lambda: secrets.choice(range(10**9)),
    "secrets.randbits": lambda: secrets.randbits(64),
    "secrets.randbelow": lambda: secrets.randbelow(10**9),
    "secrets.token_hex": secrets.token_hex,
    "choice of before": partial(secrets.choice, range(10**9)),
    "SystemRandom": lambda: random.SystemRandom().random(),
    "SystemRandom of before": SYSTEM_DICE.random,
    "SystemRandom's bytes": lambda: SYSTEM_DICE.randbytes(8),
    "Random": lambda: random.Random().random(),
    "seed": lambda: random.seed() or random.random(),
    "os.urandom": lambda: os.urandom(8),
    "os.getrandom": lambda: os.getrandom(8) if hasattr(os, "getrandom") else None,
    "uuid1": lambda: uuid.uuid1(),
    "uuid4": uuid.uuid4,
}


@pytest.mark.parametrize("name", CHANCE)
def test_all_chance_is_the_seeds(name: str) -> None:
    ask, sown = CHANCE[name], vars(random.Random)["seed"]

    def asked(seed: int) -> list[object]:
        with seeded(seed):
            return [ask() for _ in range(3)]

    first = asked(1)
    assert first == asked(1) != asked(2)
    assert first[0] is None or len(set(first)) == 3
    assert vars(random.Random)["seed"] is sown, "all is as it was"
    assert random.Random(5).random() == random.Random(5).random()
    assert [ask() for _ in range(3)] != [ask() for _ in range(3)]


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_order_of_hashes_does_not_matter(hash_seed: str) -> None:
    program = (
        "from sekkei.worlds import run; from tests.worlds.bank import Bank, script; print(run(script(Bank), 5).digest)"
    )
    environment = {"PYTHONHASHSEED": hash_seed, "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=110, env=environment)
    assert done.stdout.strip() == run(script(Bank), 5).digest, done.stderr


def test_a_story_is_made_short() -> None:
    failed = next(outcome for seed in SEEDS if (outcome := run(script(CarelessBank), seed)).broken)
    shorter = shrink(script(CarelessBank), failed)
    assert shorter.invariant == failed.invariant
    assert len(shorter.operations) <= 8
    told = {event.key for event in failed.operations}
    assert {event.key for event in shorter.operations} < told, "nothing comes in the place of what was left out"


def test_a_short_story_is_told_again_as_it_was() -> None:
    failed = next(outcome for seed in SEEDS if (outcome := run(script(CarelessBank), seed)).broken)
    shorter = shrink(script(CarelessBank), failed)
    again = run(script(CarelessBank), failed.seed, retelling=shorter.retelling)
    assert (again.digest, again.broken, again.story) == (shorter.digest, shorter.broken, shorter.story)


def test_what_is_left_of_a_story_may_begin_when_it_began() -> None:
    whole = run(script(Bank), 5, faults=CALM)
    some = frozenset(event.key for event in whole.operations[::2])
    in_time = run(script(Bank), 5, faults=CALM, retelling=Retelling(some, whole.began))
    left = {key: at for key, at in whole.began.items() if key not in some}
    assert left.items() <= in_time.began.items()
    as_they_come = run(script(Bank), 5, faults=CALM, retelling=Retelling(some))
    assert not left.items() <= as_they_come.began.items()


def test_other_luck_is_another_story_of_the_same_people() -> None:
    stories = [run(script(Bank), 5, retelling=Retelling(luck=luck)) for luck in (0, 1, 2, 1)]
    assert stories[0].digest == run(script(Bank), 5).digest
    assert len({each.digest for each in stories}) == 3
    assert stories[1].digest == stories[3].digest


def test_simulated_time_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(self: selectors.SelectSelector, timeout: float | None = None) -> Any:
        raise AssertionError("a world waits for nobody")

    monkeypatch.setattr(selectors.SelectSelector, "select", wait)
    assert run(script(Bank), 0, faults=CALM).simulated_seconds >= 40


def test_what_ends_with_its_world_leaves_nothing_unawaited() -> None:
    begun: list[str] = []

    async def clean_up() -> None:
        begun.append("never")

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.ensure_future(clean_up())

    loop = VirtualLoop()
    asyncio.set_event_loop(loop)
    task = loop.create_task(hang())
    loop.run_until_complete(asyncio.sleep(1))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        lay_to_rest(loop)
        asyncio.set_event_loop(None)
        del task
        gc.collect()
    assert [str(each.message) for each in told] == []
    assert begun == []
