"""Teams: never without an admin, names that follow, deletions that leave nothing."""

from __future__ import annotations

import asyncio

import pytest

from sekkei_systems.tasks.design import Role, TeamUser, stored_tasks, teams
from sekkei_systems.tasks.refusals import BadText, LastAdmin, NoSuchTag, NoSuchTeam
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service.people import Visitor
from tests.systems.tasks.conftest import World


async def test_a_new_team_has_its_maker_as_admin_and_nothing_to_do(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    members = await world.service.teams.members(aoi)
    assert [(one.user_id, one.role, one.user_name) for one in members] == [("aoi", Role.ADMIN, "Aoi")]
    assert [one.team_name for one in await world.service.people.teams("aoi")] == ["開発チーム"]
    totals = await world.service.teams.totals(aoi)
    assert (totals.todo, totals.doing, totals.done) == (0, 0, 0)


async def test_the_last_admin_can_neither_leave_nor_step_down(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    for attempt in (
        world.service.teams.remove(aoi, "aoi"),
        world.service.teams.set_role(aoi, "aoi", Role.MEMBER),
    ):
        with pytest.raises(LastAdmin):
            await attempt
    await world.service.teams.set_role(aoi, "ren", Role.ADMIN)
    await world.service.teams.remove(aoi, "aoi")
    assert [one.user_id for one in await world.service.teams.members(ren)] == ["ren"]
    with pytest.raises(LastAdmin):
        await world.service.teams.remove(ren, "ren")


async def test_two_admins_who_leave_at_once_do_not_both_succeed(world: World) -> None:
    team = await world.team()
    await world.arrive("ren")
    await world.join(team.team_id, "ren", Role.ADMIN)
    leaving = [world.service.teams.remove(await world.member(who, team.team_id), who) for who in ("aoi", "ren")]
    outcomes = await asyncio.gather(*leaving, return_exceptions=True)
    assert sorted(type(one).__name__ for one in outcomes) == ["LastAdmin", "NoneType"]


async def test_a_new_name_is_seen_everywhere_but_in_old_invitations(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    invitation = await world.service.invitations.invite(aoi, "mei@example.com", Role.MEMBER)
    await world.service.teams.change(aoi, "新チーム", "説明")
    await world.service.people.arrive(Visitor("ren", "ren@example.com", "鈴木 蓮"))
    await world.settle()
    assert (await world.service.teams.get(aoi)).name == "新チーム"
    for who in ("aoi", "ren"):
        assert [one.team_name for one in await world.service.people.teams(who)] == ["新チーム"]
    names = {one.user_name for one in await world.service.teams.members(aoi)}
    assert names == {"Aoi", "鈴木 蓮"}
    (listed,) = await world.service.invitations.open(aoi)
    assert (listed.invitation.invite_id, listed.invitation.team_name) == (invitation.invite_id, "開発チーム")


async def test_a_deleted_tag_leaves_no_task_that_names_it(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    tags = [await world.service.tags.add(aoi, name, "#2563eb") for name in "ab"]
    both, one = frozenset(tag.tag_id for tag in tags), frozenset({tags[0].tag_id})
    for draft in (TaskDraft("両方", tags=both), TaskDraft("片方", tags=one), TaskDraft("なし")):
        await world.service.tasks.create(aoi, draft)
    await world.service.tags.delete(aoi, tags[0].tag_id)
    await world.settle()
    assert [tag.tag_id for tag in await world.service.tags.all(aoi)] == [tags[1].tag_id]
    held = {task.title: task.tags for task in await world.opened.context.db.all(stored_tasks(team.team_id))}
    assert held == {"両方": {tags[1].ref}, "片方": frozenset(), "なし": frozenset()}
    with pytest.raises(NoSuchTag):
        await world.service.tasks.create(aoi, TaskDraft("遅れて", tags=one))


async def test_a_deleted_team_leaves_nothing(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    await world.service.tags.add(aoi, "a", "#2563eb")
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    await world.service.comments.add(ren, made.task_id, "意見")
    await world.service.invitations.invite(aoi, "mei@example.com", Role.MEMBER)
    await world.settle()
    await world.service.teams.delete(aoi)
    with pytest.raises(NoSuchTeam):
        await world.member("aoi", team.team_id)
    await world.settle()
    for table in ("task-table-v3", "task-table-invitation-v3"):
        found = await world.deployment.store.call("Scan", {"TableName": table, "ConsistentRead": True})
        keys = {(item["PK"]["S"].partition("#")[0], item["SK"]["S"].partition("#")[0]) for item in found["Items"]}
        assert keys == ({("USER", "USER"), ("EMAIL", "EMAIL")} if table == "task-table-v3" else set())
    assert await world.opened.context.db.get(teams(team.team_id).consistent()) is None


async def test_whoever_is_promoted_just_then_is_removed_all_the_same(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    teams_service = world.service.teams
    look = teams_service._member

    async def promoted_after_the_look(team_id: str, user_id: str) -> TeamUser:
        found = await look(team_id, user_id)
        if found.role is Role.MEMBER:
            teams_service._member = look  # type: ignore[method-assign]
            await teams_service.set_role(aoi, user_id, Role.ADMIN)
        return found

    teams_service._member = promoted_after_the_look  # type: ignore[method-assign]
    await teams_service.remove(aoi, "ren")
    assert [one.user_id for one in await teams_service.members(aoi)] == ["aoi"]
    with pytest.raises(LastAdmin):
        await teams_service.remove(aoi, "aoi")


# Tags.


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
