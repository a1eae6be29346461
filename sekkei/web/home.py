"""The home page: what runs here, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.web.rendering import page

if TYPE_CHECKING:
    from sekkei.web.application import Shell


async def show(request: Request) -> Response:
    shell: Shell = request.app.state.shell
    systems = [opened.system for opened in shell.deployment.systems.values()]
    people = DEMO_PEOPLE if request.state.user is None and shell.demo_allowed(request) else ()
    return page(request, "home.html", systems=systems, people=people, dynamodb_url=shell.dynamodb_url)


async def icon(request: Request) -> Response:
    return RedirectResponse(request.app.state.shell.static.url("icon.svg"), 308)
