"""For hands that stay on the keyboard: tasks in one line, saved views, and what the palette offers."""

from __future__ import annotations

import asyncio
from functools import partial

from sekkei.runtime.idempotency import Also, Idempotency
from sekkei.web import Answer, Operations, PageOf
from sekkei.web.once import Repeatable, with_effect
from sekkei_systems.tasks.api.shapes import (
    Named,
    NewQuick,
    NewView,
    PaletteOut,
    QuickQuery,
    QuickTask,
    TaskOut,
    UnderstoodOut,
    ViewOut,
    first_out,
)
from sekkei_systems.tasks.design import SavedView, Task
from sekkei_systems.tasks.service import Member, People, Quick, Tags, Tasks, Teams, Views, Visitor

operations = Operations()


def view_out(one: SavedView) -> ViewOut:
    return ViewOut(one.view_id, one.name, one.place, one.query)


@operations.get("/teams/{team_id}/understood", summary="What a line is understood as", tag="quick")
async def understand(member: Member, quick: Quick, query: QuickQuery) -> UnderstoodOut:
    found = await quick.understood(member, query.text)
    tags = sorted(found.tags)
    return UnderstoodOut(found.title, found.start, found.end, found.priority, found.assignee, tags)


@operations.post("/teams/{team_id}/quick", summary="Add a task in one line", status=201, tag="quick")
async def create_quick(
    member: Member, quick: Quick, tasks: Tasks, idempotency: Idempotency, body: NewQuick, headers: Repeatable
) -> Answer[TaskOut]:
    """`report by next fri @Ann #docs !high`, in Japanese or English."""

    async def make(also: Also[Task]) -> Task:
        return await tasks.create_with(member, await quick.draft(member, body.text, body.status), also, parent)

    parent, line = body.parent and await tasks.subtasks.meant(member, body.parent), QuickTask(body.text, body.status)
    asked = ("quick", line, parent) if parent else ("quick", line)
    row = headers.row("tasks", member.team_id, member.user_id)
    made = await with_effect(idempotency, row, asked, make, partial(first_out, parent=parent), TaskOut)
    return Answer(made.answer, etag=made.answer.version, headers=made.headers)


@operations.get("/teams/{team_id}/palette", summary="People, tags, teams and views, by name", tag="quick")
async def palette(
    visitor: Visitor, member: Member, people: People, teams: Teams, tags: Tags, views: Views
) -> PaletteOut:
    members, labels, others, saved = await asyncio.gather(
        teams.members(member), tags.all(member), people.teams(visitor.id), views.all(member)
    )
    return PaletteOut(
        [Named(one.user_id, one.user_name) for one in members],
        [Named(one.tag_id, one.name) for one in labels],
        [Named(one.team_id, one.team_name) for one in others if one.team_id != member.team_id],
        [view_out(one) for one in saved],
    )


@operations.get("/teams/{team_id}/views", summary="My saved views", tag="quick")
async def list_views(member: Member, views: Views) -> PageOf[ViewOut]:
    return PageOf([view_out(one) for one in await views.all(member)])


@operations.post("/teams/{team_id}/views", summary="Save a view", status=201, tag="quick")
async def save_view(member: Member, views: Views, body: NewView) -> ViewOut:
    return view_out(await views.save(member, body.name, body.place, body.query))


@operations.delete("/teams/{team_id}/views/{view_id}", summary="Delete a saved view", tag="quick")
async def delete_view(member: Member, views: Views, view_id: str) -> None:
    await views.delete(member, view_id)
