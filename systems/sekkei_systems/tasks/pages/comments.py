"""What is said about a task."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from sekkei.clock import Clock
from sekkei.kit.typed import Text
from sekkei.runtime.refusals import Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems import days
from sekkei_systems.tasks.pages.view import Names
from sekkei_systems.tasks.service import Comments, Member
from sekkei_systems.tasks.service.comments import TEXT_MAX

pages = Pages()


class CommentForm(Struct):
    text: Annotated[str, Text(TEXT_MAX, 1)]


@pages.get("/teams/{team_id}/tasks/{task_id}/comments", name="comments")
async def listed(member: Member, comments: Comments, task_id: str, clock: Clock) -> Html:
    """The comments alone, for a page that is open. Every such page asks after every comment, so the team around it is
    not read: names stand out where somebody was called by them."""
    found = await comments.all(member, task_id)
    called = await comments.called(member, found)
    names = Names(member=member, members=called, tags={}, today=days.today(clock))
    return Html("tasks/_comments.html", view=names, member=member, task_id=task_id, comments=found)


@pages.post("/teams/{team_id}/tasks/{task_id}/comments", name="comment")
async def add(member: Member, comments: Comments, task_id: str, sent: Sent[CommentForm]) -> Redirect:
    back = Redirect("tasks:task", team_id=member.team_id, task_id=task_id)
    try:
        await comments.add(member, task_id, sent.value.text)
    except Invalid as wrong:
        return back.flash(wrong)
    return back


@pages.get("/teams/{team_id}/tasks/{task_id}/comments/{comment_id}", name="edit-comment")
async def edit(member: Member, comments: Comments, task_id: str, comment_id: str) -> Html:
    """For browsers without a script."""
    found = await comments.mine(member, task_id, comment_id)
    return Html("tasks/comment.html", member=member, comment=found, form=Form({"text": found.text}))


@pages.post("/teams/{team_id}/tasks/{task_id}/comments/{comment_id}", name="change-comment")
async def change(
    member: Member, comments: Comments, task_id: str, comment_id: str, sent: Sent[CommentForm]
) -> Html | Redirect:
    try:
        await comments.change(member, task_id, comment_id, sent.value.text)
    except Invalid as wrong:
        found = await comments.mine(member, task_id, comment_id)
        return Html("tasks/comment.html", 422, member=member, comment=found, form=sent.refilled(wrong))
    return Redirect("tasks:task", team_id=member.team_id, task_id=task_id).flash("comment.changed")


@pages.post("/teams/{team_id}/tasks/{task_id}/comments/{comment_id}/delete", name="delete-comment")
async def delete(member: Member, comments: Comments, task_id: str, comment_id: str) -> Redirect:
    await comments.delete(member, task_id, comment_id)
    return Redirect("tasks:task", team_id=member.team_id, task_id=task_id).flash("comment.deleted")
