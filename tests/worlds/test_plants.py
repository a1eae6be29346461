"""Promises are tried on faults put in on purpose: each is found by a seed that is known."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from sekkei.worlds import Script, run

Plant = Callable[[pytest.MonkeyPatch], None]


def money_is_declared_failed_too_early(patch: pytest.MonkeyPatch) -> None:
    """A checkout that is complete and unpaid waits for a convenience store; here it counts as failed."""
    from sekkei_systems.chiipochi.design.models import Outcome
    from sekkei_systems.chiipochi.ports.payments import stripe

    sound = stripe._standing

    def early(session: Any) -> Outcome:
        found = sound(session)
        return Outcome.FAILED if found is Outcome.WAITING else found

    patch.setattr(stripe, "_standing", early)


def a_place_is_never_released_at_the_studio(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.lessons.ports.booking.http import HttpBooking

    async def release(self: HttpBooking, key: str) -> None:
        return None

    patch.setattr(HttpBooking, "release", release)


def a_role_is_taken_from_the_wrong_person(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.local.world import PEOPLE
    from sekkei_systems.eventbot.ports.discord.rest import Rest

    sound, people = Rest.take_role, list(PEOPLE)

    async def take_role(self: Rest, guild_id: str, user_id: str, role_id: str) -> None:
        await sound(self, guild_id, people[people.index(user_id) - 1], role_id)

    patch.setattr(Rest, "take_role", take_role)


PLANTS: list[tuple[str, Plant, str, tuple[int, ...]]] = [
    ("chiipochi", money_is_declared_failed_too_early, "nothing_fails_that_can_still_be_paid", (4,)),
    ("lessons", a_place_is_never_released_at_the_studio, "both_sides_agree", (0,)),
    ("eventbot", a_role_is_taken_from_the_wrong_person, "roles_equal_the_union_of_events", (0,)),
]
"""A world, a fault, the promise that it breaks, and seeds one of which shows it."""


def world(name: str) -> Script:
    found: Script = import_module(f"sekkei_systems.{name}.world").WORLD
    return found


@pytest.mark.parametrize(("name", "plant", "promise", "seeds"), PLANTS, ids=[one[1].__name__ for one in PLANTS])
def test_a_planted_fault_is_found(
    name: str, plant: Plant, promise: str, seeds: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert any(run(world(name), seed).invariant == promise for seed in seeds)
