"""What belongs to one person: their work and their notes."""

from __future__ import annotations

from sekkei.web import Operations, PageOf
from sekkei_systems.tasks.api.shapes import NoteOut, NoteQuery, TaskOut
from sekkei_systems.tasks.api.tasks import outs
from sekkei_systems.tasks.service import Notes, People, Plans, Visitor

operations = Operations()


@operations.get("/work", summary="What I still have to do, in all teams; without descriptions", tag="people")
async def my_work(visitor: Visitor, people: People, plans: Plans) -> PageOf[TaskOut]:
    return PageOf(await outs(plans, await people.work(visitor.id)))


@operations.get("/notes", summary="What I should know, the latest first", tag="people")
async def my_notes(visitor: Visitor, notes: Notes, query: NoteQuery) -> PageOf[NoteOut]:
    found = await notes.page(visitor.id, query.after)
    return PageOf([NoteOut.of(note) for note in found], found.cursor)


@operations.post("/notes/read", summary="I have read them all", tag="people")
async def read_notes(visitor: Visitor, notes: Notes) -> None:
    await notes.read_all(visitor.id)
