"""The phone client: one page, its manifest, its worker for offline times, pictures, and links that invite."""

from __future__ import annotations

from datetime import date
from urllib.parse import quote

import orjson
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime.settings import Settings
from sekkei.web import Events, Html, Pages, Rate, Redirect, Shell, User, limit
from sekkei_systems.q.refusals import NoSuchAnswer
from sekkei_systems.q.rules import pictures
from sekkei_systems.q.service.access import Author, Member
from sekkei_systems.q.service.answers import Answers
from sekkei_systems.q.service.finding import Invites
from sekkei_systems.q.service.people import People
from sekkei_systems.q.texts import say

DAY_SECONDS = 24 * 3600
KEPT_SECONDS = 7 * DAY_SECONDS
"""How long the worker shows what it kept; a session that nobody renews lasts longer."""
MODULES = (
    "app.js",
    "live.js",
    "live-hub.js",
    "q/words.js",
    "q/requests.js",
    "q/parts.js",
    "q/posts.js",
    "q/today.js",
    "q/people.js",
    "q/growth.js",
    "q/me.js",
    "q/questions.js",
    "q/inbox.js",
    "q/push.js",
    "q/settings.js",
    "q/join.js",
)
"""What the page's script imports: fetched beside it rather than one after the other."""
SHELL_FILES = ("app.css", "q/q.css", "q/q.js", *MODULES)
"""What the page is made of; the worker keeps it for times without a network."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types q live"
)
"""Stricter than the shell's: nothing inline at all, and no text becomes markup or script."""
_ICONS = (
    ("icon-192.png", "192x192", "image/png", "any"),
    ("icon-512.png", "512x512", "image/png", "any"),
    ("icon-mask-512.png", "512x512", "image/png", "maskable"),
    ("icon.svg", "any", "image/svg+xml", "any"),
    ("icon-mask.svg", "any", "image/svg+xml", "maskable"),
)
pages = Pages()


@pages.get("/", name="home")
async def home(user: User | None, language: str) -> Html:
    if user is None:
        return Html("q/landing.html", enter="/sign-in?next=/q/", inviter=None, invited=False)
    texts = say.section(language, "client")
    headers = {"Content-Security-Policy": POLICY, "X-Account": user.id}
    return Html("q/app.html", headers=headers, texts=texts, modules=MODULES)


@pages.get("/pictures/{user_id}/{digest}", name="picture")
async def picture(member: Member, people: People, user_id: str, digest: str) -> Response:
    found = await people.picture(member, user_id, digest)
    headers = {"Cache-Control": f"private, max-age={DAY_SECONDS}", "Vary": "Cookie"}  # for this person alone
    return Response(found.content, media_type=found.content_type, headers=headers)


@pages.get("/live", name="live")
async def live(member: Member) -> Events:
    """News of a new question, for members."""
    return Events("q/today")


@pages.get("/manifest.webmanifest", name="manifest")
async def manifest(request: Request, language: str) -> Response:
    shell: Shell = request.app.state.shell
    body = {
        "id": "/q/",
        "name": "Q.",
        "short_name": "Q.",
        "description": say(language, "landing.about"),
        "lang": language,
        "start_url": "/q/",
        "scope": "/q/",
        "display": "standalone",
        "orientation": "portrait-primary",
        "categories": ["social", "lifestyle"],
        "background_color": "#faf7f2",
        "theme_color": "#1b1a22",
        "icons": [
            {"src": shell.static.url(f"q/{name}"), "sizes": sizes, "type": kind, "purpose": purpose}
            for name, sizes, kind, purpose in _ICONS
        ],
        "shortcuts": [
            {"name": say(language, f"client.tab.{place}"), "url": f"/q/#/{place}"} for place in ("people", "me")
        ],
    }
    return Response(orjson.dumps(body), media_type="application/manifest+json")


@pages.get("/sw.js", name="worker")
async def worker(request: Request) -> Response:
    """Below /q/, so that it may look after all of it."""
    shell: Shell = request.app.state.shell
    files = [shell.static.url(name) for name in SHELL_FILES]
    script = shell.templates.get_template("q/sw.js").render(
        version=shell.static.version,
        files=files,
        kept_seconds=KEPT_SECONDS,
        icon=shell.static.url("q/icon-192.png"),
    )
    return Response(script, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


# Where a link that invites leads: to Q. for those who are signed in, and for others to what Q. is and who invites.


_OPENED = Rate.per_minute(30)


@pages.get("/i/{token}", name="invite")
async def invite(request: Request, user: User | None, invites: Invites, token: str) -> Html | Redirect:
    limit(request, _OPENED, "q-invite-page")
    inside = f"/q/#/invite/{quote(token, safe='')}"
    if user is not None:
        return Redirect(inside)
    inviter = await invites.inviter(token)
    enter = f"/sign-in?next={quote(inside if inviter else '/q/', safe='')}"
    return Html("q/landing.html", enter=enter, inviter=inviter, invited=True)


# Pictures of one's own that the client shows and shares: the code to be found by, and the card of an answer.


_HEADERS = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}


@pages.get("/code.svg", name="code")
async def code(author: Author, settings: Settings) -> Response:
    drawn = pictures.code(f"{settings.public_url}/q/#/id/{author.user.app_id}")
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
    drawn = pictures.card(question, answer, name, language, link)
    return Response(drawn, media_type="image/svg+xml", headers=_HEADERS)
