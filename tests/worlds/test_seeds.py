"""The worlds of the systems, 200 seeds: most of them always the same ones, some chosen by the commit.

A seed that nobody has run may find a fault that nobody knows. That is what worlds are for, and no reason to stop
whoever happens to commit: so the commit chooses among seeds that have been run (`POOL`). A system that has changed
since tells other stories by them; what they find then is a fault of its own. For more, from where these end:

    sekkei world tasks --seed 60 --count 200 --record tasks.log

Nor does any function ask what its role would refuse: in a world the clock does what a process left over.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

from sekkei.engine.storage.temp_dir import TempDir
from sekkei.worlds import Script, run
from tests.calls import asks_only_what_is_noted as asks_only_what_is_noted

FIXED = {"chiipochi": 30, "eventbot": 30, "lessons": 26, "q": 12, "tasks": 52}
"""So many of each world, from 0 on."""
POOL = {"chiipochi": 60, "eventbot": 44, "lessons": 44, "q": 24, "tasks": 60}
"""Up to here all have been run, and out of these the commit chooses some more."""
CHOSEN = 8
SOON = {"chiipochi": 10, "eventbot": 10, "lessons": 10, "q": 6, "tasks": 16}
"""So many of the fixed ones are told by `make test`, the others by `make torture`."""
FOUND = {
    ("q", 1003): "a mail to somebody who had left",
    ("q", 1021): "a token asked for by somebody who was signed out",
    ("q", 10059): "an answer shown to somebody who no longer followed",
    ("chiipochi", 10184): "thanks pushed anew when LINE had forgotten that it had them",
    ("chiipochi", 11320): "a stamp forgotten of a donation that was made since",
    ("chiipochi", 13617): "a refund that had failed, written down from a repeated answer",
    ("chiipochi", 10339): "an operator who left, named where a bank had taken the money",
    ("chiipochi", 10613): "a refund carried out again that outweighed a part which had failed since",
    ("chiipochi", 11078): "an operator who left, named where a donor was forgotten meanwhile",
    ("chiipochi", 11635): "a receipt for money that a bank had taken while nothing ran",
    ("chiipochi", 13563): "a refund that had failed, and seemed to go on when a part was refunded elsewhere",
    ("eventbot", 36): "two who had joined before there were options, in one place of one",
    ("eventbot", 10595): "a count put right while somebody queued",
    ("eventbot", 10848): "notices open after a start at which nothing ran",
    ("eventbot", 11684): "Discord's own event, made and not known, because it had begun",
    ("eventbot", 11876): "a series called off while it was moved, which went on at the time of before",
    ("eventbot", 12291): "somebody told that they moved up by a message that had waited for another, and they had left",
    ("eventbot", 12638): "an event moved to come when Discord's own one was over",
    ("eventbot", 13025): "a role taken by whom Discord had kept waiting for longer than a lease",
    ("eventbot", 13133): "a post that was never drawn, because its notices used up the rate",
    ("eventbot", 13248): "a role given by such a one",
    ("eventbot", 14708): "an event that ended six seconds before somebody looked",
    ("eventbot", 13962): "an event reopened in the second in which it began, by a clock that was behind",
    ("eventbot", 13617): "a notice drawn as open by the late answer to a press",
    ("lessons", 26): "somebody told twice that a lesson is off, because an index was behind",
    ("lessons", 10069): "a first lesson taken away at the desk, and had anew",
    ("lessons", 10115): "somebody who left, with a lesson behind them",
    ("lessons", 10021): "a lesson moved on while its first move was under way",
    ("lessons", 10083): "a place looked at in the moment in which it opened",
    ("lessons", 10047): "a place given back in the second in which the last one was sold",
    ("lessons", 10276): "a last place sold while the lesson was off, free again when it was brought back",
    ("lessons", 10378): "somebody whom the desk booked while they left",
    ("lessons", 10738): "somebody who had booked and liked a lesson, moved one after the other",
    ("lessons", 10923): "somebody who left between a push and its mail",
    ("lessons", 11241): "somebody who booked a lesson at its new time, and whose place in the queue came later",
    ("lessons", 11232): "a ticket used before the desk had its answer",
    ("lessons", 11236): "somebody who left, came up again by a late request, and was booked by the desk",
    ("lessons", 12186): "a lesson liked in the moment in which it was called off",
    ("lessons", 12352): "a booking cancelled while its lesson was moved there and back, and its place not given back",
    ("tasks", 10789): "a task purged before its deletion was answered",
    ("tasks", 10816): "somebody who left, in a view that was saved after that",
}
"""Further ones that once broke, and what they told."""
TWICE = 10
"""Every so many seeds one is run twice, under different hashes."""
ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, sys
from sekkei.worlds import run
from tests.worlds.test_seeds import world
for name, seed in json.loads(sys.argv[1]):
    outcome = run(world(name), seed)
    print(name, seed, outcome.broken or outcome.digest)
"""


