"""The document of each running design, made from its code: what `sekkei docs` writes, to be read in the browser."""

from __future__ import annotations

import base64
import hashlib
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.web.console import operator
from sekkei.web.texts import language_of

_ONLY_ITS_STYLE = "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def routes() -> list[BaseRoute]:
    return [Route("/console/designs/{system}", show_design, methods=["GET"])]


async def show_design(request: Request) -> Response:
    # Nobody needs the publisher before somebody reads a document.
    from sekkei.publish import document, html
    from sekkei.publish.html import STYLE

    looked, name = operator(request).looked, request.path_params["system"]
    design = looked.design(name)
    language: Literal["ja", "en"] = "en" if language_of(request) == "en" else "ja"
    text = html(document(design, language, looked.measured(name)))
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    headers = {"Content-Security-Policy": _ONLY_ITS_STYLE.format(digest=digest)}
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)
