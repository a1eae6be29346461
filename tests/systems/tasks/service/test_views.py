"""Saved views are one's own."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.refusals import NoSuchMember, TooLarge
from sekkei_systems.tasks.rules.filters import BadFilter
from sekkei_systems.tasks.service.views import VIEWS_MAX, NoSuchView
from tests.lost import answer_lost
from tests.systems.tasks.conftest import World


async def test_a_view_is_saved_and_deleted_by_whoever_saved_it(world: World) -> None:
    team = await world.team("ren")
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    made = await world.service.views.save(aoi, " 急ぎ ", "list", "?status=todo&status=doing&after=x&lang=en&q=a%26b")
    assert (made.name, made.query) == ("急ぎ", "status=todo&status=doing&q=a%26b")
    assert await world.service.views.all(aoi) == [made]
    assert await world.service.views.all(ren) == []
    with pytest.raises(NoSuchView):
        await world.service.views.delete(ren, made.view_id)
    with answer_lost(world.opened.context.db):
        await world.service.views.delete(aoi, made.view_id)
    assert await world.service.views.all(aoi) == []


async def test_only_filters_that_there_are(world: World) -> None:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    for place, query in (("board", "status=later"), ("board", "color=red"), ("elsewhere", "")):
        with pytest.raises(BadFilter):
            await world.service.views.save(aoi, "x", place, query)
    for number in range(VIEWS_MAX):
        await world.service.views.save(aoi, f"{number}", "board", "")
    with pytest.raises(TooLarge):
        await world.service.views.save(aoi, "one more", "board", "")


async def test_a_view_shows_the_tasks_of_somebody_who_is_there(world: World) -> None:
    """A view that named somebody who had left kept their name until the next day."""
    team = await world.team("ren")
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    for query in (f"assignee={ren.user_id}", f"assignee={aoi.user_id}", "assignee=me", "assignee=none"):
        await world.service.views.save(aoi, "x", "list", query)
    saved = len(await world.service.views.all(aoi))
    with pytest.raises(NoSuchMember):
        await world.service.views.save(aoi, "x", "list", "assignee=somebody-else")
    assert len(await world.service.views.all(aoi)) == saved == 4
