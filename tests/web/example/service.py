"""What can be done with notes, once it is proven whose they are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.design import Database, Page
from sekkei.runtime.data_subjects import Exported, Obstacle, Person, Personal, as_data
from sekkei.runtime.jobs import Payload, Progress
from sekkei.runtime.live import Live
from sekkei.runtime.refusals import Conflict, NotThere
from sekkei.web import User
from tests.web.example.design import Note, notes, notes_of


class Taken(Conflict):
    """Somebody has written it before."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Proof of whose notebook this is."""

    id: str


async def owner_of(user: User) -> Owner:
    return Owner(user.id)


def topic(owner: Owner) -> str:
    return f"example/{owner.id}"


class Notebook:
    def __init__(self, db: Database, clock: Clock, live: Live) -> None:
        self._db, self._clock, self._live = db, clock, live

    async def all(self, owner: Owner) -> list[Note]:
        return await self._db.all(notes_of(owner.id))

    async def page(self, owner: Owner, size: int, after: str | None) -> Page[Note]:
        return await self._db.page(notes_of(owner.id), size=size, after=after)

    async def get(self, owner: Owner, id: str) -> Note:
        note = await self._db.get(notes(owner.id, id).consistent())
        if note is None:
            raise NotThere()
        return note

    async def write(self, owner: Owner, text: str) -> Note:
        if text == "taken":
            raise Taken(text=text, field="text")
        if text == "bug":
            raise RuntimeError("a secret detail")
        note = await self._db.write(notes.create(Note(owner=owner.id, id=self._clock.uuid(), text=text)))
        self._live.publish(topic(owner), "note", {"text": text})
        return note

    async def delete(self, owner: Owner, id: str) -> None:
        await self._db.write(notes.delete(owner.id, id))

    # For those who take their notes along, or leave

    def personal(self) -> Personal:
        about = {"ja": "メモはすべて消えます。", "en": "All your notes are deleted."}
        return Personal(about, self._export, [("notes", self._leave)], self._obstacles)

    async def _export(self, person: Person) -> AsyncIterator[Exported]:
        yield "notes.json", [as_data(note) for note in await self.all(Owner(person.user_id))]
        yield "cover.txt", b"a file as it is"

    async def _leave(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self._db.page(notes_of(payload["user_id"]).consistent(), size=2)
        await self._db.write_many(notes.delete(note.owner, note.id) for note in page)
        return Progress(len(page), "more" if len(page) else None)

    async def _obstacles(self, person: Person) -> Sequence[Obstacle]:
        held = [note for note in await self.all(Owner(person.user_id)) if note.text == "hold me"]
        return [Obstacle({"ja": "「hold me」を消してください。", "en": "Delete “hold me”."}, "/")] if held else []
