"""Tags."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.design import teams
from sekkei_systems.tasks.refusals import BadText, NoSuchTag, NoSuchTeam
from tests.systems.tasks.conftest import World


async def test_tags_are_listed_by_name_and_changed(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tags = world.service.tags
    second, first = [await tags.add(aoi, name, "#2563eb") for name in ("b", "a")]
    assert await tags.all(aoi) == [first, second]
    changed = await tags.change(aoi, first.tag_id, " c ", "#FFFFFF")
    assert (changed.name, changed.color.background, changed.color.text) == ("c", "#ffffff", "#000000")
    with pytest.raises(NoSuchTag):
        await tags.change(aoi, "none", "c", "#ffffff")
    with pytest.raises(BadText):
        await tags.add(aoi, " ", "#ffffff")


async def test_no_job_deletes_a_tag_that_is_not_there(world: World) -> None:
    """Its steps failed again and again, and rang alarms."""
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    for tag_id in ("none", "#", "a#b"):
        with pytest.raises(NoSuchTag):
            await world.service.tags.delete(aoi, tag_id)
        assert await world.opened.context.jobs.get(f"delete-tag/{team.team_id}/{tag_id}") is None


async def test_a_team_that_is_gone_takes_no_tag(world: World) -> None:
    """Whoever had the page open while somebody deleted the team."""
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.opened.context.db.write(teams.delete(team.team_id))
    with pytest.raises(NoSuchTeam):
        await world.service.tags.add(aoi, "a", "#2563eb")
