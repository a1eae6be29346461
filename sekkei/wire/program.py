"""A process that serves until it is told to stop."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any

from sekkei import ending
from sekkei.wire import limits
from sekkei.wire.server import Server

log = logging.getLogger("sekkei.wire")

_Announce = Callable[[str], None]
"""Called with the URL once requests are answered there."""


def run(make_server: Callable[[], Server], host: str, port: int, announce: _Announce) -> None:
    """Serve until SIGTERM or SIGINT, then answer what is under way and return."""
    complete(_serve(make_server, host, port, announce))


def complete(main: Coroutine[Any, Any, None]) -> None:
    """On uvloop where it is installed (`sekkei[fast]`), else on Python's own event loop: the same, somewhat slower."""
    limits.ask_for_more()
    try:
        import uvloop
    except ModuleNotFoundError:
        asyncio.run(main)
    else:
        uvloop.run(main)


async def _serve(make_server: Callable[[], Server], host: str, port: int, announce: _Announce) -> None:
    stop = _stop_signal()
    server = make_server()
    await server.start(host, port)
    collect_seldom()
    url = f"http://{_in_url(host)}:{server.port}"
    announce(url)
    loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
    told = {"url": url, "pid": os.getpid(), "verifies_signatures": server.verifies, "event_loop": loop}
    log.info("started", extra=told)
    name = await stop
    log.info("stopping", extra={"signal": name})
    await server.stop()
    log.info("stopped")


def collect_seldom() -> None:
    """What was loaded to get here lives as long as the process: the collector need not look at it again and again. What
    a request makes is gone with its last reference; looking for cycles every 700 objects, as Python does unless told
    otherwise, is a tenth of a request."""
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def _stop_signal() -> asyncio.Future[str]:
    """Done, with the signal's name, when someone asks the process to end."""
    loop = asyncio.get_running_loop()
    stop: asyncio.Future[str] = loop.create_future()

    def ask(number: int) -> None:
        if not stop.done():
            ending.within()
            stop.set_result(signal.Signals(number).name)

    def ask_from_outside(number: int, _: object) -> None:
        loop.call_soon_threadsafe(ask, number)

    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, ask, number)
        except NotImplementedError:  # Windows
            signal.signal(number, ask_from_outside)
    return stop


def _in_url(host: str) -> str:
    if host in ("", "0.0.0.0", "::"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
