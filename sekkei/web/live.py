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

`SEKKEI_LIVE=off` where answers cannot stay open, or where a load balancer sends a browser to another process each time;
in Lambda it is off by itself. Pages then show what is new when they are loaded.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from sekkei.runtime.live import RELOAD, Live, LiveEvent
from sekkei.runtime.refusals import TooMany
from sekkei.web.limits import address

HEARTBEAT_SECONDS = 15.0
CONNECTIONS_MAX = 12
"""For one person, over all their windows."""
RETRY_MILLISECONDS = 2_000


class Connections:
    """Who listens at the moment, and whether it is time to go."""

    def __init__(self) -> None:
        self.open: Counter[str] = Counter()
        self.stopping = asyncio.Event()


def sse(request: Request, live: Live, topic: str, *, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> Response:
    """An endless answer with the events of a topic. A browser that comes back goes on after the last one it saw."""
    shell = request.app.state.shell
    if not shell.live_on:
        return Response(status_code=204)  # which tells a browser not to come back
    connections: Connections = shell.connections
    who = request.state.user.id if request.state.user else address(request)
    if connections.open[who] >= CONNECTIONS_MAX:
        raise TooMany(10)
    boot: str = shell.boot
    given = request.headers.get("last-event-id") or request.query_params.get("after") or ""
    after, stale = _position(given, boot)
    body = _events(connections, who, live, topic, boot, after, stale, heartbeat_seconds)
    # X-Accel-Buffering: a proxy that collects the answer first would defeat its purpose.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(body, media_type="text/event-stream", headers=headers)


def live_url(request: Request, live: Live, topic: str, path: str) -> str:
    """The address to listen at, from this moment on."""
    return f"{path}?after={request.app.state.shell.boot}-{live.position(topic)}"


def _position(given: str, boot: str) -> tuple[int | None, bool]:
    """Where to go on; and whether that place is of an earlier life of this process, which nobody remembers."""
    if not given:
        return None, False
    life, _, number = given.partition("-")
    if life != boot or not number.isascii() or not number.isdigit() or len(number) > 15:
        return None, True
    return int(number), False


async def _events(
    connections: Connections,
    who: str,
    live: Live,
    topic: str,
    boot: str,
    after: int | None,
    stale: bool,
    heartbeat_seconds: float,
) -> AsyncIterator[bytes]:
    connections.open[who] += 1
    events = live.listen(topic, after)
    following = asyncio.ensure_future(anext(events))
    stopping = asyncio.ensure_future(connections.stopping.wait())
    try:
        yield f"retry: {RETRY_MILLISECONDS}\n\n".encode()
        if stale:
            yield f"event: {RELOAD}\ndata: null\n\n".encode()
        while not connections.stopping.is_set():
            await asyncio.wait({following, stopping}, timeout=heartbeat_seconds, return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                yield _encoded(following.result(), boot)
                following = asyncio.ensure_future(anext(events))
            elif not stopping.done():
                yield b": still here\n\n"
    finally:
        connections.open[who] -= 1
        if not connections.open[who]:
            del connections.open[who]
        for waiting in (following, stopping):
            waiting.cancel()
        await asyncio.gather(following, stopping, return_exceptions=True)


def _encoded(event: LiveEvent, boot: str) -> bytes:
    # JSON has no line ends in it, so one data line is enough.
    return b"id: %s-%d\nevent: %s\ndata: %s\n\n" % (
        boot.encode(),
        event.id,
        event.name.encode(),
        orjson.dumps(event.data),
    )
