"""The timeline among many people is what going through everybody gives."""

from __future__ import annotations

import pytest

from systems.q.entities import answers
from systems.q.service import timeline
from tests.systems.q import crowd
from tests.systems.q.conftest import World


async def whole(world: World) -> list[str]:
    found: list[str] = []
    after = None
    while True:
        page = await world.service.timelines.show(crowd.VIEWER, after=after, size=timeline.PAGE_MAX)
        found += [entry.author.user_id for entry in page.entries]
        after = page.cursor
        if after is None:
            assert page.total == len(found)
            return found


async def test_fifteen_hundred_followees(fair: World) -> None:
    many = crowd.made(people=2_500, followees=1_500, now=crowd.NOW)
    await crowd.store(fair.db, many)
    viewer = await fair.user(crowd.VIEWER)
    found = [answer.user_id for answer, _ in await fair.service.timelines.visible(viewer, many.day)]
    assert found == many.timeline()
    assert len(found) > 900
    page = await fair.service.timelines.show(crowd.VIEWER, size=timeline.PAGE_MAX)
    assert ([entry.author.user_id for entry in page.entries], page.total) == (found[:50], len(found))


@pytest.mark.parametrize("seed", range(4))
async def test_small_crowds(fair: World, seed: int) -> None:
    few = crowd.made(people=60, followees=seed * 20, now=crowd.NOW, seed=seed)
    await crowd.store(fair.db, few)
    assert await whole(fair) == few.timeline()


async def test_the_days_partition_is_never_read(fair: World) -> None:
    """Everything about answers is asked for by key."""
    few = crowd.made(people=300, followees=150, now=crowd.NOW)
    await crowd.store(fair.db, few)
    table = fair.db.table_name(answers.table)
    asked: list[str] = []
    call = fair.db.store.call

    async def spy(operation: str, request: dict, *more: object) -> dict:  # type: ignore[type-arg]
        if table in str(request):
            asked.append(operation)
        return await call(operation, request, *more)

    fair.db.store.call = spy  # type: ignore[method-assign, assignment]
    try:
        await fair.service.timelines.show(crowd.VIEWER)
    finally:
        fair.db.store.call = call  # type: ignore[method-assign]
    assert set(asked) <= {"BatchGetItem", "GetItem"}
    assert asked.count("BatchGetItem") == 2
