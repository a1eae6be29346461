"""Declaring the pages of a system, one decorator a route, and finding their addresses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import quote

from starlette.convertors import PathConvertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from sekkei.web import csrf

SECRET_PARAMETERS = ("token", "key")
"""What a path's parameter is called when whoever knows it may open the page: a calendar's address, a link in a mail."""


def path_for_logs(request: Request) -> str:
    """The path that was asked for; those who read logs are not among those who may open every link."""
    path: str = request.scope["path"]
    for name in SECRET_PARAMETERS:
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
