"""Proof that an unsafe request was made by one of our own pages.

Every unsafe route asks for a token, unless whoever asks proves themselves in the request itself: with a bearer token,
or on a route that is declared as a webhook and verifies a signature. The token is derived from the session's secret;
for somebody who is not signed in, from a random cookie (double submit). Pages have it as `csrf()` in templates and in
`<meta name="csrf-token">`; it is sent back as the field `_csrf` or the header `X-CSRF-Token`. Each page writes it under
a mask of its own, so that the length of compressed pages tells nothing of it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sekkei.kit.signing import Signer
from sekkei.runtime.refusals import NotAllowed

FIELD = "_csrf"
_HEADER = "x-csrf-token"
ANONYMOUS_COOKIE = "sekkei_visitor"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_WEBHOOK = "sekkei_webhook"
_LIMIT = "sekkei_body_limit"
_TOKEN_BYTES = 16
BODY_LIMIT_KEY = "sekkei.body_limit"

E = TypeVar("E", bound=Callable[..., Any])


class Forged(NotAllowed):
    code = "csrf"


def webhook(endpoint: E) -> E:
    """Marks an endpoint that verifies a signature over the raw body itself, and so needs no token of ours."""
    setattr(endpoint, _WEBHOOK, True)
    return endpoint


def _is_webhook(route: Route) -> bool:
    return bool(getattr(route.endpoint, _WEBHOOK, False))


def webhook_paths(routes: Sequence[BaseRoute], prefix: str = "") -> list[re.Pattern[str]]:
    """The paths of all webhooks, below `prefix`."""
    found = []
    for route in routes:
        if isinstance(route, Mount):
            found += webhook_paths(list(route.routes), prefix + route.path)
        elif isinstance(route, Route) and _is_webhook(route):
            found.append(re.compile(f"^{re.escape(prefix)}{route.path_regex.pattern.removeprefix('^')}"))
    return found


def token(request: Request) -> str:
    """The token that unsafe requests of this browser must carry."""
    state = request.state
    seed: str | None = state.session_hash or state.visitor
    if seed is None:
        seed = state.visitor = secrets.token_urlsafe(18)
        state.new_visitor = True  # the cookie goes out with the answer
    mask = secrets.token_bytes(_TOKEN_BYTES)
    return (mask + _masked(mask, bytes.fromhex(_signer(request).mark(seed)))).hex()


def _signer(request: Request) -> Signer:
    signer: Signer = request.app.state.shell.csrf_signer
    return signer


def _masked(mask: bytes, value: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(mask, value, strict=True))


def _is_ours(request: Request, given: str) -> bool:
    seed: str | None = request.state.session_hash or request.state.visitor
    try:
        value = bytes.fromhex(given)
    except ValueError:
        return False
    if seed is None or len(value) != 2 * _TOKEN_BYTES:
        return False
    mask, rest = value[:_TOKEN_BYTES], value[_TOKEN_BYTES:]
    return _signer(request).matches(_masked(mask, rest).hex(), seed)


def body_limit(bytes_max: int) -> Callable[[E], E]:
    """Lets an endpoint take larger bodies (or only smaller ones) than the rest."""

    def mark(endpoint: E) -> E:
        setattr(endpoint, _LIMIT, bytes_max)
        return endpoint

    return mark


def guard(routes: list[BaseRoute]) -> None:
    """Put the check in front of every unsafe route."""
    for route in routes:
        if isinstance(route, Mount):
            guard(list(route.routes))
        elif isinstance(route, Route):
            if not _is_webhook(route) and (route.methods is None or route.methods - SAFE):
                route.app = _Guard(route.app)
            bytes_max = getattr(route.endpoint, _LIMIT, None)
            if bytes_max is not None:
                route.app = _Limit(route.app, bytes_max)


class _Limit:
    def __init__(self, app: ASGIApp, bytes_max: int) -> None:
        self._app, self._bytes_max = app, bytes_max

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[BODY_LIMIT_KEY] = self._bytes_max  # in place: the gate, which reads the body, has this very scope
        await self._app(scope, receive, send)


class _Guard:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in SAFE:
            request = Request(scope, receive)
            user = request.state.user
            if user is None or user.via == "session":
                receive = await _check(request)
        await self._app(scope, receive, send)


async def _check(request: Request) -> Receive:
    """Raise unless the request is one of ours; gives back a way to read the body again."""
    _check_origin(request)
    given = request.headers.get(_HEADER)
    receive = request.receive
    if given is None and request.headers.get("content-type", "").startswith(_FORMS):
        body = await request.body()
        form = await request.form()
        value = form.get(FIELD)
        given = value if isinstance(value, str) else None
        receive = _again(body, request.receive)
    if given is None or not _is_ours(request, given):
        raise Forged()
    return receive


def _check_origin(request: Request) -> None:
    """What the browser says of where the request comes from; browsers let no page change it."""
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        raise Forged()
    origin = request.headers.get("origin")
    if origin is None:
        return
    public: str = request.app.state.shell.settings.public_url
    parts = urlsplit(public)
    ours = {f"{parts.scheme}://{parts.netloc}", f"{request.url.scheme}://{request.headers.get('host', '')}"}
    if origin not in ours:
        raise Forged()


def _again(body: bytes, receive: Receive) -> Receive:
    """The body, once more, and then whatever comes (the end of the connection)."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
