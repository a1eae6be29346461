"""Who may do what."""

from __future__ import annotations

import inspect

import pytest

from sekkei_systems.tasks.design import stored_tasks
from sekkei_systems.tasks.refusals import (
    NoSuchTeam,
    NotAdmin,
)
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service.access import Admin, Member
from sekkei_systems.tasks.service.invitations import Invitations
from sekkei_systems.tasks.service.teams import Tags, Teams
from tests.systems.tasks.conftest import World


async def test_members_work_and_admins_manage(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    assert (type(aoi), type(ren)) == (Admin, Member)
    with pytest.raises(NotAdmin):
        await world.admin("ren", team.team_id)
    with pytest.raises(NotAdmin):
        await world.service.teams.remove(ren, "aoi")
    await world.service.tasks.create(ren, TaskDraft("メンバーの仕事"))


def test_managing_demands_the_proof_of_an_admin() -> None:
    """Who may do what is in the types, and mypy refuses the call; this is the list."""
    demanding = {
        Teams: {"change", "delete", "limit", "set_role"},
        Tags: {"add", "change", "delete"},
        Invitations: {"invite", "send_again", "revoke", "open"},
    }
    for service, names in demanding.items():
        for name, method in inspect.getmembers(service, inspect.isfunction):
            if not name.startswith("_"):
                admin = "Admin" in inspect.get_annotations(method).values()
                assert admin == (name in names), f"{service.__name__}.{name}"


async def test_to_strangers_and_to_whoever_was_removed_a_team_does_not_exist(world: World) -> None:
    team = await world.team("mei")
    await world.arrive("ren")
    await world.service.teams.remove(await world.admin("aoi", team.team_id), "mei")
    for who in ("ren", "mei", "nobody"):
        with pytest.raises(NoSuchTeam):
            await world.member(who, team.team_id)
        with pytest.raises(NoSuchTeam):
            await world.service.access.room(who, team.team_id)
    with pytest.raises(NoSuchTeam):
        await world.member("aoi", "none")


async def test_a_room_is_the_proof_and_what_a_page_shows(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    await world.service.tasks.create(aoi, TaskDraft("一つ"))
    room = await world.service.access.room("ren", team.team_id)
    assert room.member == await world.member("ren", team.team_id)
    assert (room.team.name, room.totals.todo, [one.user_id for one in room.members]) == (team.name, 1, ["aoi", "ren"])


async def test_a_team_that_is_being_deleted_is_gone_at_once_and_takes_nothing(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.service.teams.delete(aoi)
    with pytest.raises(NoSuchTeam):
        await world.member("aoi", team.team_id)
    with pytest.raises(NoSuchTeam):
        await world.service.tasks.create(aoi, TaskDraft("遅れて"))  # with a proof of a moment ago
    assert await world.opened.context.db.all(stored_tasks(team.team_id)) == []
