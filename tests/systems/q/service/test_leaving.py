"""Asking to withdraw, and changing one's mind."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei_systems.q.design.tables import users
from sekkei_systems.q.refusals import AdminsStay, Leaving, WrongState
from tests.systems.q.conftest import World

WEEK = timedelta(days=7, minutes=1).total_seconds()


async def test_a_week_to_think(world: World) -> None:
    service = world.service
    await world.join("a", "b")
    await world.follow(("b", "a"))
    await world.ask()
    await world.answer("a")
    await service.leaving.ask("a")
    with pytest.raises(Leaving):
        await service.answers.today("a")
    assert await world.seen("b") == []
    await service.leaving.cancel("a")
    world.pass_time()
    assert await world.seen("b") == ["a"]
    with pytest.raises(WrongState):
        await service.leaving.cancel("a")
    world.clock.advance(WEEK)
    await world.settle()
    assert (await world.user("a")).deleting_at is None


async def test_an_admin_gives_up_the_role_first(world: World) -> None:
    await world.join("boss")
    await world.make_admin("boss")
    with pytest.raises(AdminsStay):
        await world.service.leaving.ask("boss")


async def test_asking_again_puts_nothing_off(fair: World) -> None:
    await fair.join("a")
    await fair.service.leaving.ask("a")
    fair.clock.advance(timedelta(days=6).total_seconds())
    with pytest.raises(WrongState):
        await fair.service.leaving.ask("a")
    fair.clock.advance(timedelta(days=1, minutes=1).total_seconds())
    await fair.settle()
    assert await fair.db.get(users("a").consistent()) is None
