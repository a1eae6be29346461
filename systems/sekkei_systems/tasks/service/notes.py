"""What somebody should know: that they were called, that their task was talked about, that a task is theirs now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Page, TransactionFailed, replace
from sekkei.runtime.sweeping import NOBODY
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    Comment,
    Note,
    NoteKind,
    Talk,
    Task,
    comments,
    comments_on,
    notes,
    notes_of,
    one_task,
    talks,
    team_users,
    users,
)
from sekkei_systems.tasks.rules.writes import still_open

PAGE_SIZE = 50
_UNREAD_SHOWN_MAX = 99


@dataclass
class Notes:
    """Everybody sees their own, and only those."""

    db: Database

    async def page(self, who: str, after: str | None = None) -> Page[Note]:
        """The latest first, with everybody called as they are called in the team now."""
        found = await self.db.page(notes_of(who).consistent(), size=PAGE_SIZE, after=after)
        causes = sorted({(note.team_id, note.by_id) for note in found if note.by_id})
        members = await self.db.get_many([team_users(*ids) for ids in causes])
        names: dict[tuple[str, str | None], str] = {
            (one.team_id, one.user_id): one.user_name for one in members if one is not None
        }
        named = [replace(note, by=names.get((note.team_id, note.by_id), note.by)) for note in found]
        return Page(named, found.cursor)

    async def unread(self, who: str) -> int:
        """How many, up to what is worth counting."""
        return len(
            await self.db.first_items(notes_of(who).filter(Note.read.is_(False)).consistent(), _UNREAD_SHOWN_MAX)
        )

    async def read_all(self, who: str) -> None:
        for note in await self.db.all(notes_of(who).filter(Note.read.is_(False)).consistent()):
            try:
                await self.db.write(notes.update(who, note.at, note.note_id).set(Note.read, True))
            except ConditionFailed:
                continue  # its time was over just then


# What the stream of the main table tells people: that a task is theirs now, that somebody speaks to them.


NOTE_LIFE = timedelta(days=90)
TEXT_MAX = 200


@dataclass
class Herald:
    """Every row has a key made from its cause, so a record that is delivered again writes nothing new."""

    db: Database
    clock: Clock

    async def tell_of_task(self, old: Task | None, new: Task) -> None:
        """Whoever is given a task is told, unless it came with many others out of a file."""
        came_in = old is None and new.import_id is not None
        theirs_now = new.assignee is not None and not came_in and (old is None or old.assignee != new.assignee)
        if theirs_now and new.assignee and new.assignee != new.updated_by and not new.deleted_at:
            at = new.updated_at or days.now_jst(self.clock)
            by = new.updated_by, await self._name(new.updated_by)
            await self._tell(new.assignee, NoteKind.ASSIGNED, new, by, at, f"{new.task_id}-{new.version}")

    async def tell_of_comment(self, comment: Comment) -> None:
        """What was said of a task that went in that moment goes too: nobody else would come for it."""
        task = await self.db.get(one_task(comment.team_id, comment.task_id))
        if task is None:
            await self.db.write(comments.delete(comment.team_id, comment.task_id, comment.comment_id))
        if task is None or task.deleted_at is not None:
            return
        for user_id in sorted(comment.mentions - {comment.author}):
            await self._tell_of(comment, user_id, NoteKind.MENTION, task)
        if task.assignee and task.assignee != comment.author and task.assignee not in comment.mentions:
            await self._tell_of(comment, task.assignee, NoteKind.COMMENT, task)

    async def count_comments(self, team_id: str, task_id: str) -> None:
        """How many comments a task has now. Counted anew each time, so a record that comes again changes nothing."""
        count = await self.db.count(comments_on(team_id, task_id).consistent())
        try:
            await self.db.write(talks.update(team_id, task_id).set(Talk.comments, count))
        except ConditionFailed:
            return  # the task is gone

    async def _tell_of(self, comment: Comment, user_id: str, kind: NoteKind, task: Task) -> None:
        by, at = (comment.author, comment.author_name), comment.created_at
        await self._tell(user_id, kind, task, by, at, comment.comment_id, comment.text)

    async def _tell(
        self, user_id: str, kind: NoteKind, task: Task, by: tuple[str, str], at: datetime, id: str, text: str = ""
    ) -> None:
        by_id, name = by
        made = Note(
            user_id=user_id,
            at=at,
            note_id=id,
            kind=kind,
            team_id=task.team_id,
            task_id=task.task_id,
            title=task.title,
            by=name,
            by_id=by_id or None,
            text=text[:TEXT_MAX],
            expires=at + NOTE_LIFE,
        )
        await self._write(made)

    async def _name(self, user_id: str) -> str:
        found = await self.db.get(users(user_id)) if user_id else None
        return found.name if found else ""

    async def _write(self, note: Note) -> None:
        """Once, to somebody who is in the team. Whoever caused it and is out of the team is not named: they may be
        leaving altogether, and what names them was looked for already."""
        named = [team_users.must_exist(note.team_id, note.by_id)] if note.by_id else []
        there = team_users.must_exist(note.team_id, note.user_id)
        try:
            await self.db.transact(notes.create(note), there, still_open(note.team_id), *named)
        except TransactionFailed as failed:
            # Otherwise the record came before, or they have left the team since, or it is being deleted.
            if [action for action, _ in failed.reasons] == named:
                await self._write(replace(note, by=NOBODY, by_id=None))
