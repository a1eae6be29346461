"""What people do with tasks beside moving them: many at once and back, places, tags, comments, plans, and files."""

from __future__ import annotations

from typing import Any

from sekkei.worlds import Person
from sekkei_systems.tasks.design import Batch, Comment
from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.pages.files import packed
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.imports import Board, ForeignTask
from tests.worlds.tasks.people import (
    TABLE,
    WORLD,
    api,
    comments,
    moves_a_task,
    some_task,
    somebody,
    tasks_of,
    user_of,
)

COLORS = ("#2563eb", "#dc2626", "#65a30d")
SOURCES = 12
"""So few that files have some in common."""
EVERY = "every day"
"""How the titles of tasks begin that come again."""

STATUSES = [each.value for each in Status]


# Many at once, and back


async def _some_tasks(me: Person) -> list[str]:
    found = [each["id"] for each in await tasks_of(me, 2)]
    return me.dice.sample(found, min(len(found), me.dice.randint(2, 4)))


@WORLD.does("member", 1.5)
async def changes_many(me: Person) -> str | None:
    chosen = await _some_tasks(me)
    if not chosen:
        return None
    change = me.dice.choice([{"status": me.dice.choice(STATUSES)}, {"priority": me.dice.choice(list(Priority)).value}])
    reply = await me.json("POST", api(me, "/bulk"), {"tasks": chosen, "change": change})
    return f"changes many to {next(iter(change.values()))}: {reply.status}"


@WORLD.does("member", 0.7)
async def throws_many_away(me: Person) -> str | None:
    chosen = await _some_tasks(me)
    if not chosen:
        return None
    reply = await me.post(f"/tasks/teams/{me.memory['team']}/bulk", {"tasks": chosen, "action": "delete"})
    return f"throws many away: {reply.status}"


@WORLD.does("member", 1.5)
async def takes_many_back(me: Person) -> str | None:
    """By the button that the page offers with what was done."""
    found = [each for each in me.world.decoded(TABLE) if isinstance(each, Batch) and each.team_id == me.memory["team"]]
    if not found:
        return await changes_many(me)
    reply = await me.json("POST", api(me, f"/batches/{me.dice.choice(found[-4:]).batch_id}/undo"))
    some = reply.status == 200 and reply.json()["changed"] > 0
    return f"takes {'many' if some else 'none of many'} back: {reply.status}"


@WORLD.does("member", 2)
async def undoes_a_change(me: Person) -> str | None:
    """Of a task that was changed; if none was, they change one."""
    found = await tasks_of(me, 1)
    changed = [each["id"] for each in found if each["version"] > 1]
    if not changed:
        return await moves_a_task(me)
    task = me.dice.choice(changed)
    reply = await me.json("GET", api(me, f"/tasks/{task}/activity"))
    lines = reply.json()["items"] if reply.status == 200 else []
    if not lines:
        return None
    line = me.dice.choice(lines[:3])
    undone = await me.json("POST", api(me, f"/tasks/{task}/activity/{line['version']}/undo"))
    return f"undoes a change of {'/'.join(sorted(line['changes']))}: {undone.status}"


@WORLD.does("member", 1.5)
async def places_a_task(me: Person) -> str | None:
    found = await tasks_of(me, 1)
    if not found:
        return None
    task, status = me.dice.choice(found), me.dice.choice(STATUSES)
    column = [each["id"] for each in found if each["status"] == status and each is not task]
    at = me.dice.randint(0, len(column))
    above, below = (column[at - 1] if at else None), (column[at] if at < len(column) else None)
    body = {"status": status, "above": above, "below": below}
    reply = await me.json("POST", api(me, f"/tasks/{task['id']}/place"), body)
    return f"places a task in {status}: {reply.status}"


@WORLD.does("member", 1.5)
async def gives_a_task_to_somebody(me: Person) -> str | None:
    task, user = await some_task(me), user_of(await somebody(me))
    if task is None or user is None:
        return None
    reply = await me.json("PATCH", api(me, f"/tasks/{task}"), {"assignee": user.user_id})
    return f"gives a task to somebody: {reply.status}"


# Comments


def _own_comment(me: Person) -> Comment | None:
    user = user_of(me)
    rows = (each for each in me.world.decoded(TABLE) if isinstance(each, Comment))
    own = [each for each in rows if user and each.author == user.user_id and each.team_id == me.memory["team"]]
    return me.dice.choice(own) if own else None


@WORLD.does("member", 1)
async def changes_a_comment(me: Person) -> str | None:
    """Calling somebody by name."""
    found, other = _own_comment(me), user_of(await somebody(me))
    if found is None:
        return await comments(me)
    path = api(me, f"/tasks/{found.task_id}/comments/{found.comment_id}")
    reply = await me.json("PUT", path, {"text": f"better @{other.name if other else ''}"})
    return f"changes a comment: {reply.status}"


@WORLD.does("member", 1)
async def deletes_a_comment(me: Person) -> str | None:
    found = _own_comment(me)
    if found is None:
        return await comments(me)
    reply = await me.json("DELETE", api(me, f"/tasks/{found.task_id}/comments/{found.comment_id}"))
    return f"deletes a comment: {reply.status}"


