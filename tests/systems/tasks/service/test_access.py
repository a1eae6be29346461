"""Who may do what."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.design import Role
from sekkei_systems.tasks.refusals import (
    NoSuchTeam,
    NotAdmin,
)
from sekkei_systems.tasks.rules.drafts import Changes, Draft
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.rules.statuses import Status
from tests.systems.tasks.conftest import World


async def test_members_work_and_admins_manage(world: World) -> None:
    team = await world.team("ren")
    tag = await world.service.teams.add_tag("aoi", team.team_id, "api", "#2563eb")
    managing, inviting = world.service.teams, world.service.invitations
    for attempt in (
        managing.change("ren", team.team_id, "乗っ取り", ""),
        managing.delete("ren", team.team_id),
        managing.set_role("ren", team.team_id, "ren", Role.ADMIN),
        managing.remove("ren", team.team_id, "aoi"),
        managing.add_tag("ren", team.team_id, "x", "#000000"),
        managing.change_tag("ren", team.team_id, tag.tag_id, "x", "#000000"),
        managing.delete_tag("ren", team.team_id, tag.tag_id),
        inviting.invite("ren", team.team_id, "x@example.com", Role.ADMIN),
        inviting.open("ren", team.team_id),
    ):
        with pytest.raises(NotAdmin):
            await attempt
    await world.service.tasks.create("ren", team.team_id, Draft("メンバーの仕事"))


async def test_to_strangers_a_team_does_not_exist(world: World) -> None:
    team = await world.team()
    made = await world.service.tasks.create("aoi", team.team_id, Draft("秘密"))
    await world.arrive("ren")
    tasks, there = world.service.tasks, (team.team_id, made.task_id)
    for attempt in (
        tasks.get("ren", *there),
        tasks.create("ren", team.team_id, Draft("x")),
        tasks.change("ren", *there, Changes(title="x")),
        tasks.delete("ren", *there),
        tasks.page("ren", team.team_id, Filter()),
        tasks.column("ren", team.team_id, Status.TODO, Filter()),
        tasks.comment("ren", *there, "x"),
        tasks.comments("ren", *there),
        tasks.change_many("ren", team.team_id, [made.task_id], Changes(title="x")),
    ):
        with pytest.raises(NoSuchTeam):
            await attempt
    assert (await tasks.get("aoi", *there)).title == "秘密"