@cache
def world(name: str) -> Script:
    found: Script = import_module(f"tests.worlds.{name}").WORLD
    return found


def commit() -> str:
    """Empty where there is no repository."""
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def chosen(by: str) -> list[tuple[str, int]]:
    return [
        (name, seed)
        for name, count in FIXED.items()
        for seed in sorted(Random(f"{by}/{name}").sample(range(count, POOL[name]), CHOSEN))
    ]


ORDERED = [("tasks", 2)]
"""Further ones whose story once depended on the order of hashes: rounds that a pulse woke together."""
RUN_TWICE = [*ORDERED, *((name, seed) for name, count in FIXED.items() for seed in range(0, count, TWICE))]
RUN_ONCE = [
    (name, seed)
    for name, count in FIXED.items()
    for seed in range(count)
    if seed % TWICE and (name, seed) not in ORDERED
]


LATER = [(name, seed) for name, seed in RUN_ONCE if seed >= SOON[name]]


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        *(one for one in RUN_ONCE if one not in LATER),
        *(pytest.param(*one, marks=pytest.mark.torture) for one in LATER),
        *FOUND,
        *chosen(commit()),
    ],
)
def test_every_promise_holds(name: str, seed: int) -> None:
    outcome = run(world(name), seed)
    more = f"sekkei world {name} --seed {POOL[name]} --count 200 --record {name}.log"
    assert outcome.broken == "", f"told by: sekkei world {name} --seed {seed} --trace; more seeds: {more}"
    assert outcome.operations, "nothing happened"


@pytest.mark.timeout(600)
def test_a_seed_tells_the_same_story_whatever_the_order_of_hashes() -> None:
    arguments = [sys.executable, "-c", PROGRAM, json.dumps(RUN_TWICE)]
    runs = [
        subprocess.Popen(
            arguments, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True
        )
        for seed in ("1", "3")
    ]
    first, second = (each.communicate()[0].splitlines() for each in runs)
    assert first == second
    assert len(first) == len(RUN_TWICE)
    assert [line for line in first if ":" in line] == [], "a promise broke"


def test_there_are_two_hundred_seeds_and_commits_choose_differently() -> None:
    assert len({*RUN_ONCE, *RUN_TWICE, *FOUND, *chosen("a")}) >= 200
    assert chosen("a") != chosen("b")
    assert chosen("a") == chosen("a")


def test_a_world_leaves_no_store_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own, the copies that are behind, and what a service outside keeps: thousands are run in one process."""
    made, left = TempDir.__init__, set[str]()

    def noted(self: TempDir) -> None:
        made(self)
        left.add(self.path)

    monkeypatch.setattr(TempDir, "__init__", noted)
    run(world("eventbot"), 1)
    assert len(left) == 4, "the truth, two copies, Discord's"
    assert [path for path in sorted(left) if Path(path).exists()] == []
