"""What somebody should know: that they were called, that their task was talked about, that a task is theirs now."""

from __future__ import annotations

from sekkei.design import ConditionFailed, Database, Page, replace
from sekkei_systems.tasks.design import Note, notes, notes_of, team_users

PAGE_SIZE = 50
UNREAD_SHOWN_MAX = 99


class Notes:
    """Everybody sees their own, and only those."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def page(self, who: str, after: str | None = None) -> Page[Note]:
        """The latest first, with everybody called as they are called in the team now."""
        found = await self._db.page(notes_of(who).consistent(), size=PAGE_SIZE, after=after)
        causes = sorted({(note.team_id, note.by_id) for note in found if note.by_id})
        members = await self._db.get_many([team_users(*ids) for ids in causes])
        names: dict[tuple[str, str | None], str] = {
            (one.team_id, one.user_id): one.user_name for one in members if one is not None
        }
        named = [replace(note, by=names.get((note.team_id, note.by_id), note.by)) for note in found]
        return Page(named, found.cursor)

    async def unread(self, who: str) -> int:
        """How many, up to what is worth counting."""
        return len(await self._db.page(notes_of(who).filter(Note.read.is_(False)).consistent(), size=UNREAD_SHOWN_MAX))

    async def read_all(self, who: str) -> None:
        for note in await self._db.all(notes_of(who).filter(Note.read.is_(False)).consistent()):
            try:
                await self._db.write(notes.update(who, note.at, note.note_id).set(Note.read, True))
            except ConditionFailed:
                continue  # its time was over just then
