"""What somebody should know: that they were called, that their task was talked about, that a task is theirs now."""

from __future__ import annotations

from sekkei.design import ConditionFailed, Database, Page
from sekkei_systems.tasks.design import Note, notes, notes_of

PAGE_SIZE = 50
UNREAD_SHOWN_MAX = 99


class Notes:
    """Everybody sees their own, and only those."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def page(self, who: str, after: str | None = None) -> Page[Note]:
        return await self._db.page(notes_of(who).consistent(), size=PAGE_SIZE, after=after)

    async def unread(self, who: str) -> int:
        """How many, up to what is worth counting."""
        return len(await self._db.page(notes_of(who).filter(Note.read.is_(False)).consistent(), size=UNREAD_SHOWN_MAX))

    async def read_all(self, who: str) -> None:
        for note in await self._db.all(notes_of(who).filter(Note.read.is_(False)).consistent()):
            try:
                await self._db.write(notes.update(who, note.at, note.note_id).set(Note.read, True))
            except ConditionFailed:
                continue  # its time was over just then
