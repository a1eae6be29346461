"""A team in simulated time: four people on one board, through two processes that die now and then."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from typing import Any

from sekkei.web.testing import Reply
from sekkei.worlds import Person, Script, World, promises
from sekkei_systems.tasks import SYSTEM
from sekkei_systems.tasks.design import Comment, Plan, Talk, Task, Team, TeamUser, Totals, User, UserTeam
from sekkei_systems.tasks.rules.statuses import Status

TABLE = "task-table-v3"
MAIL_SECONDS = 60
TALK_SECONDS = 3.0
LINK = re.compile(r"/tasks/invitations/([^/\s]+)/([^/\s?#]+)[?#]\w+=([\w.~-]+)")

HOUR = 3600.0
REPAIR = HOUR * 3.5
NIGHT = REPAIR - 15
"""Shortly before the night's repair."""

WORLD = Script(
    "tasks",
    [SYSTEM],
    seconds=30.0,
    settle_seconds=125.0,
    starts=(HOUR * 12, NIGHT, NIGHT),
    rushes=(REPAIR,),
    rests=(HOUR * 24 * 40,),
)


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
    body = {"email": f"{me.name}@example.com", "role": "member" if me.name.endswith("4") else "admin"}
    await first.json("POST", f"/tasks/api/teams/{team}/invitations", body)
    for _ in range(MAIL_SECONDS):
        if _invitation(me) is not None:
            break
        await asyncio.sleep(1)
    reply = await _accept(me)
    assert reply is not None, f"no invitation reached {me.name}"
    assert reply.status == 200, reply.text


def _invitation(me: Person) -> tuple[str, str, str] | None:
    """The newest that came by mail."""
    for mail in reversed(me.world.outside["mail"].received):
        found = LINK.search(str(mail.body)) if mail.to == f"{me.name}@example.com" else None
        if found is not None:
            return found[1], found[2], found[3]
    return None


async def _accept(me: Person) -> Reply | None:
    found = _invitation(me)
    if found is None:
        return None
    team_id, invite_id, token = found
    return await me.json("POST", f"/tasks/api/invitations/{team_id}/{invite_id}/accept", {"token": token})


async def _tasks(me: Person) -> list[dict[str, Any]]:
    reply = await me.json("GET", f"/tasks/api/teams/{me.memory['team']}/tasks")
    found: list[dict[str, Any]] = reply.json()["items"] if reply.status == 200 else []
    return found


async def _some_task(me: Person) -> str | None:
    found = await _tasks(me)
    return me.dice.choice(found)["id"] if found else None


async def _somebody(me: Person) -> Person:
    """Anybody; or, as often, the one whom everybody has come to talk about, at the same moment as the others."""
    people = me.world.people
    if me.dice.chance(0.5):
        return me.dice.choice(people)
    await asyncio.sleep(TALK_SECONDS - me.world.loop.time() % TALK_SECONDS)
    return people[round(me.world.loop.time() / TALK_SECONDS) % len(people)]


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
    team, task = me.memory["team"], await _some_trash(me)
    if task is None:
        return None
    back = await me.json("POST", f"/tasks/api/teams/{team}/trash/{task}/back")
    return f"takes {task[-4:]} back: {back.status}"


@WORLD.does("member", 2)
async def changes_somebodys_role(me: Person) -> str:
    other = await _somebody(me)
    role = me.dice.choice(["admin", "member"])
    user = next((each for each in _users(me.world) if each.email == f"{other.name}@example.com"), None)
    if user is None:
        return f"does not find {other.name}"
    path = f"/tasks/api/teams/{me.memory['team']}/members/{user.user_id}"
    reply = await me.json("PATCH", path, {"role": role})
    return f"makes {other.name} {role}: {reply.status}"


@WORLD.does("member", 1)
async def removes_somebody(me: Person) -> str:
    other = await _somebody(me)
    user = next((each for each in _users(me.world) if each.email == f"{other.name}@example.com"), None)
    if user is None:
        return f"does not find {other.name}"
    reply = await me.json("DELETE", f"/tasks/api/teams/{me.memory['team']}/members/{user.user_id}")
    return f"removes {other.name}: {reply.status}"


@WORLD.does("member", 1.5)
async def invites_somebody(me: Person) -> str:
    other = await _somebody(me)
    body = {"email": f"{other.name}@example.com", "role": "member"}
    reply = await me.json("POST", f"/tasks/api/teams/{me.memory['team']}/invitations", body)
    return f"invites {other.name}: {reply.status}"


