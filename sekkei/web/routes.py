"""Declaring the pages of a system, one decorator a route."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.web import csrf

Handler = Callable[[Request], Awaitable[Response]]


class Pages:
    """`@pages.get("/x")`, `@pages.post("/x")`; `pages.routes` goes into `Parts`."""

    def __init__(self) -> None:
        self.routes: list[BaseRoute] = []

    def get(self, path: str, *, name: str | None = None) -> Callable[[Handler], Handler]:
        return self._declare("GET", path, name)

    def post(self, path: str, *, name: str | None = None) -> Callable[[Handler], Handler]:
        return self._declare("POST", path, name)

    def webhook(self, path: str, *, name: str | None = None) -> Callable[[Handler], Handler]:
        """A POST of another program, which the handler verifies by a signature over the raw body."""

        def declare(handler: Handler) -> Handler:
            return self._declare("POST", path, name)(csrf.webhook(handler))

        return declare

    def _declare(self, method: str, path: str, name: str | None) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            self.routes.append(Route(path, handler, methods=[method], name=name))
            return handler

        return declare
