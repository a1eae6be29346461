"""The same notes for programs."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request

from sekkei.web import Answer, Api, PageOf, User, check_if_match
from tests.web.example.pages import NewNote
from tests.web.example.service import Notebook, Owner

api = Api("example", title="Notes", about="An example.")


class NoteOut(Struct):
    id: str
    text: str


class Filter(Struct):
    limit: Annotated[int, Meta(ge=1, le=100)] = 20
    after: str | None = None


@api.get("/notes", summary="All notes")
async def list_notes(owner: Owner, notebook: Notebook, query: Filter) -> PageOf[NoteOut]:
    found = await notebook.page(owner, query.limit, query.after)
    return PageOf([NoteOut(note.id, note.text) for note in found], found.cursor)


@api.post("/notes", summary="Write a note", status=201)
async def create_note(owner: Owner, notebook: Notebook, body: NewNote) -> Answer[NoteOut]:
    note = await notebook.write(owner, body.text)
    return Answer(NoteOut(note.id, note.text), etag=note.version)


@api.delete("/notes/{id}", summary="Throw a note away")
async def delete_note(request: Request, owner: Owner, notebook: Notebook, id: str) -> None:
    check_if_match(request, (await notebook.get(owner, id)).version)
    await notebook.delete(owner, id)


@api.get("/hello", summary="Say hello")
async def hello(user: User | None) -> NoteOut:
    return NoteOut("hello", user.name if user else "stranger")
