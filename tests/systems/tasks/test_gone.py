"""Nothing is written into a team that is gone, nor of somebody who has left: not by a request that had begun, nor by a
stream or a job that is late. Each was found by a world."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sekkei.design import replace
from sekkei.runtime.data_subjects import Person
from sekkei.runtime.refusals import Refusal
from sekkei_systems.tasks.design import (
    Hook,
    HookEvent,
    Role,
    Team,
    deliveries_in,
    invite_locks,
    stored_tasks,
    tasks,
    teams,
    totals,
    views_of,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.hooks import of_task
from sekkei_systems.tasks.rules.imports import Board, ForeignTask
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.mail import email_hash
from sekkei_systems.tasks.service.notes import Herald
from sekkei_systems.tasks.service.people import Visitor
from tests.systems.leaving import leave, look_again
from tests.systems.tasks.conftest import PURGING_ROUNDS, World
from tests.systems.tasks.late import Late

REN = Person("ren", "ren@example.com", "Ren")
URL = "https://9.9.9.9/in"
DONE = TaskChanges(status=Status.DONE)


async def rows_of(world: World, word: str) -> list[str]:
    """Keys of all rows of the system that say a word."""
    db, found = world.opened.context.db, []
    for table in world.opened.context.db.design.tables.values():
        items = (await db.store.call("Scan", {"TableName": db.table_name(table), "ConsistentRead": True}))["Items"]
        found += [f"{item['PK']['S']} {item['SK']['S']}" for item in items if word in str(item)]
    return found


# Teams


async def _adds_a_tag(world: World, aoi: Admin) -> object:
    return await world.service.tags.add(aoi, "急ぎ", "#dc2626")


async def _adds_a_webhook(world: World, aoi: Admin) -> object:
    return await world.service.hooks.add(aoi, URL, frozenset(HookEvent))


async def _invites(world: World, aoi: Admin) -> object:
    world.service.invitations.teams.get = lambda admin: _team(admin)  # type: ignore[method-assign, assignment]
    return await world.service.invitations.invite(aoi, "mei@example.com", Role.MEMBER)


async def _team(admin: Admin) -> Any:
    """As it was read before it went."""
    return Team(team_id=admin.team_id, name="開発チーム")


async def _saves_a_view(world: World, aoi: Admin) -> object:
    return await world.service.views.save(aoi, "私の", "list", "assignee=me")


async def _takes_a_file_in(world: World, aoi: Admin) -> object:
    return await world.service.imports.begin(aoi, Board("trello", "板", [ForeignTask("trello/1", TaskDraft("行"))]))


async def _keeps_a_batch(world: World, aoi: Admin) -> object:
    return await world.service.batches._kept(aoi, 1, {}, {"one": 2}, deleted=False)


async def _comments(world: World, aoi: Admin) -> object:
    return await world.service.comments.add(aoi, "one", "まだいますか")


@pytest.mark.parametrize(
    "deed",
    [_adds_a_tag, _adds_a_webhook, _invites, _saves_a_view, _takes_a_file_in, _keeps_a_batch, _comments],
    ids=lambda deed: str(deed.__name__).strip("_"),
)
async def test_who_was_let_in_before_the_team_went_writes_nothing(
    world: World, deed: Callable[[World, Admin], Awaitable[object]]
) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.service.teams.delete(aoi)
    await world.settle()
    with pytest.raises(Refusal):
        await deed(world, aoi)
    assert await rows_of(world, f"TEAM#{team.team_id}") == []
    assert await world.opened.context.db.all(views_of("aoi", team.team_id)) == []


async def test_a_count_of_a_team_that_is_taken_apart_makes_no_counter(world: World) -> None:
    """Its counter goes before its tasks do."""
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.service.tasks.create(aoi, TaskDraft("仕事"))
    db = world.opened.context.db
    await db.write(totals.delete(team.team_id))
    await db.write(teams.delete(team.team_id))
    assert not await world.jobs.recount(team.team_id)
    assert await db.get(totals(team.team_id).consistent()) is None


async def test_what_was_done_is_not_written_down_of_a_task_that_is_gone(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    done = await world.service.tasks.change(aoi, made.task_id, DONE)
    await world.opened.context.db.write(tasks.delete(team.team_id, made.task_id))
    await world.service.flows.changed(made, done)
    assert [key for key in await rows_of(world, made.task_id) if "FLOW#" in key] == []


async def test_a_comment_on_a_task_that_goes_meanwhile_goes_too(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    comments, db = world.service.comments, world.opened.context.db

    async def goes() -> None:
        await db.write(tasks.delete(team.team_id, made.task_id))
        await world.settle(PURGING_ROUNDS)

    comments.db = Late(db, goes)  # type: ignore[assignment]
    await comments.add(aoi, made.task_id, "@Aoi")
    await world.settle(PURGING_ROUNDS)
    assert [key for key in await rows_of(world, made.task_id) if "COMMENT#" in key] == []


async def test_nothing_is_logged_for_an_address_that_goes_meanwhile(world: World) -> None:
    team = await world.team()
    aoi, hooks = await world.admin("aoi", team.team_id), world.service.hooks
    hook, _ = await hooks.add(aoi, URL, frozenset(HookEvent))
    made = await world.service.tasks.create(aoi, TaskDraft("仕事"))
    await world.settle()
    make = hooks._made

    async def late(team: Any, hook: Hook, *more: Any) -> Any:
        found = await make(team, hook, *more)
        await hooks.delete(aoi, hook.hook_id)
        await world.settle()
        return found

    hooks._made = late  # type: ignore[method-assign]
    await hooks.tell(team.team_id, of_task(None, replace(made, task_id="another")))
    assert await rows_of(world, hook.hook_id) == []


async def test_who_resumes_an_address_leaves_it_as_it_is_by_then(world: World) -> None:
    team = await world.team()
    aoi, hooks = await world.admin("aoi", team.team_id), world.service.hooks
    hook, _ = await hooks.add(aoi, URL, frozenset(HookEvent))
    look = hooks.get

    async def stale(admin: Admin, hook_id: str) -> Hook:
        return hook

    hooks.get = stale  # type: ignore[method-assign]
    await hooks.change(aoi, hook.hook_id, f"{URL}/new", frozenset(HookEvent))
    await hooks.resume(aoi, hook.hook_id)
    assert (await look(aoi, hook.hook_id)).url == f"{URL}/new"


# Views


async def test_views_go_with_the_membership(world: World) -> None:
    team = await world.team("ren")
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    await world.service.views.save(ren, "私の", "list", "assignee=me")
    await world.service.teams.remove(aoi, "ren")
    await world.settle()
    assert await world.service.views.all(ren) == []


async def test_views_go_with_the_team(world: World) -> None:
    team = await world.team("ren")
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    await world.service.views.save(ren, "私の", "list", "assignee=me")
    await world.service.teams.delete(aoi)
    await world.settle()
    assert await world.service.views.all(ren) == []


async def test_views_go_with_the_account_and_so_do_those_of_its_tasks(world: World) -> None:
    team = await world.team("ren")
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    await world.service.views.save(ren, "私の", "list", "assignee=me")
    await world.service.views.save(aoi, "蓮の", "list", "assignee=ren")
    kept = await world.service.views.save(aoi, "私の", "list", "assignee=me")
    await world.settle()
    await leave(world.opened.parts.personal, REN)
    assert await world.service.views.all(ren) == []
    assert await world.service.views.all(aoi) == [kept]


# Somebody who left


async def test_the_next_task_is_not_made_in_the_name_of_who_left(world: World) -> None:
    """The stream tells late that they finished the one before."""
    team = await world.team("ren")
    ren = await world.member("ren", team.team_id)
    made = await world.service.tasks.create(ren, TaskDraft("毎日"))
    await world.service.plans.repeat(ren, made.task_id, "daily")
    await world.settle()
    await world.service.tasks.change(ren, made.task_id, DONE)
    await leave(world.opened.parts.personal, REN)
    await world.settle()
    found = await world.opened.context.db.all(stored_tasks(team.team_id))
    assert [(one.created_by, one.updated_by) for one in found] == [("", ""), ("", "")]


async def test_nobody_is_told_anything_after_they_left(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="ren"))
    await leave(world.opened.parts.personal, REN)
    await Herald(world.opened.context.db, world.clock).tell_of_task(None, made)
    assert [key for key in await rows_of(world, "ren") if "NOTE#" in key] == []


async def test_what_late_records_say_of_them_goes_a_day_later(world: World) -> None:
    """That they left is told to programs when their traces have gone already."""
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    await world.settle()
    await world.service.hooks.add(aoi, URL, frozenset(HookEvent))
    personal, db = world.opened.parts.personal, world.opened.context.db
    assert personal is not None
    await leave(personal, REN)
    await world.settle()
    told = await db.all(deliveries_in(team.team_id).consistent())
    assert [one.event for one in told if "ren" in one.people] == ["member.left"]
    await look_again(personal, REN)
    assert [one.event for one in await db.all(deliveries_in(team.team_id).consistent()) if "ren" in one.people] == []


# Invitations


async def test_who_revokes_late_leaves_the_next_invitation_alone(world: World) -> None:
    """The one that they saw was accepted meanwhile, and there is another."""
    team = await world.team()
    aoi, invitations = await world.admin("aoi", team.team_id), world.service.invitations
    await world.arrive("mei")
    made = await invitations.invite(aoi, "mei@example.com", Role.MEMBER)
    look = invitations._found

    async def late(team_id: str, invite_id: str) -> Any:
        found = await look(team_id, invite_id)
        invitations._found = look  # type: ignore[method-assign]
        mei = Visitor("mei", "mei@example.com", "Mei")
        await invitations.accept(mei, team_id, invite_id, invitations.token_of(made))
        await world.service.teams.remove(aoi, "mei")
        await invitations.invite(aoi, "mei@example.com", Role.MEMBER)
        return found

    invitations._found = late  # type: ignore[method-assign]
    with pytest.raises(Refusal):
        await invitations.revoke(aoi, made.invite_id)
    lock = invite_locks(team.team_id, email_hash("mei@example.com")).consistent()
    assert await world.opened.context.db.get(lock) is not None
