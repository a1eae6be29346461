"""A member's calendar: its address is a secret that ends with the membership."""

from __future__ import annotations

from datetime import date

import pytest

from sekkei_systems.tasks.refusals import NoSuchTeam
from sekkei_systems.tasks.rules.drafts import TaskDraft
from tests.systems.tasks.conftest import World


async def _address(world: World, team_id: str, who: str) -> tuple[str, str]:
    *_, user_id, name = (await world.service.feeds.address(await world.member(who, team_id))).split("/")
    return user_id, name.removesuffix(".ics")


async def test_the_address_ends_with_its_renewal_and_with_the_membership(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    await world.service.tasks.create(aoi, TaskDraft("会議", end=date(2025, 11, 7)))
    await world.settle()
    feeds = world.service.feeds
    first = await _address(world, team.team_id, "ren")
    assert "SUMMARY:会議" in (await feeds.open(team.team_id, *first)).decode()
    await feeds.renew(ren)
    second = await _address(world, team.team_id, "ren")
    with pytest.raises(NoSuchTeam):
        await feeds.open(team.team_id, *first)
    with pytest.raises(NoSuchTeam):
        await feeds.open(team.team_id, "aoi", second[1])
    await feeds.open(team.team_id, *second)
    await world.service.teams.remove(aoi, "ren")
    with pytest.raises(NoSuchTeam):
        await feeds.open(team.team_id, *second)
