"""Pictures of one's own that the client shows and shares: the code to be found by, and the card of an answer."""

from __future__ import annotations

from datetime import date

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime.system import Context
from sekkei.web import Pages, require_user
from sekkei_systems.q.refusals import NoSuchAnswer
from sekkei_systems.q.rules import cards
from sekkei_systems.q.service import Service

_HEADERS = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}


def routes(service: Service, context: Context) -> list[BaseRoute]:
    pages = Pages()

    @pages.get("/code.svg", name="code")
    async def code(request: Request) -> Response:
        author = await service.access.author(require_user(request).id)
        drawn = cards.code(f"{context.settings.public_url}/q/#/id/{author.user.app_id}")
        return Response(drawn, media_type="image/svg+xml", headers=_HEADERS)

    @pages.get("/cards/{day}.svg", name="card")
    async def card(request: Request) -> Response:
        who = require_user(request).id
        try:
            day = date.fromisoformat(request.path_params["day"])
        except ValueError:
            raise NoSuchAnswer() from None
        answer, author, question = await service.answers.show(await service.access.member(who), day, who)
        name = author.display_name or author.username or f"@{author.app_id}"
        return Response(cards.card(question, answer, name), media_type="image/svg+xml", headers=_HEADERS)

    return pages.routes
