"""What the stream of the main table tells people: who changed what of a task, and what somebody should know."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from enum import Enum
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Put
from sekkei.runtime import days
from sekkei_systems.tasks.design import (
    Activity,
    Comment,
    Note,
    NoteKind,
    Task,
    activities,
    notes,
    one_task,
    users,
)

TOLD = ("title", "description", "status", "start", "end", "tags", "assignee", "priority")
ACTIVITY_LIFE = timedelta(days=400)
NOTE_LIFE = timedelta(days=90)
VALUE_MAX = 200


class History:
    """Every row has a key made from its cause, so a record that is delivered again writes nothing new."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db, self._clock = db, clock

    async def changed(self, old: Task | None, new: Task) -> None:
        at = new.updated_at or days.now_jst(self._clock)
        told = differences(old, new) if old is not None else {}
        if told:
            await self._once(
                activities.create(
                    Activity(
                        team_id=new.team_id,
                        task_id=new.task_id,
                        version=new.version,
                        who=new.updated_by,
                        who_name=await self._name(new.updated_by),
                        at=at,
                        changes=told,
                        expires=days.now(self._clock) + ACTIVITY_LIFE,
                    )
                )
            )
        theirs_now = new.assignee is not None and (old is None or old.assignee != new.assignee)
        if theirs_now and new.assignee and new.assignee != new.updated_by:
            by = await self._name(new.updated_by)
            await self._tell(new.assignee, NoteKind.ASSIGNED, new, by, at, f"{new.task_id}-{new.version}")

    async def said(self, comment: Comment) -> None:
        task = await self._db.get(one_task(comment.team_id, comment.task_id))
        if task is None:
            return
        for user_id in sorted(comment.mentions - {comment.author}):
            await self._tell_of(comment, user_id, NoteKind.MENTION, task)
        if task.assignee and task.assignee != comment.author and task.assignee not in comment.mentions:
            await self._tell_of(comment, task.assignee, NoteKind.COMMENT, task)

    async def _tell_of(self, comment: Comment, user_id: str, kind: NoteKind, task: Task) -> None:
        name, at = comment.author_name, comment.created_at
        await self._tell(user_id, kind, task, name, at, comment.comment_id, comment.text)

    async def _tell(
        self, user_id: str, kind: NoteKind, task: Task, by: str, at: datetime, id: str, text: str = ""
    ) -> None:
        made = Note(
            user_id=user_id,
            at=at,
            note_id=id,
            kind=kind,
            team_id=task.team_id,
            task_id=task.task_id,
            title=task.title,
            by=by,
            text=text[:VALUE_MAX],
            expires=at + NOTE_LIFE,
        )
        await self._once(notes.create(made))

    async def _name(self, user_id: str) -> str:
        found = await self._db.get(users(user_id)) if user_id else None
        return found.name if found else ""

    async def _once(self, put: Put[Any]) -> None:
        try:
            await self._db.write(put)
        except ConditionFailed:
            pass  # the record came before


def differences(old: Task, new: Task) -> dict[str, list[str]]:
    """Before and after of what people can see; of a description only that it is another one."""
    pairs = {name: (getattr(old, name), getattr(new, name)) for name in TOLD}
    found = {name: [_text(before), _text(after)] for name, (before, after) in pairs.items() if before != after}
    if "description" in found:
        found["description"] = ["", ""]
    return found


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, frozenset):
        return " ".join(sorted(value))
    return str(value)[:VALUE_MAX]
