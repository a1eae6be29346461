"""Declaring the pages of a system, one decorator a route, and finding their addresses."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from starlette.convertors import PathConvertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from sekkei.web import csrf
from sekkei.web.answers import Events, rendered
from sekkei.web.injection import Given, hints_of, plan
from sekkei.web.live import LISTENS

H = TypeVar("H", bound=Callable[..., Any])

_SECRET_PARAMETERS = ("token", "key")
"""What a path's parameter is called when whoever knows it may open the page: a calendar's address, a link in a mail."""


def path_for_logs(request: Request) -> str:
    """The path that was asked for; those who read logs are not among those who may open every link."""
    path: str = request.scope["path"]
    for name in _SECRET_PARAMETERS:
        secret = request.scope.get("path_params", {}).get(name)
        path = path.replace(secret, "…") if secret else path
    return path


class Addresses:
    """The path of every named route: `tasks:board` for a route `board` of the system `tasks`.

    Starlette can find them too, but it asks one route after the other, and a page has many links.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._paths: dict[str, tuple[str, dict[str, str]]] = {}
        self._collect(routes, "", "")

    def _collect(self, routes: Sequence[BaseRoute], prefix: str, path: str) -> None:
        for route in routes:
            if isinstance(route, Mount):
                self._collect(route.routes, f"{prefix}{route.name}:", path + route.path)
            elif isinstance(route, Route):
                safe = {
                    name: "/:" if isinstance(convertor, PathConvertor) else ":"
                    for name, convertor in route.param_convertors.items()
                }
                self._paths.setdefault(prefix + route.name, (path + route.path_format, safe))

    def path(self, name: str, **parameters: object) -> str:
        """Raises LookupError for a name that is not there and for parameters that do not fit."""
        found = self._paths.get(name)
        if found is None or found[1].keys() != parameters.keys():
            needs = f"needs {sorted(found[1])}" if found else "is not there"
            raise LookupError(f"the route {name!r} {needs}; given: {sorted(parameters)}")
        template, safe = found
        quoted = {key: quote(str(value), safe=safe[key]) for key, value in parameters.items()}
        return template.format_map(quoted) if quoted else template


@dataclass(frozen=True, slots=True)
class _Declared:
    method: str
    path: str
    handler: Callable[..., Any]
    name: str | None


class Pages:
    """The pages of one file: `pages = Pages()`, then `@pages.get("/x")` before each handler.

    `pages.routes(given)` goes into `Parts`. A handler answers with `Html`, `Redirect`, `Events` or any `Response`.
    """

    def __init__(self) -> None:
        self._declared: list[_Declared] = []

    def get(self, path: str, *, name: str | None = None) -> Callable[[H], H]:
        return self._declare("GET", path, name)

    def post(self, path: str, *, name: str | None = None) -> Callable[[H], H]:
        return self._declare("POST", path, name)

    def webhook(self, path: str, *, name: str | None = None) -> Callable[[H], H]:
        """A POST of another program, which the handler verifies by a signature over the raw body."""

        def declare(handler: H) -> H:
            return self._declare("POST", path, name)(csrf.webhook(handler))

        return declare

    def _declare(self, method: str, path: str, name: str | None) -> Callable[[H], H]:
        def declare(handler: H) -> H:
            self._declared.append(_Declared(method, path, handler, name))
            return handler

        return declare

    def routes(self, given: Given) -> list[BaseRoute]:
        """Starlette's routes, with everything that their handlers need; raises NotGiven."""
        return [
            Route(each.path, _endpoint(each, given), methods=[each.method], name=each.name) for each in self._declared
        ]


def _endpoint(declared: _Declared, given: Given) -> Callable[[Request], Awaitable[Response]]:
    how = plan(declared.handler, declared.path, given, in_page=True)

    @functools.wraps(declared.handler)
    async def endpoint(request: Request) -> Response:
        return rendered(request, await how.call(request))

    setattr(endpoint, LISTENS, hints_of(declared.handler).get("return") is Events)
    return endpoint
