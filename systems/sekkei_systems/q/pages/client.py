"""The phone client: one page, its manifest, its worker for offline times, pictures, and news of a new question."""

from __future__ import annotations

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime.system import Context
from sekkei.web import Pages, Shell, language_of, page, pick, require_user, sse
from sekkei_systems.q.service import Service
from sekkei_systems.q.texts import TEXTS

YEAR_SECONDS = 365 * 24 * 3600
MODULES = (
    "app.js",
    "live.js",
    "q/words.js",
    "q/requests.js",
    "q/parts.js",
    "q/posts.js",
    "q/today.js",
    "q/people.js",
    "q/me.js",
    "q/questions.js",
    "q/settings.js",
    "q/join.js",
)
"""What the page's script imports: fetched beside it rather than one after the other."""
SHELL_FILES = ("app.css", "q/q.css", "q/q.js", *MODULES)
"""What the page is made of; the worker keeps it for times without a network."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types q"
)
"""Stricter than the shell's: nothing inline at all, and no text becomes markup or script."""
ICONS = (
    ("icon-192.png", "192x192", "image/png", "any"),
    ("icon-512.png", "512x512", "image/png", "any"),
    ("icon-mask-512.png", "512x512", "image/png", "maskable"),
    ("icon.svg", "any", "image/svg+xml", "any"),
    ("icon-mask.svg", "any", "image/svg+xml", "maskable"),
)
SPOKEN = tuple(key for key in TEXTS if key.startswith(("q.", "category.")))


def routes(service: Service, context: Context) -> list[BaseRoute]:
    pages = Pages()
    _page(pages)
    _installed(pages)

    @pages.get("/pictures/{user_id}/{digest}", name="picture")
    async def picture(request: Request) -> Response:
        viewer = require_user(request).id
        found = await service.people.picture(
            await service.access.member(viewer), request.path_params["user_id"], request.path_params["digest"]
        )
        headers = {"Cache-Control": f"private, max-age={YEAR_SECONDS}, immutable"}
        return Response(found.content, media_type=found.content_type, headers=headers)

    @pages.get("/live", name="live")
    async def live(request: Request) -> Response:
        await service.access.member(require_user(request).id)
        return sse(request, context.live, "q/today")

    return pages.routes


def _page(pages: Pages) -> None:
    @pages.get("/", name="home")
    async def home(request: Request) -> Response:
        if request.state.user is None:
            return page(request, "q/landing.html")
        texts = {key: TEXTS[key][language_of(request)] for key in SPOKEN}
        headers = {"Content-Security-Policy": POLICY}
        return page(request, "q/app.html", headers=headers, texts=texts, modules=MODULES)


def _installed(pages: Pages) -> None:
    @pages.get("/manifest.webmanifest", name="manifest")
    async def manifest(request: Request) -> Response:
        shell: Shell = request.app.state.shell
        body = {
            "id": "/q/",
            "name": "Q.",
            "short_name": "Q.",
            "description": pick(TEXTS["q.landing.about"]),
            "lang": language_of(request),
            "start_url": "/q/",
            "scope": "/q/",
            "display": "standalone",
            "orientation": "portrait-primary",
            "categories": ["social", "lifestyle"],
            "background_color": "#faf7f2",
            "theme_color": "#1b1a22",
            "icons": [
                {"src": shell.static.url(f"q/{name}"), "sizes": sizes, "type": kind, "purpose": purpose}
                for name, sizes, kind, purpose in ICONS
            ],
            "shortcuts": [
                {"name": pick(TEXTS[key]), "url": f"/q/#/{place}"}
                for key, place in (("q.tab.people", "people"), ("q.tab.me", "me"))
            ],
        }
        return Response(orjson.dumps(body), media_type="application/manifest+json")

    @pages.get("/sw.js", name="worker")
    async def worker(request: Request) -> Response:
        """Below /q/, so that it may look after all of it."""
        shell: Shell = request.app.state.shell
        files = [shell.static.url(name) for name in SHELL_FILES]
        script = shell.templates.get_template("q/sw.js").render(version=shell.static.version, files=files)
        return Response(script, media_type="text/javascript", headers={"Cache-Control": "no-cache"})
