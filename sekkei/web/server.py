"""A process that serves the application until it is told to stop, and DynamoDB's API beside it on a store of ours."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette

from sekkei import ending
from sekkei.store import Embedded, Store
from sekkei.web.connection_limits import Guard, proxies
from sekkei.web.live import Connections
from sekkei.wire import limits as descriptors
from sekkei.wire import program
from sekkei.wire.limits import Limits
from sekkei.wire.server import Server as WireServer
from sekkei.wire.sigv4 import Key

log = logging.getLogger("sekkei.web.server")


@dataclass(frozen=True, slots=True)
class Listening:
    """Where it answers."""

    web: socket.socket
    dynamodb_port: int | None = None
    """None: not served, because the store is somebody else's or because nobody wants it."""
    keys: Mapping[str, Key] = field(default_factory=dict)
    region: str = "us-east-1"
    forwarded_from: str = ""
    """Addresses of proxies whose X-Forwarded-For counts."""


class HttpServer(uvicorn.Server):
    """uvicorn, except that signals are ours, open event streams end at once, and somebody is told when it is ready."""

    def __init__(
        self, config: uvicorn.Config, guard: Guard, connections: Connections, ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self.guard = guard
        self._connections = connections
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.guard.start()
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._connections.stopping.set()
        await super().shutdown(sockets)
        self.guard.stop()


def http_server(
    app: Starlette, ready: Callable[[], None], forwarded_from: str = "", guard: Guard | None = None
) -> HttpServer:
    """A server for the application; `await server.serve([socket])` until `server.should_exit`."""
    guard = guard or Guard(exempt=proxies(forwarded_from))
    config = uvicorn.Config(
        app,
        http=guard.protocol(),  # type: ignore[arg-type]
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        backlog=descriptors.backlog(),
        server_header=False,
        proxy_headers=bool(forwarded_from),
        forwarded_allow_ips=forwarded_from or None,
        timeout_graceful_shutdown=ending.REQUESTS_SECONDS,
    )
    return HttpServer(config, guard, app.state.shell.connections, ready)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError:
        found.close()
        raise
    return found


run = program.complete


async def serve(app: Starlette, store: Store, listening: Listening, ready: Callable[[str | None], None]) -> None:
    """Until SIGTERM or SIGINT; then what is under way is answered, and everything is closed. `ready` gets the URL of
    DynamoDB's API, if it is served."""
    wire: WireServer | None = None
    try:
        if listening.dynamodb_port is not None and isinstance(store, Embedded):
            room = min(Limits().connections_max, descriptors.room() // 2)
            limits = Limits(connections_max=room, shutdown_seconds=ending.LAST_SECONDS)
            wire = WireServer(store.engine, listening.keys, region=listening.region, limits=limits)
            await wire.start("127.0.0.1", listening.dynamodb_port)
        url = f"http://127.0.0.1:{wire.port}" if wire else None

        def started() -> None:
            program.collect_seldom()
            ready(url)

        server = http_server(app, started, listening.forwarded_from)
        _stop_on_signals(server)
        await server.serve([listening.web])
    finally:
        if wire is not None:
            await wire.stop()
        await store.close()
        log.info("stopped")


def _stop_on_signals(server: HttpServer) -> None:
    loop = asyncio.get_running_loop()

    def stop(number: int) -> None:
        log.info("stopping", extra={"signal": signal.Signals(number).name})
        if not server.should_exit:
            ending.within()
        server.force_exit = server.should_exit and number == signal.SIGINT  # Ctrl-C again: now
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop, number)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda received, _: loop.call_soon_threadsafe(stop, received))
