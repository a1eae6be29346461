"""The gate that every request passes: who it is, which language, how often, and what the answer must carry.

Pure ASGI and first in line, so that an answer made anywhere behind it, an error included, gets the same headers,
cookies and one line in the log.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sekkei.runtime.refusals import Refusal
from sekkei.texts import LANGUAGES, spoken
from sekkei.web import metrics, problems
from sekkei.web.csrf import ANONYMOUS_COOKIE, BODY_LIMIT_KEY, SAFE
from sekkei.web.identity import scopes
from sekkei.web.identity.bearer import BadBearer
from sekkei.web.limits import READS, SHARED, WEBHOOKS, WRITES, Rate, address
from sekkei.web.rendering import FLASH_COOKIE, seal_flashes
from sekkei.web.routing import path_for_logs
from sekkei.web.static_files import Compressing
from sekkei.web.texts import COOKIE as LANGUAGE_COOKIE
from sekkei.web.texts import SHELL, Speech, negotiate, speech

if TYPE_CHECKING:
    from sekkei.web.shell import Shell

SESSION_COOKIE = "sekkei_session"
HOST_SESSION_COOKIE = f"__Host-{SESSION_COOKIE}"
"""Its name over https: no other host, no subdomain and no plain http can set it."""
BODY_BYTES_MAX = 1_000_000
"""Of any request; a route that takes more says so with `@body_limit(...)`."""
_YEAR_SECONDS = 365 * 24 * 3600
_FLASH_SECONDS = 600
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]{1,5})?")
"""A name or an address, and perhaps a port: nothing that one reader of it takes for another name than the next."""

log = logging.getLogger("sekkei.web.requests")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: https:; connect-src 'self'; font-src 'self'; frame-src 'self'; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
}


def session_cookie(request: Request) -> str | None:
    """By the name that only we can set; by the other one for sites without TLS, and those who signed in before."""
    return request.cookies.get(HOST_SESSION_COOKIE) or request.cookies.get(SESSION_COOKIE)


class Gate:
    def __init__(self, app: ASGIApp, shell: Shell) -> None:
        self._app = app
        self._shell = shell
        self._hosts = shell.hosts
        self._secure = shell.settings.public_url.startswith("https://")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        request = Request(scope, receive)
        self._begin(request)
        status = 0
        send = Compressing(scope, send)

        async def finish(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._complete(request, MutableHeaders(scope=message))
            await send(message)

        said, language = speech.set(request.state.speech), spoken.set(request.state.speech.language)
        try:
            await self._pass(request, limited(scope, receive), finish)
        except ClientDisconnect:
            pass  # nobody is left to be answered
        except Exception as error:
            response = problems.on_any(request, error)
            if status == 0:
                await response(scope, receive, finish)
        finally:
            speech.reset(said)
            spoken.reset(language)
            self._log(request, status, started)

    def _begin(self, request: Request) -> None:
        state: Any = request.state
        state.id = secrets.token_hex(8)
        state.user = state.session_hash = state.proved_at = None
        state.visitor = _visitor(request.cookies.get(ANONYMOUS_COOKIE))
        state.new_visitor = state.flashes_shown = False
        state.new_flashes = []
        state.set_cookies = []
        asked = request.query_params.get("lang")
        language = negotiate(asked, request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language"))
        state.language_chosen = language if asked in LANGUAGES else None
        system = request.scope["path"].partition("/")[2].partition("/")[0]
        state.speech = Speech(language, self._shell.texts.get(system, SHELL), self._shell.deployment.zone(system))

    async def _pass(self, request: Request, receive: Receive, send: Send) -> None:
        path = request.scope["path"]
        if path.startswith("/static/") or path in ("/healthz", "/readyz"):
            await self._app(request.scope, receive, send)
            return
        try:
            self._check_host(request)
            await self._admit(request)
        except Refusal as refusal:
            await problems.on_refusal(request, refusal)(request.scope, receive, send)
            return
        except HTTPException as error:
            await problems.on_http_error(request, error)(request.scope, receive, send)
            return
        await self._app(request.scope, receive, send)

    async def _admit(self, request: Request) -> None:
        """Limits are of the person once they are known, and of the address before: people behind one address must not
        refuse each other. Whoever only claims to be somebody is counted with their address."""
        limits, rate = self._shell.limits, self._rate(request)
        claims = "authorization" in request.headers or session_cookie(request) is not None
        limits.take(SHARED if claims and rate is not WEBHOOKS else rate, "address", address(request))
        try:
            await self._identify(request)
        except Refusal:
            limits.take(rate, "claims", address(request))
            raise
        user = request.state.user
        if user is not None:
            scopes.check(user.scope, request.method, request.scope["path"])
            limits.take(rate, "user", user.id)
        elif claims:
            limits.take(rate, "address", address(request))

    async def _identify(self, request: Request) -> None:
        """Whoever signs in or sends from outside may carry a token that is no good any more: there they are nobody."""
        try:
            await self._shell.identify(request)
        except BadBearer:
            if not self._is_webhook(request) and request.scope["path"] != metrics.PATH:
                raise

    def _is_webhook(self, request: Request) -> bool:
        return any(path.match(request.scope["path"]) for path in self._shell.webhooks)

    def _rate(self, request: Request) -> Rate:
        if request.method in SAFE:
            return READS
        return WEBHOOKS if self._is_webhook(request) else WRITES

    def _check_host(self, request: Request) -> None:
        """Only names that are ours: otherwise a stranger's page could have its own name point to this machine."""
        host = _HOST.fullmatch(request.headers.get("host", ""))
        if host is None or host[1].strip("[]").lower() not in self._hosts:
            raise HTTPException(421)

    def _complete(self, request: Request, headers: MutableHeaders) -> None:
        for name, value in _HEADERS.items():
            headers.setdefault(name, value)
        if self._secure:
            headers.setdefault("Strict-Transport-Security", f"max-age={_YEAR_SECONDS}")
        headers["X-Request-Id"] = request.state.id
        state: Any = request.state
        if state.new_visitor:
            self.set_cookie(headers, ANONYMOUS_COOKIE, state.visitor)
        if state.language_chosen:
            self.set_cookie(headers, LANGUAGE_COOKIE, state.language_chosen, _YEAR_SECONDS)
        if state.new_flashes:
            self.set_cookie(headers, FLASH_COOKIE, seal_flashes(request, state.new_flashes), _FLASH_SECONDS)
        elif state.flashes_shown:
            self.set_cookie(headers, FLASH_COOKIE, "", 0)
        for name, value, seconds in state.set_cookies:
            if self._secure and name == SESSION_COOKIE:
                if name in request.cookies:
                    self.set_cookie(headers, name, "", 0)
                name = HOST_SESSION_COOKIE
            self.set_cookie(headers, name, value, seconds)

    def set_cookie(self, headers: MutableHeaders, name: str, value: str, seconds: int | None = None) -> None:
        cookie: SimpleCookie = SimpleCookie()
        cookie[name] = value
        cookie[name]["path"] = "/"
        cookie[name]["httponly"] = True
        cookie[name]["samesite"] = "lax"
        if self._secure:
            cookie[name]["secure"] = True
        if seconds is not None:
            cookie[name]["max-age"] = seconds
        headers.append("Set-Cookie", cookie.output(header="").strip())

    def _log(self, request: Request, status: int, started: float) -> None:
        if not log.isEnabledFor(logging.INFO):
            return
        user = request.state.user
        log.info(
            "request",
            extra={
                "request_id": request.state.id,
                "method": request.method,
                "path": path_for_logs(request),
                "status": status,
                "milliseconds": round((time.perf_counter() - started) * 1000, 1),
                "address": address(request),
                **({"user": user.id} if user else {}),
            },
        )


def limited(scope: Scope, receive: Receive) -> Receive:
    """Reads a body only as far as its route allows; nothing is read of one that says it is larger."""
    total = 0

    async def read() -> Message:
        nonlocal total
        allowed: int = scope.get(BODY_LIMIT_KEY, BODY_BYTES_MAX)
        said = Headers(scope=scope).get("content-length", "0")
        if total == 0 and (not said.isdigit() or int(said) > allowed):
            raise HTTPException(413)
        message = await receive()
        total += len(message.get("body", b""))
        if total > allowed:
            raise HTTPException(413)
        return message

    return read


def _visitor(cookie: str | None) -> str | None:
    return cookie if cookie and 20 <= len(cookie) <= 64 and cookie.isascii() else None
