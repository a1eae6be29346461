"""What belongs to one person: their work and their notes."""

from __future__ import annotations

from sekkei.web import Api, PageOf, User
from sekkei_systems.tasks.api.shapes import (
    NoteOut,
    NoteQuery,
    TaskOut,
    task_out,
)
from sekkei_systems.tasks.design import (
    Note,
)
from sekkei_systems.tasks.service import Service


def declare(api: Api, service: Service) -> None:
    def out(note: Note) -> NoteOut:
        return NoteOut(note.kind, note.team_id, note.task_id, note.title, note.by, note.text, note.at, note.read)

    @api.get("/work", summary="What I still have to do, in all teams", tag="people")
    async def my_work(user: User) -> PageOf[TaskOut]:
        return PageOf([task_out(task) for task in await service.people.work(user.id)])

    @api.get("/notes", summary="What I should know, the latest first", tag="people")
    async def my_notes(user: User, query: NoteQuery) -> PageOf[NoteOut]:
        found = await service.notes.page(user.id, query.after)
        return PageOf([out(note) for note in found], found.cursor)

    @api.post("/notes/read", summary="I have read them all", tag="people")
    async def read_notes(user: User) -> None:
        await service.notes.read_all(user.id)
