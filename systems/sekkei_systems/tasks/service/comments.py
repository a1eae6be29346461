"""Comments: said, edited and deleted by their author. They do not change the task, so they are in no edit's way; the
stream counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, First
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.refusals import Refusal
from sekkei_systems import days
from sekkei_systems.tasks.design import Comment, TeamUser, comments, comments_on, members_of, one_task, team_users
from sekkei_systems.tasks.refusals import BadText, NoSuchComment, NoSuchTask, NotYourComment
from sekkei_systems.tasks.rules.drafts import text_of
from sekkei_systems.tasks.rules.markdown import mentioned
from sekkei_systems.tasks.service.access import Member

TEXT_MAX = 4_000
SHOWN_MAX = 500


@dataclass
class Comments:
    db: Database
    clock: Clock

    async def all(self, member: Member, task_id: str) -> First[Comment]:
        """The oldest first."""
        return await self.db.first_items(comments_on(member.team_id, task_id).consistent(), SHOWN_MAX)

    async def called(self, member: Member, found: Iterable[Comment]) -> dict[str, TeamUser]:
        """Those whom some comments call by @name and who are still in the team."""
        ids = sorted(frozenset[str]().union(*(one.mentions for one in found)))
        people = await self.db.get_many([team_users(member.team_id, id) for id in ids]) if ids else []
        return {one.user_id: one for one in people if one is not None}

    async def mine(self, member: Member, task_id: str, comment_id: str) -> Comment:
        """One's own, to be edited."""
        found = await self.db.get(comments(member.team_id, task_id, comment_id).consistent())
        if found is None:
            raise NoSuchComment()
        if found.author != member.user_id:
            raise NotYourComment()
        return found

    async def add(
        self,
        member: Member,
        task_id: str,
        text: str,
        in_same_transaction: Callable[[Comment], list[Action[Any, Any]]] = lambda made: [],
    ) -> Comment:
        """Whoever it calls by @name finds it among their notes."""
        written = _checked(text)
        made = Comment(
            team_id=member.team_id,
            task_id=task_id,
            comment_id=uuid7(self.clock),
            author=member.user_id,
            author_name=member.name,
            text=written,
            mentions=await self._called(member.team_id, written),
            created_at=days.now_jst(self.clock),
        )
        task = await self.db.get(one_task(member.team_id, task_id))
        if task is None or task.deleted_at is not None:
            raise NoSuchTask()
        more = in_same_transaction(made)
        if not more:
            return await self.db.write(comments.create(made).known_by(Comment.comment_id))
        await self.db.transact(comments.create(made), *more)
        return made

    async def change(self, member: Member, task_id: str, comment_id: str, text: str) -> Comment:
        written = _checked(text)
        update = (
            comments.update(member.team_id, task_id, comment_id)
            .set(Comment.text, written)
            .set(Comment.mentions, await self._called(member.team_id, written))
            .set(Comment.edited_at, days.now_jst(self.clock))
            .when(Comment.author == member.user_id)
        )
        try:
            return await self.db.write(update)
        except ConditionFailed as failed:
            raise await self._why_not(member, task_id, comment_id) from failed

    async def delete(self, member: Member, task_id: str, comment_id: str) -> None:
        gone = comments.delete(member.team_id, task_id, comment_id).must_exist()
        try:
            await self.db.write(gone.when(Comment.author == member.user_id))
        except ConditionFailed as failed:
            why = await self._why_not(member, task_id, comment_id)
            if not failed.unsure or not isinstance(why, NoSuchComment):  # else it is gone, as was asked for
                raise why from failed

    async def _why_not(self, member: Member, task_id: str, comment_id: str) -> Refusal:
        found = await self.db.get(comments(member.team_id, task_id, comment_id).consistent())
        return NoSuchComment() if found is None else NotYourComment()

    async def _called(self, team_id: str, text: str) -> frozenset[str]:
        if "@" not in text and "＠" not in text:
            return frozenset()
        found = await self.db.all(members_of(team_id).consistent())
        return mentioned(text, {member.user_id: member.user_name for member in found})


def _checked(text: str) -> str:
    written = text_of(text, TEXT_MAX, "text")
    if not written:
        raise BadText(field="text", most=TEXT_MAX)
    return written
