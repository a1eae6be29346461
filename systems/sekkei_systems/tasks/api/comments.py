"""What is said about a task."""

from __future__ import annotations

from sekkei.web import Api, PageOf, User
from sekkei_systems.tasks.api.shapes import (
    CommentOut,
    NewComment,
)
from sekkei_systems.tasks.design import (
    Comment,
)
from sekkei_systems.tasks.service import Service


def declare(api: Api, service: Service) -> None:
    def out(comment: Comment) -> CommentOut:
        return CommentOut(comment.comment_id, comment.author, comment.author_name, comment.text, comment.created_at)

    @api.get("/teams/{team_id}/tasks/{task_id}/comments", summary="Comments", tag="comments")
    async def list_comments(user: User, team_id: str, task_id: str) -> PageOf[CommentOut]:
        return PageOf([out(comment) for comment in await service.tasks.comments(user.id, team_id, task_id)])

    @api.post("/teams/{team_id}/tasks/{task_id}/comments", summary="Comment on a task", status=201, tag="comments")
    async def add_comment(user: User, team_id: str, task_id: str, body: NewComment) -> CommentOut:
        return out(await service.tasks.comment(user.id, team_id, task_id, body.text))
