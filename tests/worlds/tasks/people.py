"""Who lives in the world of tasks: four people on one board, through two processes that die now and then."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

from sekkei.web.testing import Reply
from sekkei.worlds import Person, Script
from sekkei_systems.tasks.design import TeamUser, User
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.system import SYSTEM

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
    seconds=27.0,
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
        me.memory["team"] = me.memory["first"] = made.json()["id"]
        return
    team = me.memory["team"] = first.memory["team"]
    body = {"email": f"{me.name}@example.com", "role": "member" if me.name.endswith("4") else "admin"}
    await first.json("POST", f"/tasks/api/teams/{team}/invitations", body)
    for _ in range(MAIL_SECONDS):
        if invitation(me) is not None:
            break
        await asyncio.sleep(1)
    reply = await accept(me)
    assert reply is not None, f"no invitation reached {me.name}"
    assert reply.status == 200, reply.text


def invitations(me: Person) -> Iterator[tuple[str, str, str]]:
    """That came by mail, the newest first: the team, the invitation, the token."""
    for mail in reversed(me.world.outside["mail"].received):
        found = LINK.search(str(mail.body)) if mail.to == f"{me.name}@example.com" else None
        if found is not None:
            yield found[1], found[2], found[3]


def invitation(me: Person) -> tuple[str, str, str] | None:
    """The newest."""
    return next(invitations(me), None)


async def accept(me: Person) -> Reply | None:
    found = invitation(me)
    if found is None:
        return None
    team_id, invite_id, token = found
    reply = await me.json("POST", f"/tasks/api/invitations/{team_id}/{invite_id}/accept", {"token": token})
    if reply.status == 200:
        me.memory["team"] = team_id
    return reply


async def tasks_of(me: Person, least: int = 0) -> list[dict[str, Any]]:
    """What is on the board; as many as somebody needs, with new ones."""
    reply = await me.json("GET", api(me, "/tasks"))
    if reply.status != 200:
        return []
    found: list[dict[str, Any]] = reply.json()["items"]
    while len(found) < least:
        made = await me.json("POST", api(me, "/tasks"), _new_task(me))
        if made.status != 201:
            break
        found.append(made.json())
    return found


def _new_task(me: Person) -> dict[str, Any]:
    return {"title": f"task {me.dice.randint(1, 999)}", "status": me.dice.choice([each.value for each in Status])}


async def some_task(me: Person) -> str | None:
    found = await tasks_of(me, 1)
    return me.dice.choice(found)["id"] if found else None


async def somebody(me: Person) -> Person:
    """Anybody; or, as often, the one whom everybody has come to talk about, at the same moment as the others."""
    people = me.world.people
    if me.dice.chance(0.5):
        return me.dice.choice(people)
    await asyncio.sleep(TALK_SECONDS - me.world.loop.time() % TALK_SECONDS)
    return people[round(me.world.loop.time() / TALK_SECONDS) % len(people)]


@WORLD.does("member", 3)
async def adds_a_task(me: Person) -> str:
    body = _new_task(me)
    reply = await me.json("POST", api(me, "/tasks"), body)
    return f"adds {body['title']} as {body['status']}: {reply.status}"


@WORLD.does("member", 6)
async def moves_a_task(me: Person) -> str | None:
    task = await some_task(me)
    if task is None:
        return None
    status = me.dice.choice([each.value for each in Status])
    reply = await me.json("PATCH", api(me, f"/tasks/{task}"), {"status": status})
    return f"moves {task[-4:]} to {status}: {reply.status}"


@WORLD.does("member", 3)
async def comments(me: Person) -> str | None:
    task = await some_task(me)
    if task is None:
        return None
    path = f"/tasks/api/teams/{me.memory['team']}/tasks/{task}/comments"
    reply = await me.json("POST", path, {"text": f"note {me.dice.randint(1, 99)}"})
    return f"comments on {task[-4:]}: {reply.status}"


@WORLD.does("member", 1)
async def throws_a_task_away(me: Person) -> str | None:
    task = await some_task(me)
    if task is None:
        return None
    reply = await me.json("DELETE", api(me, f"/tasks/{task}"))
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
    other = await somebody(me)
    role = me.dice.choice(["admin", "member"])
    user = user_of(other)
    if user is None:
        return f"does not find {other.name}"
    path = f"/tasks/api/teams/{me.memory['team']}/members/{user.user_id}"
    reply = await me.json("PATCH", path, {"role": role})
    return f"makes {other.name} {role}: {reply.status}"


@WORLD.does("member", 1)
async def removes_somebody(me: Person) -> str:
    other = await somebody(me)
    user = user_of(other)
    if user is None:
        return f"does not find {other.name}"
    reply = await me.json("DELETE", f"/tasks/api/teams/{me.memory['team']}/members/{user.user_id}")
    return f"removes {other.name}: {reply.status}"


@WORLD.does("member", 1)
async def invites_somebody(me: Person) -> str:
    other = await somebody(me)
    outside = outsiders(me)
    if outside and other not in outside:
        other = me.dice.choice(outside)
    body = {"email": f"{other.name}@example.com", "role": "member"}
    reply = await me.json("POST", api(me, "/invitations"), body)
    return f"invites {other.name}: {reply.status}"


@WORLD.does("member", 1)
async def takes_another_name(me: Person) -> str:
    name = f"{me.name} {me.dice.randint(1, 3)}"
    reply = await me.post("/account/name", {"name": name})
    return f"is now called {name}: {reply.status}"


@WORLD.does("member", 3)
async def makes_a_task_part_of_another(me: Person) -> str | None:
    """Of one of the first few, so that people meet; or of none."""
    found = await tasks_of(me, 2)
    if not found:
        return None
    task, parent = me.dice.choice(found), me.dice.choice([None, *found[:4], *found[:4]])
    body = {"parent": parent and parent["id"]}
    reply = await me.json("PATCH", f"/tasks/api/teams/{me.memory['team']}/tasks/{task['id']}", body)
    return f"makes {task['id'][-4:]} part of {(body['parent'] or 'none')[-4:]}: {reply.status}"


@WORLD.does("member", 1)
async def adds_a_subtask(me: Person) -> str | None:
    parent = await some_task(me)
    if parent is None:
        return None
    body = {"title": f"part {me.dice.randint(1, 999)}", "parent": parent}
    reply = await me.json("POST", api(me, "/tasks"), body)
    return f"adds {body['title']} to {parent[-4:]}: {reply.status}"


@WORLD.does("member", 0.5)
async def deletes_for_good(me: Person) -> str | None:
    team, task = me.memory["team"], await _some_trash(me)
    if task is None:
        return None
    gone = await me.json("DELETE", f"/tasks/api/teams/{team}/trash/{task}")
    return f"deletes {task[-4:]} for good: {gone.status}"


async def _some_trash(me: Person) -> str | None:
    """Thrown away now, if there is none."""
    reply = await me.json("GET", f"/tasks/api/teams/{me.memory['team']}/trash")
    found = [str(each["id"]) for each in reply.json()["items"]] if reply.status == 200 else []
    if found:
        return me.dice.choice(found)
    task = await some_task(me)
    gone = await me.json("DELETE", api(me, f"/tasks/{task}")) if task else None
    return task if gone is not None and gone.status == 204 else None


def user_of(person: Person) -> User | None:
    """As the system knows them now; whoever left with their account and came back is another."""
    found = (each for each in person.world.decoded(TABLE) if isinstance(each, User))
    return next((each for each in found if each.email == f"{person.name}@example.com"), None)


def outsiders(me: Person) -> list[Person]:
    """Those who are not in the team that somebody is about."""
    rows = me.world.decoded(TABLE)
    inside = {each.user_id for each in rows if isinstance(each, TeamUser) and each.team_id == me.memory["team"]}
    emails = {each.email for each in rows if isinstance(each, User) and each.user_id in inside}
    return [each for each in me.world.people if f"{each.name}@example.com" not in emails]


def api(me: Person, path: str = "") -> str:
    """Of the team that they are about."""
    return f"/tasks/api/teams/{me.memory['team']}{path}"
