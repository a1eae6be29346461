from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.runtime import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import StudioRules, studio_rules
from sekkei_systems.lessons.rules.policy import Fairness
from sekkei_systems.lessons.service.rulebook import KEPT_SECONDS
from tests.systems.lessons.world import STAFF, STUDIOS, World


def rules(world: World, **more: object) -> StudioRules:
    return StudioRules(studio_code="gnz", updated_at=days.now(world.clock), **more)  # type: ignore[arg-type]


async def test_a_studio_has_its_own_policy_and_the_rest_is_as_everywhere(world: World) -> None:
    book = world.service.rulebook
    usual = await book.policy("gnz")
    await book.save(STAFF, rules(world, fairness="first-in-line", minutes={"hold": 5, "remind_before": 600}))
    own = await book.policy("gnz")
    assert (own.fairness, own.hold, own.cancel_until) == (
        Fairness.FIRST_IN_LINE,
        timedelta(minutes=5),
        usual.cancel_until,
    )
    assert await book.policy("sby") == usual
    assert await book.longest_reminder(STUDIOS) == timedelta(hours=10)


async def test_rules_of_another_process_are_seen_a_moment_later(world: World) -> None:
    book = world.service.rulebook
    assert not (await book.rules("gnz")).needs_pass
    await world.db.write(studio_rules.put(rules(world, needs_pass=True)))
    assert not (await book.rules("gnz")).needs_pass
    world.clock.advance(KEPT_SECONDS + 1)
    assert (await book.rules("gnz")).needs_pass


@pytest.mark.parametrize(
    "wrong",
    [
        {"per_week": 0},
        {"opens_days": -1},
        {"no_shows_max": 9999},
        {"fairness": "dice"},
        {"minutes": {"hold": -1}},
        {"minutes": {"unknown": 1}},
    ],
)
async def test_what_makes_no_sense_is_refused(world: World, wrong: dict[str, object]) -> None:
    with pytest.raises(refusals.BadRules):
        await world.service.rulebook.save(STAFF, rules(world, **wrong))
    assert (await world.service.rulebook.rules("gnz")).per_week is None
