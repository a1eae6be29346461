"""The question that is open now."""

from __future__ import annotations

import pytest

from sekkei_systems.q.refusals import NoQuestion
from tests.systems.q.conftest import World


async def test_none_until_one_is_published_and_then_that_one_until_the_next(world: World) -> None:
    with pytest.raises(NoQuestion):
        await world.service.question.get()
    assert await world.service.question.find() is None
    first = await world.ask("一つめ？")
    assert await world.service.question.get() == first
    world.clock.advance(26 * 3600)
    assert await world.service.question.get() == first
    second = await world.ask("二つめ？")
    assert await world.service.question.get() == second
