"""The pages: a list with a form, what the components look like, a live list, a webhook and an upload."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from sekkei.runtime.live import Live
from sekkei.runtime.refusals import Invalid, NotThere
from sekkei.web import Events, Form, Html, Pages, Redirect, Sent, body_limit, live_url, t
from tests.web.example.service import Notebook, Owner, Taken, topic

pages = Pages()


class NewNote(Struct):
    text: Annotated[str, Meta(min_length=1, max_length=20)]
    tags: list[str] = []
    stars: Annotated[int, Meta(ge=0, le=5)] | None = None


@pages.get("/", name="notes")
async def show(request: Request, owner: Owner, notebook: Notebook, live: Live) -> Html:
    return await _notes(request, owner, notebook, live, Form())


@pages.post("/", name="notes")
async def create(
    request: Request, owner: Owner, notebook: Notebook, live: Live, sent: Sent[NewNote]
) -> Html | Redirect:
    try:
        await notebook.write(owner, sent.value.text)
    except (Invalid, Taken) as wrong:
        return await _notes(request, owner, notebook, live, sent.refilled(wrong), wrong.status)
    return Redirect("example:notes").flash("notes.made")


async def _notes(
    request: Request, owner: Owner, notebook: Notebook, live: Live, filled: Form, status: int = 200
) -> Html:
    address = live_url(request, live, topic(owner), "/example/live")
    return Html("example/notes.html", status, notes=await notebook.all(owner), form=filled, live=address)


@pages.get("/gallery")
async def gallery(request: Request) -> Html:
    filled = Form({"title": "", "who": "b", "tags": ["s"], "mail": "on"}, {"title": t(request, "form.required")})
    return Html("example/gallery.html", form=filled).flash("notes.made")


@pages.get("/live", name="live")
async def listen(owner: Owner) -> Events:
    return Events(topic(owner))


@pages.get("/shared/{token}")
async def shared(token: str) -> Response:
    if token.startswith("bug"):
        raise RuntimeError("a secret detail")
    raise NotThere()


@pages.webhook("/hook")
async def hook(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


@pages.post("/upload")
@body_limit(2_000_000)
async def upload(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))
