"""What can be done with notes, once it is proven whose they are."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.design import Database, Page
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
