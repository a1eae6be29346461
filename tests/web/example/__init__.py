"""Notes: pages, a form, a JSON API, a webhook and live updates, each as small as can be."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from sekkei.runtime.refusals import Conflict, Invalid, NotThere
from sekkei.runtime.system import Context, Parts, System
from sekkei.web import (
    Answer,
    Api,
    Form,
    PageOf,
    Pages,
    User,
    body_limit,
    check_if_match,
    flash,
    form,
    live_url,
    page,
    redirect,
    refill,
    require_user,
    sse,
    t,
)
from tests.web.example.design import Note, design, notes, notes_of


class NewNote(Struct):
    text: Annotated[str, Meta(min_length=1, max_length=20)]
    tags: list[str] = []
    stars: Annotated[int, Meta(ge=0, le=5)] | None = None


class NoteOut(Struct):
    id: str
    text: str


class Filter(Struct):
    limit: Annotated[int, Meta(ge=1, le=100)] = 20
    after: str | None = None


class Taken(Conflict):
    """Somebody has written it before."""


def build(ctx: Context) -> Parts:
    pages = Pages()
    api = Api("example", title="Notes", about="An example.")

    async def write(owner: str, text: str) -> Note:
        if text == "taken":
            raise Taken(text=text, field="text")
        if text == "bug":
            raise RuntimeError("a secret detail")
        note = await ctx.db.write(notes.create(Note(owner=owner, id=ctx.clock.uuid(), text=text)))
        ctx.live.publish(f"example/{owner}", "note", {"text": text})
        return note

    async def show_notes(request: Request, user: User, filled: Form, status: int = 200) -> Response:
        address = live_url(request, ctx.live, f"example/{user.id}", "/example/live")
        found = await ctx.db.all(notes_of(user.id))
        return page(request, "example/notes.html", status, notes=found, form=filled, live=address)

    @pages.get("/", name="notes")
    async def show(request: Request) -> Response:
        return await show_notes(request, require_user(request), Form())

    @pages.post("/", name="notes")
    async def create(request: Request) -> Response:
        user = require_user(request)
        try:
            await write(user.id, (await form(request, NewNote)).text)
        except (Invalid, Taken) as wrong:
            return await show_notes(request, user, refill(request, wrong), wrong.status)
        flash(request, t(request, "notes.made"))
        return redirect(request, "example:notes")

    @pages.get("/gallery")
    async def gallery(request: Request) -> Response:
        filled = Form({"title": "", "who": "b", "tags": ["s"], "mail": "on"}, {"title": t(request, "form.required")})
        flash(request, t(request, "notes.made"))
        return page(request, "example/gallery.html", form=filled)

    @pages.get("/live", name="live")
    async def live(request: Request) -> Response:
        return sse(request, ctx.live, f"example/{require_user(request).id}", heartbeat_seconds=0.05)

    @pages.get("/shared/{token}")
    async def shared(request: Request) -> Response:
        if request.path_params["token"].startswith("bug"):
            raise RuntimeError("a secret detail")
        raise NotThere()

    @pages.webhook("/hook")
    async def hook(request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    @pages.post("/upload")
    @body_limit(2_000_000)
    async def upload(request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    @api.get("/notes", summary="All notes")
    async def list_notes(user: User, query: Filter) -> PageOf[NoteOut]:
        found = await ctx.db.page(notes_of(user.id), size=query.limit, after=query.after)
        return PageOf([NoteOut(note.id, note.text) for note in found], found.cursor)

    @api.post("/notes", summary="Write a note", status=201)
    async def create_note(request: Request, user: User, body: NewNote) -> Answer[NoteOut]:
        note = await write(user.id, body.text)
        return Answer(NoteOut(note.id, note.text), etag=note.version)

    @api.delete("/notes/{id}", summary="Throw a note away")
    async def delete_note(request: Request, user: User, id: str) -> None:
        note = await ctx.db.get(notes(user.id, id).consistent())
        if note is None:
            raise NotThere()
        check_if_match(request, note.version)
        await ctx.db.write(notes.delete(user.id, id))

    @api.get("/hello", summary="Say hello")
    async def hello(user: User | None) -> NoteOut:
        return NoteOut("hello", user.name if user else "stranger")

    return Parts(routes=[*pages.routes, *api.routes])


async def demo(ctx: Context, parts: Parts) -> None:
    await ctx.db.write(notes.create(Note(owner="demo-aoi", id="n1", text="牛乳を買う")))


SYSTEM = System(
    name="example",
    title={"ja": "メモ帳", "en": "Notes"},
    about={"ja": "思いついたことを書き留めます。", "en": "Write down what comes to mind."},
    design=design,
    build=build,
    demo=demo,
    pages=[("/", {"ja": "メモ", "en": "Notes"}), ("/docs", {"ja": "API", "en": "API"})],
)

__all__ = ["SYSTEM"]
