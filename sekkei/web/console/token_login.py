"""The way into `sekkei look`: the address that it prints carries a token, and a browser that has opened it may go on.

Anybody on a machine can reach a port of it, other accounts and pages of other programs too; the token keeps them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.kit.signing import Signer, same
from sekkei.runtime.refusals import NotAllowed, NotThere
from sekkei.web.rendering import redirect

if TYPE_CHECKING:
    from sekkei.web.shell import Shell

SECONDS = 7 * 24 * 3600


class TokenNeeded(NotAllowed):
    """Not without the address that `sekkei look` has printed."""


def routes() -> list[BaseRoute]:
    return [Route("/console/enter", enter, methods=["GET"])]


async def enter(request: Request) -> Response:
    shell: Shell = request.app.state.shell
    if not shell.looked.token:
        raise NotThere()
    if not same(request.query_params.get("token", ""), shell.looked.token):
        raise TokenNeeded()
    request.state.set_cookies.append((_cookie(request), _signer(shell).mark(shell.looked.token), SECONDS))
    return redirect(request, "/console")


def has_entered(request: Request, shell: Shell) -> bool:
    return _signer(shell).matches(request.cookies.get(_cookie(request), ""), shell.looked.token)


def _cookie(request: Request) -> str:
    """Cookies know no ports, and several consoles may be open."""
    return f"sekkei_look_{request.url.port or 80}"


def _signer(shell: Shell) -> Signer:
    return shell.settings.secrets.signer("look")
