"""A team in simulated time: four people on one board, through two processes that die now and then."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from typing import Any

from sekkei.worlds import Person, Script, World
from sekkei_systems.tasks import SYSTEM
from sekkei_systems.tasks.design import Comment, Talk, Task, Team, TeamUser, Totals, User
from sekkei_systems.tasks.rules.statuses import Status

TABLE = "task-table-v3"
MAIL_SECONDS = 60
LINK = re.compile(r"/tasks/invitations/([^/\s]+)/([^/\s?#]+)[?#]\w+=([\w.~-]+)")

WORLD = Script("tasks", [SYSTEM], seconds=90.0, settle_seconds=240.0)


@WORLD.role(4)
async def member(me: Person) -> None:
    """The first makes the team; the others are invited by mail and accept."""
    await me.sign_in(f"{me.name}@example.com")
    first = me.world.people[0]
    if me is first:
        made = await me.json("POST", "/tasks/api/teams", {"name": "World"})
        me.memory["team"] = made.json()["id"]
        return
    team = me.memory["team"] = first.memory["team"]
    body = {"email": f"{me.name}@example.com", "role": "admin" if me.name.endswith("2") else "member"}
    await first.json("POST", f"/tasks/api/teams/{team}/invitations", body)
    team_id, invite_id, token = await _invitation(me)
    path = f"/tasks/api/invitations/{team_id}/{invite_id}/accept"
    reply = await me.json("POST", path, {"token": token})
    assert reply.status == 200, reply.text


async def _invitation(me: Person) -> tuple[str, str, str]:
    for _ in range(MAIL_SECONDS):
        for mail in me.world.outside["mail"].received:
            found = LINK.search(str(mail.body)) if mail.to == f"{me.name}@example.com" else None
            if found is not None:
                return found[1], found[2], found[3]
        await asyncio.sleep(1)
    raise AssertionError(f"no invitation reached {me.name}")


async def _tasks(me: Person) -> list[dict[str, Any]]:
    reply = await me.json("GET", f"/tasks/api/teams/{me.memory['team']}/tasks")
    found: list[dict[str, Any]] = reply.json()["items"] if reply.status == 200 else []
    return found


async def _some_task(me: Person) -> str | None:
    found = await _tasks(me)
    return me.dice.choice(found)["id"] if found else None


@WORLD.does("member", 3)
async def adds_a_task(me: Person) -> str:
    body = {"title": f"task {me.dice.randint(1, 999)}", "status": me.dice.choice([each.value for each in Status])}
    reply = await me.json("POST", f"/tasks/api/teams/{me.memory['team']}/tasks", body)
    return f"adds {body['title']} as {body['status']}: {reply.status}"


@WORLD.does("member", 6)
async def moves_a_task(me: Person) -> str | None:
    task = await _some_task(me)
    if task is None:
        return None
    status = me.dice.choice([each.value for each in Status])
    reply = await me.json("PATCH", f"/tasks/api/teams/{me.memory['team']}/tasks/{task}", {"status": status})
    return f"moves {task[-4:]} to {status}: {reply.status}"


@WORLD.does("member", 3)
async def comments(me: Person) -> str | None:
    task = await _some_task(me)
    if task is None:
        return None
    path = f"/tasks/api/teams/{me.memory['team']}/tasks/{task}/comments"
    reply = await me.json("POST", path, {"text": f"note {me.dice.randint(1, 99)}"})
    return f"comments on {task[-4:]}: {reply.status}"


@WORLD.does("member", 1)
async def throws_a_task_away(me: Person) -> str | None:
    task = await _some_task(me)
    if task is None:
        return None
    reply = await me.json("DELETE", f"/tasks/api/teams/{me.memory['team']}/tasks/{task}")
    return f"throws {task[-4:]} away: {reply.status}"


@WORLD.does("member", 1)
async def takes_a_task_back(me: Person) -> str | None:
    team = me.memory["team"]
    reply = await me.json("GET", f"/tasks/api/teams/{team}/trash")
    found = reply.json()["items"] if reply.status == 200 else []
    if not found:
        return None
    task = me.dice.choice(found)["id"]
    back = await me.json("POST", f"/tasks/api/teams/{team}/trash/{task}/back")
    return f"takes {task[-4:]} back: {back.status}"


@WORLD.does("member", 1)
async def changes_somebodys_role(me: Person) -> str:
    other = me.dice.choice(me.world.people[1:])
    role = me.dice.choice(["admin", "member"])
    user = next((each for each in _users(me.world) if each.email == f"{other.name}@example.com"), None)
    if user is None:
        return f"does not find {other.name}"
    path = f"/tasks/api/teams/{me.memory['team']}/members/{user.user_id}"
    reply = await me.json("PATCH", path, {"role": role})
    return f"makes {other.name} {role}: {reply.status}"


@WORLD.does("member", 1)
async def takes_another_name(me: Person) -> str:
    name = f"{me.name} {me.dice.randint(1, 3)}"
    reply = await me.post("/account/name", {"name": name})
    return f"is now called {name}: {reply.status}"


def _users(world: World) -> list[User]:
    return [each for each in world.decoded(TABLE) if isinstance(each, User)]


@WORLD.always
def counters_equal_a_recount(world: World) -> None:
    stored = world.decoded(TABLE)
    for totals in (each for each in stored if isinstance(each, Totals)):
        tasks = (each for each in stored if isinstance(each, Task) and each.team_id == totals.team_id)
        counted = Counter(task.status for task in tasks if task.deleted_at is None)
        said = {Status.TODO: totals.todo, Status.DOING: totals.doing, Status.DONE: totals.done}
        assert said == {status: counted[status] for status in Status}, f"totals say {said}, there are {dict(counted)}"


@WORLD.always
def a_team_has_an_admin(world: World) -> None:
    stored = world.decoded(TABLE)
    for team in (each for each in stored if isinstance(each, Team) and not each.closing):
        roles = [each.role.value for each in stored if isinstance(each, TeamUser) and each.team_id == team.team_id]
        assert not roles or "admin" in roles, f"{team.name} has only {roles}"


@WORLD.finally_
def comments_are_counted(world: World) -> None:
    stored = world.decoded(TABLE)
    counted = Counter((each.team_id, each.task_id) for each in stored if isinstance(each, Comment))
    for talk in (each for each in stored if isinstance(each, Talk)):
        there = counted[talk.team_id, talk.task_id]
        assert talk.comments == there, f"{talk.comments} comments are said, {there} are there"


@WORLD.finally_
def nothing_is_left_of_tasks_that_are_gone(world: World) -> None:
    stored = world.decoded(TABLE)
    there = {(each.team_id, each.task_id) for each in stored if isinstance(each, Task)}
    left = [each for each in stored if isinstance(each, Comment) and (each.team_id, each.task_id) not in there]
    assert left == [], f"{len(left)} comments of tasks that are gone"


@WORLD.finally_
def names_have_arrived_in_the_team(world: World) -> None:
    stored = world.decoded(TABLE)
    names = {each.user_id: each.name for each in stored if isinstance(each, User)}
    for membership in (each for each in stored if isinstance(each, TeamUser)):
        known = names.get(membership.user_id)
        assert known is None or membership.user_name == known, f"{known} is called {membership.user_name} in the team"
