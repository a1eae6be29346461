"""`GET /metrics`, for Prometheus with the token of SEKKEI_METRICS_TOKEN, and for operators in their browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from sekkei.kit.signing import same
from sekkei.runtime import metrics
from sekkei.web.identity.users import current_user

if TYPE_CHECKING:
    from sekkei.web.shell import Shell

PATH = "/metrics"
_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


async def show(request: Request) -> Response:
    """Whoever may not see it gets no page to sign in with: programs ask here, and would take that for an answer."""
    shell: Shell = request.app.state.shell
    if not _has_token(request, shell.settings.get("metrics_token")) and not shell.is_operator(request):
        if current_user(request) is not None:
            return PlainTextResponse("not for you", 403)
        return PlainTextResponse("a token is needed", 401, {"WWW-Authenticate": 'Bearer realm="metrics"'})
    return Response(await metrics.text(shell.deployment), media_type=_MEDIA_TYPE)


def _has_token(request: Request, wanted: str) -> bool:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return bool(wanted) and scheme.lower() == "bearer" and same(given.strip(), wanted)
