"""Open pages that learn of changes at once: server-sent events.

    @pages.get("/teams/{team_id}/live")
    async def live(request: Request) -> Response:
        user = require_user(request)
        await service.must_be_member(user.id, team_id)
        return sse(request, ctx.live, f"tasks/team/{team_id}")

In the page, `<div data-live="{{ live }}" data-live-events="moved created">` with
`live=live_url(request, ctx.live, topic, "/tasks/teams/t1/live")`, taken before the page's data is read, so that nothing
falls between the page and its events. The shell's script dispatches a `live:NAME` event on that element for every
event, and loads the page again after `reload`.

Several processes on one store tell each other (`sekkei.runtime.live_log`), so it does not matter which of them a
browser is connected to. Before an event is sent, and at every sign of life, the route is asked again whether this
person may listen: what ends a person's rights ends what they hear.

`SEKKEI_LIVE=off` where answers cannot stay open; in Lambda it is off by itself. Pages then show what is new when they
are loaded.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from sekkei.runtime.live import RELOAD, Live, LiveEvent
from sekkei.runtime.refusals import Refusal, TooMany
from sekkei.web.given import KEPT
from sekkei.web.limits import address, counted_as

HEARTBEAT_SECONDS = 15.0
CONNECTIONS_MAX = 12
"""For one person, over all their windows."""
RETRY_MILLISECONDS = 2_000
_LOAD_AGAIN = f"event: {RELOAD}\ndata: null\n\n".encode()


class Connections:
    """Who listens at the moment, and whether it is time to go."""

    def __init__(self) -> None:
        self.open: Counter[str] = Counter()
        self.stopping = asyncio.Event()


def sse(request: Request, live: Live, topic: str, *, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> Response:
    """An endless answer with the events of a topic. A browser that comes back goes on after the last one it saw."""
    shell = request.app.state.shell
    if not shell.live_on or getattr(request.state, "asked_again", False):
        return Response(status_code=204)  # which tells a browser not to come back
    connections: Connections = shell.connections
    who = request.state.user.id if request.state.user else counted_as(address(request))
    if connections.open[who] >= CONNECTIONS_MAX:
        raise TooMany(10)
    body = _events(request, connections, who, live, topic, heartbeat_seconds)
    # X-Accel-Buffering: a proxy that collects the answer first would defeat its purpose.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(body, media_type="text/event-stream", headers=headers)


def live_url(request: Request, live: Live, topic: str, path: str) -> str:
    """The address to listen at, from this moment on."""
    return f"{path}?after={live.life}-{live.position(topic)}"


def _position(request: Request, live: Live) -> tuple[int | None, bool]:
    """Where to go on; and whether that place is of an earlier life, which nobody remembers."""
    given = request.headers.get("last-event-id") or request.query_params.get("after") or ""
    if not given:
        return None, False
    life, _, number = given.partition("-")
    if life != live.life or not number.isascii() or not number.isdigit() or len(number) > 15:
        return None, True
    return int(number), False


async def _may_listen(request: Request) -> bool:
    """Ask who this is and whether they may, as when they came: the route itself is the one that knows."""
    state = request.state
    state.user = state.session_hash = None
    state.asked_again = True
    request.scope.pop(KEPT, None)  # what was proven when they came is not proven now
    try:
        await request.app.state.shell.identify(request)
        answer: Response = await request.scope["endpoint"](request)
    except (Refusal, HTTPException):
        return False
    return answer.status_code < 300


async def _events(
    request: Request, connections: Connections, who: str, live: Live, topic: str, heartbeat_seconds: float
) -> AsyncIterator[bytes]:
    connections.open[who] += 1
    after, stale = _position(request, live)
    asked_at = live.position(topic)
    events = live.listen(topic, after)
    following = asyncio.ensure_future(anext(events))
    stopping = asyncio.ensure_future(connections.stopping.wait())
    try:
        yield f"retry: {RETRY_MILLISECONDS}\n\n".encode()
        if stale:
            yield _LOAD_AGAIN
        while not connections.stopping.is_set():
            await asyncio.wait({following, stopping}, timeout=heartbeat_seconds, return_when=asyncio.FIRST_COMPLETED)
            if stopping.done():
                break
            event = following.result() if following.done() else None
            if event is None or event.id > asked_at:  # what happened before they were asked for is theirs
                asked_at = live.position(topic)
                if not await _may_listen(request):
                    yield _LOAD_AGAIN  # the page will say what has become of their rights
                    break
            if event is None:
                yield b": still here\n\n"
                continue
            yield _encoded(event, live.life)
            following = asyncio.ensure_future(anext(events))
    finally:
        connections.open[who] -= 1
        if not connections.open[who]:
            del connections.open[who]
        for waiting in (following, stopping):
            waiting.cancel()
        await asyncio.gather(following, stopping, return_exceptions=True)


def _encoded(event: LiveEvent, life: str) -> bytes:
    # JSON has no line ends in it, so one data line is enough.
    return b"id: %s-%d\nevent: %s\ndata: %s\n\n" % (
        life.encode(),
        event.id,
        event.name.encode(),
        orjson.dumps(event.data),
    )
