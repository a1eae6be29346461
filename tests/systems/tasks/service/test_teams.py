"""Teams: never without an admin, names that follow, deletions that leave nothing."""

from __future__ import annotations

import asyncio

import pytest

from sekkei_systems.tasks.design import Role, stored_tasks, teams
from sekkei_systems.tasks.refusals import LastAdmin, NoSuchTag, NoSuchTeam
from sekkei_systems.tasks.rules.drafts import Draft
from sekkei_systems.tasks.service import Visitor
from tests.systems.tasks.conftest import World


async def test_a_new_team_has_its_maker_as_admin_and_nothing_to_do(world: World) -> None:
    team = await world.team()
    members = await world.service.teams.members("aoi", team.team_id)
    assert [(one.user_id, one.role, one.user_name) for one in members] == [("aoi", Role.ADMIN, "Aoi")]
    assert [one.team_name for one in await world.service.people.teams("aoi")] == ["開発チーム"]
    totals = await world.service.teams.totals("aoi", team.team_id)
    assert (totals.todo, totals.doing, totals.done) == (0, 0, 0)


async def test_the_last_admin_can_neither_leave_nor_step_down(world: World) -> None:
    team = await world.team("ren")
    for attempt in (
        world.service.teams.remove("aoi", team.team_id, "aoi"),
        world.service.teams.set_role("aoi", team.team_id, "aoi", Role.MEMBER),
    ):
        with pytest.raises(LastAdmin):
            await attempt
    await world.service.teams.set_role("aoi", team.team_id, "ren", Role.ADMIN)
    await world.service.teams.remove("aoi", team.team_id, "aoi")
    assert [one.user_id for one in await world.service.teams.members("ren", team.team_id)] == ["ren"]
    with pytest.raises(LastAdmin):
        await world.service.teams.remove("ren", team.team_id, "ren")


async def test_two_admins_who_leave_at_once_do_not_both_succeed(world: World) -> None:
    team = await world.team()
    await world.arrive("ren")
    await world.join(team.team_id, "ren", Role.ADMIN)
    leaving = [world.service.teams.remove(who, team.team_id, who) for who in ("aoi", "ren")]
    outcomes = await asyncio.gather(*leaving, return_exceptions=True)
    assert sorted(type(one).__name__ for one in outcomes) == ["LastAdmin", "NoneType"]


async def test_a_new_name_is_seen_everywhere_but_in_old_invitations(world: World) -> None:
    team = await world.team("ren")
    invitation = await world.service.invitations.invite("aoi", team.team_id, "mei@example.com", Role.MEMBER)
    await world.service.teams.change("aoi", team.team_id, "新チーム", "説明")
    await world.service.people.arrive(Visitor("ren", "ren@example.com", "鈴木 蓮"))
    await world.settle()
    assert (await world.service.teams.get("aoi", team.team_id))[0].name == "新チーム"
    for who in ("aoi", "ren"):
        assert [one.team_name for one in await world.service.people.teams(who)] == ["新チーム"]
    names = {one.user_name for one in await world.service.teams.members("aoi", team.team_id)}
    assert names == {"Aoi", "鈴木 蓮"}
    (listed,) = await world.service.invitations.open("aoi", team.team_id)
    assert (listed.invitation.invite_id, listed.invitation.team_name) == (invitation.invite_id, "開発チーム")


async def test_a_deleted_tag_leaves_no_task_that_names_it(world: World) -> None:
    team = await world.team()
    tags = [await world.service.teams.add_tag("aoi", team.team_id, name, "#2563eb") for name in "ab"]
    both, one = frozenset(tag.tag_id for tag in tags), frozenset({tags[0].tag_id})
    await world.service.tasks.create_many(
        "aoi", team.team_id, [Draft("両方", tags=both), Draft("片方", tags=one), Draft("なし")]
    )
    await world.service.teams.delete_tag("aoi", team.team_id, tags[0].tag_id)
    await world.settle()
    assert [tag.tag_id for tag in await world.service.teams.tags("aoi", team.team_id)] == [tags[1].tag_id]
    held = {task.title: task.tags for task in await world.opened.context.db.all(stored_tasks(team.team_id))}
    assert held == {"両方": {tags[1].ref}, "片方": frozenset(), "なし": frozenset()}
    with pytest.raises(NoSuchTag):
        await world.service.tasks.create("aoi", team.team_id, Draft("遅れて", tags=one))


async def test_a_deleted_team_leaves_nothing(world: World) -> None:
    team = await world.team("ren")
    await world.service.teams.add_tag("aoi", team.team_id, "a", "#2563eb")
    made = await world.service.tasks.create("aoi", team.team_id, Draft("仕事"))
    await world.service.tasks.comment("ren", team.team_id, made.task_id, "意見")
    await world.service.invitations.invite("aoi", team.team_id, "mei@example.com", Role.MEMBER)
    await world.settle()
    await world.service.teams.delete("aoi", team.team_id)
    with pytest.raises(NoSuchTeam):
        await world.service.teams.get("aoi", team.team_id)
    await world.settle()
    for table in ("task-table-v3", "task-table-invitation-v3"):
        found = await world.deployment.store.call("Scan", {"TableName": table, "ConsistentRead": True})
        keys = {(item["PK"]["S"].partition("#")[0], item["SK"]["S"].partition("#")[0]) for item in found["Items"]}
        assert keys == ({("USER", "USER"), ("EMAIL", "EMAIL")} if table == "task-table-v3" else set())
    assert await world.opened.context.db.get(teams(team.team_id).consistent()) is None
