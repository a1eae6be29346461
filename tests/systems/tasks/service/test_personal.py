"""Leaving with the account: teams go on with somebody to lead them, and nothing names whoever left."""

from __future__ import annotations

from sekkei.runtime.data_subjects import LEAVE, Person
from sekkei.runtime.sweeping import NOBODY
from sekkei_systems.tasks.design import Role, comments_on, invitations_of, members_of, stored_tasks, teams, users
from sekkei_systems.tasks.rules.drafts import TaskDraft
from tests.systems.leaving import exported, leave
from tests.systems.tasks.conftest import World

REN = Person("ren", "ren@example.com", "Ren")
AOI = Person("aoi", "aoi@example.com", "Aoi")


async def busy_team(world: World) -> tuple[str, str]:
    """Ren has a task, wrote one down, and said something."""
    team = await world.team("ren")
    ren = await world.member("ren", team.team_id)
    task = await world.service.tasks.create(ren, TaskDraft("設計を読む", assignee="ren"))
    await world.service.comments.add(ren, task.task_id, "@Aoi 半分まで進みました")
    await world.settle()
    return team.team_id, task.task_id


async def test_what_they_wrote_stays_without_their_name(world: World) -> None:
    team_id, task_id = await busy_team(world)
    db, personal = world.opened.context.db, world.opened.parts.personal
    await leave(personal, REN)
    await world.settle()
    assert await db.get(users("ren").consistent()) is None
    assert [one.user_id for one in await db.all(members_of(team_id).consistent())] == ["aoi"]
    (task,) = await db.all(stored_tasks(team_id))
    assert (task.title, task.assignee, task.created_by, task.updated_by) == ("設計を読む", None, "", "")
    (comment,) = await db.all(comments_on(team_id, task_id).consistent())
    assert (comment.author, comment.author_name) == ("", "—")
    assert "半分" in comment.text
    activity = await world.service.tasks.activity(await world.member("aoi", team_id), task_id)
    assert [(one.who, one.who_name) for one in activity if "ren" in str(vars(one)).lower()] == []
    notes = await world.service.notes.page("aoi")
    assert [note.by for note in notes if note.by != "—"] == []


async def test_an_invitation_of_theirs_stays_without_their_name(world: World) -> None:
    """By the job, as the worker does it: it must be allowed to."""
    team_id, _ = await busy_team(world)
    invited = await world.service.invitations.invite(await world.admin("aoi", team_id), "new@example.com", Role.MEMBER)
    await world.settle()
    await world.opened.running.jobs.start(LEAVE, AOI.payload(), id="leave/aoi")
    await world.settle()
    (left,) = await world.opened.context.db.all(invitations_of(team_id).consistent())
    assert (left.invite_id, left.invited_by) == (invited.invite_id, f"USER#{NOBODY}")


async def test_the_only_admin_hands_over_first(world: World) -> None:
    await busy_team(world)
    personal = world.opened.parts.personal
    assert personal is not None
    (obstacle,) = await personal.obstacles(AOI)
    assert "開発チーム" in obstacle.text["ja"]
    assert await personal.obstacles(REN) == []


async def test_a_team_is_never_without_an_admin(world: World) -> None:
    """Others came in after the obstacles were looked at."""
    team_id, _ = await busy_team(world)
    db = world.opened.context.db
    await leave(world.opened.parts.personal, AOI)
    (member,) = await db.all(members_of(team_id).consistent())
    assert (member.user_id, member.role) == ("ren", Role.ADMIN)
    assert (await db.need(teams(team_id).consistent())).admins == 1


async def test_a_team_of_one_goes(world: World) -> None:
    team = await world.team()
    await world.settle()
    await leave(world.opened.parts.personal, AOI)
    await world.settle()
    assert await world.opened.context.db.get(teams(team.team_id).consistent()) is None


async def test_everything_of_somebody(world: World) -> None:
    await busy_team(world)
    found = await exported(world.opened.parts.personal, REN)
    assert set(found) == {"profile.json", "teams.json", "tasks.json", "comments.json", "notes.json"}
    assert [task["title"] for task in found["tasks.json"]] == ["設計を読む"]
    assert ["半分" in one["text"] for one in found["comments.json"]] == [True]
    assert await exported(world.opened.parts.personal, Person("nobody", "", "")) == {}
