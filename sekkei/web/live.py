"""Open pages that learn of changes at once: server-sent events.

    @pages.get("/teams/{team_id}/live")
    async def live(member: Member) -> Events:            # whoever is no Member never gets here
        return Events(f"tasks/team/{member.team_id}")

In the page, `<div data-live="{{ live }}" data-live-events="moved created">` with
`live=live_url(request, ctx.live, topic, "/tasks/teams/t1/live")`, taken before the page's data is read, so that nothing
falls between the page and its events. The shell's script dispatches a `live:NAME` event on that element for every
event, and loads the page again after `reload`. All tabs of a browser share one connection: `sekkei.web.live`.

Several processes on one store tell each other (`sekkei.runtime.live`), so it does not matter which of them a
browser is connected to. The route is asked again whether this person may listen: when they come, at every sign of
life, at once when somebody says that rights have changed (`Live.rights_changed`), and otherwise before an event when
the last answer is older than some seconds. What ends a person's rights ends what they hear.

`SEKKEI_LIVE=off` where answers cannot stay open; in Lambda it is off by itself. Pages then show what is new when they
are loaded.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Match, Mount, Route

from sekkei.runtime.live import RELOAD, RIGHTS, Live, LiveEvent, of_person
from sekkei.runtime.refusals import Invalid, Refusal, TooMany
from sekkei.web.identity import scopes
from sekkei.web.injection import KEPT
from sekkei.web.limits import address, counted_as

HEARTBEAT_SECONDS = 15.0
ASKED_AGAIN_SECONDS = 5.0
"""How long it holds that somebody may listen, unless a change of rights is announced."""
CONNECTIONS_MAX = 12
"""For one person, over all their browsers: each needs one."""
_CONNECTIONS_PER_ADDRESS_MAX = 100
"""For people who are not signed in; many of them may share an address."""
_RETRY_MILLISECONDS = 2_000


class Connections:
    """Who listens at the moment, and whether it is time to go."""

    def __init__(self) -> None:
        self.open: Counter[str] = Counter()
        self.stopping = asyncio.Event()


class Heard(Response):
    """What a route says when it is only asked whether this person may listen, and to what."""

    def __init__(self, topic: str) -> None:
        super().__init__(status_code=204)
        self.topic = topic


def sse(request: Request, live: Live, topic: str) -> Response:
    """An endless answer with the events of a topic. A browser that comes back goes on after the last one it saw."""
    if getattr(request.state, "asked_again", False):
        return Heard(topic)
    return stream(Listener(request, live, {topic: {request.url.path: request}}))


def live_url(request: Request, live: Live, topic: str, path: str) -> str:
    """The address to listen at, from this moment on."""
    return f"{path}?after={live.life}-{live.position(topic)}"


def stream(listener: Listener) -> Response:
    """The answer that stays open; 204, which tells a browser not to come back, where none can."""
    request = listener.request
    shell = request.app.state.shell
    if not shell.live_on:
        return Response(status_code=204)
    connections: Connections = shell.connections
    user = request.state.user
    who, most = (user.id, CONNECTIONS_MAX) if user else (counted_as(address(request)), _CONNECTIONS_PER_ADDRESS_MAX)
    if connections.open[who] >= most:
        raise TooMany(10)
    # X-Accel-Buffering: a proxy that collects the answer first would defeat its purpose.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    body = _counted(connections, who, _events(listener, connections.stopping))
    return StreamingResponse(body, media_type="text/event-stream", headers=headers)


async def _counted(connections: Connections, who: str, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    connections.open[who] += 1
    try:
        async for each in events:
            yield each
    finally:
        await events.aclose()  # type: ignore[attr-defined]
        connections.open[who] -= 1
        if not connections.open[who]:
            del connections.open[who]


async def topic_of(request: Request) -> str | None:
    """What this person may hear at a route: the route itself is the one that knows. None: nothing."""
    request.state.asked_again = True
    request.scope.pop(KEPT, None)  # what was proven when they came is not proven now
    try:
        answer = await request.scope["endpoint"](request)
    except (Refusal, HTTPException):
        return None
    return answer.topic if isinstance(answer, Heard) else None


class Listener:
    """One connection: topics, and for each the paths that lead to it with the requests that ask for them."""

    def __init__(self, request: Request, live: Live, topics: dict[str, dict[str, Request]]) -> None:
        self.request, self.live, self.topics = request, live, topics
        self._clock = request.app.state.shell.clock
        self._proven_up_to = live.position("")
        self._proven_at: float = self._clock.now()

    @property
    def heard(self) -> list[str]:
        """The topics to listen to, the one that tells of their own rights included."""
        user = self.request.state.user
        return [*self.topics, *([of_person(user.id)] if user else [])]

    def must_ask(self, event: LiveEvent | None) -> bool:
        """At a sign of life and after a change of rights; else when what was proven is some seconds old."""
        if event is None or event.name == RIGHTS:
            return True
        old = self._clock.now() - self._proven_at >= ASKED_AGAIN_SECONDS
        return old and event.id > self._proven_up_to  # what happened before they were asked for is theirs

    async def ask(self) -> list[str]:
        """Ask who this is and what they may hear, as when they came. Gives the paths that are closed to them now."""
        self._proven_up_to, self._proven_at = self.live.position(""), self._clock.now()
        state = self.request.state
        before, state.user, state.session_hash = state.user, None, None
        try:
            await self.request.app.state.shell.identify(self.request)
        except Refusal:
            pass
        same = (before and before.id) == (state.user and state.user.id)
        closed = []
        for topic, paths in list(self.topics.items()):
            for path, request in list(paths.items()):
                if not same or await topic_of(request) != topic:
                    closed.append(path)
                    del paths[path]
            if not paths:
                del self.topics[topic]
        return closed

    # How it is written; `sekkei.web.live` writes it otherwise.

    def hello(self, stale: bool) -> bytes:
        greeting = f"retry: {_RETRY_MILLISECONDS}\n\n".encode()
        return greeting + self.load_again(()) if stale else greeting

    def alive(self) -> bytes:
        return b": still here\n\n"

    def load_again(self, paths: Iterable[str]) -> bytes:
        return message(RELOAD, None)

    def event(self, event: LiveEvent) -> bytes:
        return message(event.name, event.data, f"{self.live.life}-{event.id}")


def message(name: str, data: object, id: str = "") -> bytes:
    # JSON has no line ends in it, so one data line is enough.
    first = f"id: {id}\n" if id else ""
    return f"{first}event: {name}\n".encode() + b"data: %b\n\n" % orjson.dumps(data)


def _position(request: Request, live: Live) -> tuple[int | None, bool]:
    """Where to go on; and whether that place is of an earlier life, which nobody remembers."""
    given = request.headers.get("last-event-id") or request.query_params.get("after") or ""
    if not given:
        return None, False
    life, _, number = given.partition("-")
    if life != live.life or not number.isascii() or not number.isdigit() or len(number) > 15:
        return None, True
    return int(number), False


async def _events(listener: Listener, stopping: asyncio.Event) -> AsyncIterator[bytes]:
    after, stale = _position(listener.request, listener.live)
    events = listener.live.listen(listener.heard, after)
    following = asyncio.ensure_future(anext(events))
    stopped = asyncio.ensure_future(stopping.wait())
    try:
        yield listener.hello(stale)
        while not stopping.is_set():
            await asyncio.wait({following, stopped}, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if stopped.done():
                break
            event = following.result() if following.done() else None
            if listener.must_ask(event):
                closed = await listener.ask()
                if closed:
                    yield listener.load_again(closed)  # the page will say what has become of their rights
                if not listener.topics:
                    break
            if event is None:
                yield listener.alive()
                continue
            if event.name != RIGHTS:
                yield listener.event(event)
            following = asyncio.ensure_future(anext(events))
    finally:
        for waiting in (following, stopped):
            waiting.cancel()
        await asyncio.gather(following, stopped, return_exceptions=True)


# `GET /live?after=…&on=/tasks/teams/t1/live&on=/q/live`: all that a browser's tabs listen to, on one connection.
#
# HTTP/1.1 gives a browser six connections to a host, so a connection for every tab would leave none for the seventh
# page. Each `on` is the path of a route that answers with `Events`; that route decides who may hear it, here as when it
# is asked for alone. Pages never call this themselves: `static/live.js` does, for all tabs together.
#
#     event: hello     data: {"life": "…", "at": 12}              where the events begin
#     event: event     data: {"on": […], "name": "moved", "data": …, "at": 13}
#     event: at        data: {"life": "…", "at": 13}              a sign of life; nothing is missing up to here
#     event: reload    data: {"on": […]}                          these pages are to be loaded again; none: all of them


PATHS_MAX = 50
_PATH_CHARACTERS_MAX = 300
LISTENS = "sekkei_listens"
"""The mark on an endpoint that answers with `Events`."""


class NothingToHear(Invalid):
    """No path, or too many."""


async def listen(request: Request) -> Response:
    paths = sorted(set(request.query_params.getlist("on")))
    if not 1 <= len(paths) <= PATHS_MAX or any(len(path) > _PATH_CHARACTERS_MAX for path in paths):
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
