"""Promises are tried on faults put in on purpose: each is found by a seed that is known."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest

from sekkei.worlds import Script, run, shrink
from tests.worlds.plants import PLANTS
from tests.worlds.plants.eventbot import LATE_SECONDS, LONGER_THAN_A_LEASE, discord_is_late
from tests.worlds.plants.planting import Planted

WORLDS = sorted({each.world for each in PLANTS})
SEARCHED = 200
TRIED = 30
SHORT = 8


def world(name: str, focus: tuple[str, ...] = ()) -> Script:
    found: Script = import_module(f"tests.worlds.{name}").WORLD
    if not focus:
        return found
    chosen = [replace(each, weight=each.weight * focus.count(each.name)) for each in found.operations]
    return replace(found, operations=[each for each in chosen if each.weight])


def promises(script: Script) -> set[str]:
    return {each.__name__ for each in (*(one for one, _ in script.on_commit), *script.at_the_end)}


KNOWN = [each for each in PLANTS if each.seed is not None]


@pytest.mark.parametrize("planted", PLANTS, ids=lambda planted: planted.name)
def test_a_fault_can_be_planted(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it changes is still there to be changed, and the operations that its seed is run with are still there."""
    planted.plant(monkeypatch)
    assert {each.name for each in world(planted.world, planted.focus).operations} >= set(planted.focus)


FIRST = {each.world: each for each in reversed(KNOWN)}


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "planted",
    [each if each is FIRST[each.world] else pytest.param(each, marks=pytest.mark.torture) for each in KNOWN],
    ids=lambda planted: planted.name,
)
def test_a_planted_fault_is_found(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its seed; a system that has changed since tells other stories, so some more are tried then."""
    planted.plant(monkeypatch)
    script = world(planted.world, planted.focus)
    assert any(run(script, seed).invariant == planted.promise for seed in (planted.seed or 0, *range(TRIED)))


@pytest.mark.parametrize(
    ("call", "seconds", "seeds"), [("take_role", LATE_SECONDS, [20, 26]), ("edit", LONGER_THAN_A_LEASE, [9, 11])]
)
def test_a_late_discord_breaks_nothing(
    call: str, seconds: float, seeds: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a plant needs besides its fault, alone: the fault is what the world finds. Seed 20 once broke: a second
    worker of an event let go of a role while the first one's call was on its way."""
    discord_is_late(monkeypatch, call, seconds)
    usual, focused = world("eventbot"), world("eventbot", ("joins", "leaves"))
    assert [run(script, seed).broken for script in (usual, focused) for seed in seeds] == [""] * 2 * len(seeds)


@pytest.mark.parametrize("name", WORLDS)
def test_every_promise_has_a_plant(name: str) -> None:
    planted = {each.promise for each in PLANTS if each.world == name}
    of_all = {each.promise for each in PLANTS}
    shared = {"everything_ends", "nothing_is_given_up", "nobody_is_told_twice", "what_is_sent_was_received"}
    assert promises(world(name)) - shared <= planted
    assert shared <= of_all


@pytest.mark.torture
@pytest.mark.parametrize("planted", PLANTS, ids=lambda planted: planted.name)
def test_a_planted_fault_is_found_by_whoever_looks(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.plant(monkeypatch)
    assert any(run(world(planted.world, planted.focus), seed).invariant == planted.promise for seed in range(SEARCHED))


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("planted", KNOWN, ids=lambda planted: planted.name)
def test_the_story_of_a_planted_fault_is_made_short(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.plant(monkeypatch)
    script = world(planted.world, planted.focus)
    stories = (run(script, seed) for seed in (planted.seed or 0, *range(TRIED)))
    found = next(outcome for outcome in stories if outcome.invariant == planted.promise)
    shorter = shrink(script, found)
    assert shorter.invariant == planted.promise
    assert len(shorter.operations) <= SHORT, "\n".join(event.what for event in shorter.operations)
