"""`GET /live?after=…&on=/tasks/teams/t1/live&on=/q/live`: all that a browser's tabs listen to, on one connection.

HTTP/1.1 gives a browser six connections to a host, so a connection for every tab would leave none for the seventh
page. Each `on` is the path of a route that answers with `Events`; that route decides who may hear it, here as when it
is asked for alone. Pages never call this themselves: `static/live.js` does, for all tabs together.

    event: hello     data: {"life": "…", "at": 12}              where the events begin
    event: event     data: {"on": […], "name": "moved", "data": …, "at": 13}
    event: at        data: {"life": "…", "at": 13}              a sign of life; nothing is missing up to here
    event: reload    data: {"on": […]}                          these pages are to be loaded again; none: all of them
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Mount, Route

from sekkei.runtime.live import RELOAD, LiveEvent
from sekkei.runtime.refusals import Invalid
from sekkei.web.identity import scopes
from sekkei.web.live import Listener, message, stream, topic_of

PATHS_MAX = 50
PATH_CHARACTERS_MAX = 300
LISTENS = "sekkei_listens"
"""The mark on an endpoint that answers with `Events`."""


class NothingToHear(Invalid):
    """No path, or too many."""


async def listen(request: Request) -> Response:
    paths = sorted(set(request.query_params.getlist("on")))
    if not 1 <= len(paths) <= PATHS_MAX or any(len(path) > PATH_CHARACTERS_MAX for path in paths):
        raise NothingToHear(field="on")
    topics: dict[str, dict[str, Request]] = {}
    refused = []
    for path in paths:
        asking = _request_to(request, path)
        topic = await topic_of(asking) if asking else None
        if asking is None or topic is None:
            refused.append(path)
        else:
            topics.setdefault(topic, {})[path] = asking
    live = request.app.state.shell.deployment.live
    return stream(_ManyListener(request, live, topics, refused))


def _request_to(request: Request, path: str) -> Request | None:
    """A request to one of our routes that listen, by whoever makes this one."""
    user = request.state.user
    if user is not None and not scopes.allows(user.scope, "GET", path):
        return None
    scope = {**request.scope, "path": path, "raw_path": path.encode(), "query_string": b""}
    routes: Sequence[BaseRoute] = request.app.routes
    while True:
        for route in routes:
            match, more = route.matches(scope)
            if match is Match.FULL:
                break
        else:
            return None
        scope.update(more)
        if isinstance(route, Mount):
            routes = route.routes
        elif isinstance(route, Route) and getattr(route.endpoint, LISTENS, False):
            return Request(scope, request.receive)
        else:
            return None


class _ManyListener(Listener):
    """Says of every event which of the paths it belongs to."""

    def __init__(
        self, request: Request, live: object, topics: dict[str, dict[str, Request]], refused: list[str]
    ) -> None:
        super().__init__(request, live, topics)  # type: ignore[arg-type]
        self._refused = refused

    def hello(self, stale: bool) -> bytes:
        """Tabs know by the life in it whether they are of an earlier one."""
        greeting = message("hello", self._place())
        return greeting + self.load_again(self._refused) if self._refused else greeting

    def alive(self) -> bytes:
        return message("at", self._place())

    def load_again(self, paths: Iterable[str]) -> bytes:
        return message(RELOAD, {"on": list(paths)})

    def event(self, event: LiveEvent) -> bytes:
        if event.name == RELOAD:
            return self.load_again(())
        on = list(self.topics.get(event.topic, ()))
        return message("event", {"on": on, "name": event.name, "data": event.data, "at": event.id}) if on else b""

    def _place(self) -> dict[str, object]:
        return {"life": self.live.life, "at": self.live.position("")}
