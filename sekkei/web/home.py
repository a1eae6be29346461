"""The home page: what runs here, and what to do next."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.deployment import Opened
from sekkei.runtime.system import Localized
from sekkei.web.rendering import page, redirect
from sekkei.web.shell import Shell


async def show(request: Request) -> Response:
    shell: Shell = request.app.state.shell
    if shell.looked.alone:
        return redirect(request, "/console")
    systems = [(opened.system, _reachable(opened)) for opened in shell.deployment.systems.values()]
    people = DEMO_PEOPLE if request.state.user is None and shell.demo_allowed(request) else ()
    return page(request, "home.html", systems=systems, people=people, dynamodb_url=shell.dynamodb_url)


def _reachable(opened: Opened) -> list[tuple[str, Localized]]:
    """The pages to open that are there: a simulator is not, beside the real service."""
    return [
        (path, words) for path, words in opened.system.pages if any(_answers(one, path) for one in opened.parts.routes)
    ]


def _answers(route: BaseRoute, path: str) -> bool:
    scope = {"type": "http", "method": "GET", "path": path, "root_path": ""}
    return route.matches(scope)[0] is Match.FULL


async def icon(request: Request) -> Response:
    return RedirectResponse(request.app.state.shell.static.url("icon.svg"), 308)