@WORLD.does("member", 1.5)
async def follows_an_invitation(me: Person) -> str | None:
    reply = await _accept(me)
    return None if reply is None else f"follows the newest invitation: {reply.status}"


@WORLD.does("member", 1)
async def takes_another_name(me: Person) -> str:
    name = f"{me.name} {me.dice.randint(1, 3)}"
    reply = await me.post("/account/name", {"name": name})
    return f"is now called {name}: {reply.status}"


@WORLD.does("member", 3)
async def makes_a_task_part_of_another(me: Person) -> str | None:
    """Of one of the first few, so that people meet; or of none."""
    found = await _tasks(me)
    if not found:
        return None
    task, parent = me.dice.choice(found), me.dice.choice([None, *found[:4], *found[:4]])
    body = {"parent": parent and parent["id"]}
    reply = await me.json("PATCH", f"/tasks/api/teams/{me.memory['team']}/tasks/{task['id']}", body)
    return f"makes {task['id'][-4:]} part of {(body['parent'] or 'none')[-4:]}: {reply.status}"


@WORLD.does("member", 1)
async def adds_a_subtask(me: Person) -> str | None:
    parent = await _some_task(me)
    if parent is None:
        return None
    body = {"title": f"part {me.dice.randint(1, 999)}", "parent": parent}
    reply = await me.json("POST", f"/tasks/api/teams/{me.memory['team']}/tasks", body)
    return f"adds {body['title']} to {parent[-4:]}: {reply.status}"


@WORLD.does("member", 0.5)
async def deletes_for_good(me: Person) -> str | None:
    team, task = me.memory["team"], await _some_trash(me)
    if task is None:
        return None
    gone = await me.json("DELETE", f"/tasks/api/teams/{team}/trash/{task}")
    return f"deletes {task[-4:]} for good: {gone.status}"


async def _some_trash(me: Person) -> str | None:
    reply = await me.json("GET", f"/tasks/api/teams/{me.memory['team']}/trash")
    found = reply.json()["items"] if reply.status == 200 else []
    return str(me.dice.choice(found)["id"]) if found else None


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
def parents_and_subtasks_agree(world: World) -> None:
    plans = [each for each in world.decoded(TABLE) if isinstance(each, Plan)]
    up = {(each.team_id, each.parent, each.task_id) for each in plans if each.parent}
    down = {(each.team_id, each.task_id, child) for each in plans for child in each.children}
    assert up == down, f"subtasks say {sorted(up - down)}, parents say {sorted(down - up)}"
    both = {parent for _, parent, _ in up} & {child for _, _, child in up}
    assert not both, f"{sorted(both)} are parents and subtasks"


@WORLD.always
def a_team_has_an_admin(world: World) -> None:
    stored = world.decoded(TABLE)
    for team in (each for each in stored if isinstance(each, Team) and not each.closing):
        roles = [each.role.value for each in stored if isinstance(each, TeamUser) and each.team_id == team.team_id]
        assert not roles or "admin" in roles, f"{team.name} has only {roles}"


@WORLD.always
def both_sides_of_a_membership_agree(world: World) -> None:
    stored = world.decoded(TABLE)
    of_teams = {(each.team_id, each.user_id): each.role for each in stored if isinstance(each, TeamUser)}
    of_people = {(each.team_id, each.user_id): each.role for each in stored if isinstance(each, UserTeam)}
    assert of_teams == of_people, f"{len(of_teams)} in teams, {len(of_people)} with people, or other roles"
    admins = Counter(team for (team, _), role in of_teams.items() if role.value == "admin")
    for team in (each for each in stored if isinstance(each, Team) and not each.closing):
        assert team.admins == admins[team.team_id], f"{team.admins} admins are said, {admins[team.team_id]} are there"


WORLD.finally_(promises.everything_ends)
WORLD.finally_(promises.nothing_is_given_up)


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
    for kind in (Comment, Plan):
        left = [each for each in stored if isinstance(each, kind) and (each.team_id, each.task_id) not in there]
        assert left == [], f"{len(left)} of {kind.__name__} of tasks that are gone"


@WORLD.finally_
def names_have_arrived_in_the_team(world: World) -> None:
    stored = world.decoded(TABLE)
    names = {each.user_id: each.name for each in stored if isinstance(each, User)}
    for membership in (each for each in stored if isinstance(each, TeamUser)):
        known = names.get(membership.user_id)
        assert known is None or membership.user_name == known, f"{known} is called {membership.user_name} in the team"