# Tags


async def _some_tag(me: Person) -> str | None:
    """A new one, if there is none."""
    reply = await me.json("GET", api(me, "/tags"))
    found = reply.json()["items"] if reply.status == 200 else []
    if found:
        return str(me.dice.choice(found)["id"])
    made = await me.json("POST", api(me, "/tags"), _new_tag(me))
    return str(made.json()["id"]) if made.status == 201 else None


def _new_tag(me: Person) -> dict[str, Any]:
    return {"name": f"tag {me.dice.randint(1, 99)}", "color": me.dice.choice(COLORS)}


@WORLD.does("member", 0.7)
async def adds_a_tag(me: Person) -> str:
    return f"adds a tag: {(await me.json('POST', api(me, '/tags'), _new_tag(me))).status}"


@WORLD.does("member", 1.5)
async def tags_a_task(me: Person) -> str | None:
    task, tag = await some_task(me), await _some_tag(me)
    if task is None or tag is None:
        return None
    reply = await me.json("PATCH", api(me, f"/tasks/{task}"), {"tags": [tag]})
    return f"tags a task: {reply.status}"


@WORLD.does("member", 0.4)
async def changes_a_tag(me: Person) -> str | None:
    tag = await _some_tag(me)
    if tag is None:
        return None
    return f"changes a tag: {(await me.json('PUT', api(me, f'/tags/{tag}'), _new_tag(me))).status}"


@WORLD.does("member", 0.6)
async def deletes_a_tag(me: Person) -> str | None:
    tag = await _some_tag(me)
    if tag is None:
        return None
    return f"deletes a tag: {(await me.json('DELETE', api(me, f'/tags/{tag}'))).status}"


# Plans


@WORLD.does("member", 0.5)
async def has_a_task_come_again(me: Person) -> str:
    """A new one. Whoever finishes it before it has its rule finishes one that does not come again."""
    title = f"{EVERY} {me.asker.name}"
    made = await me.json("POST", api(me, "/tasks"), {"title": title, "end": "2025-11-07"})
    if made.status != 201:
        return f"makes no task that comes again: {made.status}"
    task = made.json()["id"]
    reply = await me.json("PUT", api(me, f"/tasks/{task}/rule"), {"rule": "daily"})
    then = await me.json("GET", api(me, f"/tasks/{task}"))
    if reply.status == then.status == 200 and then.json()["status"] != Status.DONE.value:
        me.world.given.setdefault("recurring", set()).add(title)
    return f"has a task come again: {reply.status}"


@WORLD.does("member", 1.5)
async def finishes_what_comes_again(me: Person) -> str | None:
    """Or takes up again what was finished, to finish it once more."""
    found = [each for each in await tasks_of(me) if each["title"].startswith(EVERY)]
    if not found:
        return await has_a_task_come_again(me)
    task = me.dice.choice(found)
    status = Status.TODO if task["status"] == Status.DONE.value else Status.DONE
    reply = await me.json("PATCH", api(me, f"/tasks/{task['id']}"), {"status": status.value})
    return f"makes what comes again {status.value}: {reply.status}"


@WORLD.does("member", 0.7)
async def writes_a_checklist(me: Person) -> str | None:
    task = await some_task(me)
    if task is None:
        return None
    reply = await me.json("POST", api(me, f"/tasks/{task}/checks"), {"text": "a part"})
    checks = reply.json()["checks"] if reply.status == 201 else []
    if not checks:
        return f"writes no checklist: {reply.status}"
    path, ticks = api(me, f"/tasks/{task}/checks/{checks[0]['id']}"), me.dice.chance(0.7)
    ticked = await (me.json("PATCH", path, {"done": True}) if ticks else me.json("DELETE", path))
    return f"writes a checklist and {'ticks' if ticks else 'strikes'} its first line: {ticked.status}"


@WORLD.does("member", 1)
async def puts_a_task_before_another(me: Person) -> str | None:
    """Among a few, so that people meet; or not before it any more."""
    found = [each["id"] for each in (await tasks_of(me, 2))[:4]]
    if len(found) < 2:
        return None
    task, by = me.dice.sample(found, 2)
    method = "PUT" if me.dice.chance(0.8) else "DELETE"
    reply = await me.json(method, api(me, f"/tasks/{task}/blockers/{by}"))
    return f"{'puts' if method == 'PUT' else 'no longer puts'} a task before another: {reply.status}"


# Files


@WORLD.does("member", 0.6)
async def takes_a_file_in(me: Person) -> str:
    """The second of two that share a row finds it there."""
    numbers = sorted(me.dice.sample(range(SOURCES), me.dice.randint(2, 4)))
    above = f"trello/{numbers[0]}" if me.dice.chance(0.5) else ""
    rows = [
        ForeignTask(
            f"trello/{n}",
            TaskDraft(f"row {n}"),
            tags=("imported",),
            people=(me.name,),
            parent=above if n != numbers[0] else "",
        )
        for n in numbers
    ]
    form = {"board": packed(Board("trello", "A board", rows))}
    reply = await me.post(f"/tasks/teams/{me.memory['team']}/imports/confirm", form)
    return f"takes a file in: {reply.status}"
