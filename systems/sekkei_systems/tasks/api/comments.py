"""What is said about a task."""

from __future__ import annotations

from collections.abc import Awaitable

from sekkei.runtime.idempotency import Also, Idempotency
from sekkei.web import Answer, Operations, PageOf
from sekkei.web.once import Repeatable, with_effect
from sekkei_systems.tasks.api.shapes import CommentOut, CountQuery, NewComment
from sekkei_systems.tasks.design import Comment
from sekkei_systems.tasks.service import Comments, Member, Tasks

operations = Operations()
ALL = "/teams/{team_id}/tasks/{task_id}/comments"
ONE = f"{ALL}/{{comment_id}}"


def out(one: Comment) -> CommentOut:
    return CommentOut(one.comment_id, one.author, one.author_name, one.text, one.created_at, one.edited_at)


@operations.get(ALL, summary="Comments, the oldest first", tag="comments")
async def list_comments(member: Member, comments: Comments, task_id: str) -> PageOf[CommentOut]:
    return PageOf([out(comment) for comment in await comments.all(member, task_id)])


@operations.get("/teams/{team_id}/comments", summary="How many comments some tasks have", tag="comments")
async def count_comments(member: Member, tasks: Tasks, query: CountQuery) -> dict[str, int]:
    """For boards and lists: the counts are items of their own, so that a comment does not rewrite its task in all its
    indexes."""
    return await tasks.comment_counts(member, query.task)


@operations.post(ALL, summary="Comment on a task", status=201, tag="comments")
async def add_comment(
    member: Member, comments: Comments, idempotency: Idempotency, task_id: str, body: NewComment, headers: Repeatable
) -> Answer[CommentOut]:
    def make(also: Also[Comment]) -> Awaitable[Comment]:
        return comments.add(member, task_id, body.text, also)

    row = headers.row("tasks", member.team_id, member.user_id)
    made = await with_effect(idempotency, row, ("comment", task_id, body), make, out, CommentOut)
    return Answer(made.answer, headers=made.headers)


@operations.put(ONE, summary="Edit one's own comment", tag="comments")
async def change_comment(
    member: Member, comments: Comments, task_id: str, comment_id: str, body: NewComment
) -> CommentOut:
    return out(await comments.change(member, task_id, comment_id, body.text))


@operations.delete(ONE, summary="Delete one's own comment", tag="comments")
async def delete_comment(member: Member, comments: Comments, task_id: str, comment_id: str) -> None:
    await comments.delete(member, task_id, comment_id)
