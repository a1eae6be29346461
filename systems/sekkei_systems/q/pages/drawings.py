"""Pictures of one's own that the client shows and shares: the code to be found by, and the card of an answer."""

from __future__ import annotations

from datetime import date

from starlette.responses import Response

from sekkei.runtime.settings import Settings
from sekkei.web import Pages
from sekkei_systems.q.refusals import NoSuchAnswer
from sekkei_systems.q.rules import cards
from sekkei_systems.q.service.access import Author, Member
from sekkei_systems.q.service.answers import Answers

_HEADERS = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}
pages = Pages()


@pages.get("/code.svg", name="code")
async def code(author: Author, settings: Settings) -> Response:
    drawn = cards.code(f"{settings.public_url}/q/#/id/{author.user.app_id}")
    return Response(drawn, media_type="image/svg+xml", headers=_HEADERS)


@pages.get("/cards/{day}.svg", name="card")
async def card(member: Member, answers: Answers, settings: Settings, language: str, day: str) -> Response:
    try:
        asked = date.fromisoformat(day)
    except ValueError:
        raise NoSuchAnswer() from None
    answer, author, question = await answers.show(member, asked, member.id)
    name = author.display_name or author.username or f"@{author.app_id}"
    link = f"{settings.public_url.partition('://')[2]}/q/" + (f"#/id/{author.app_id}" if author.app_id else "")
    drawn = cards.card(question, answer, name, language, link)
    return Response(drawn, media_type="image/svg+xml", headers=_HEADERS)
