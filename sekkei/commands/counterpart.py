"""`sekkei counterpart`: a service outside, as strict as the real one, on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sekkei.commands import OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.clock import Clock

Offer = Any
"""What an entry point gives: see `sekkei_fakes.offers.Offer`."""
GROUP = "sekkei.counterparts"


EXAMPLES = """\
examples:
  sekkei counterpart smtp --port 2525         a mail server that shows what it gets
  sekkei counterpart line                     LINE's Messaging API
  sekkei counterpart expo                     Expo's push service
  sekkei counterpart stripe|discord|studio    those that the five systems meet

  sekkei counterpart line --webhook http://127.0.0.1:8000/chiipochi/webhook
                                              what you type is delivered there as a friend's words

It prints the settings with which a system uses it. Packages offer more by entry points of the group
`sekkei.counterparts`. It runs until Ctrl-C, keeps nothing, and listens on this machine only.
With --webhook it reads what you type; /down, /hang, /slow and /well are its moods.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("service", help="discord, expo, line, smtp, stripe, studio, or one that a package offers")
    parser.add_argument("--port", type=int, default=0, help="where it listens (default: a free port)")
    parser.add_argument("--webhook", metavar="URL", help="where a system takes its events; then you type what happens")


def run(arguments: argparse.Namespace) -> int:
    offer = _find(arguments.service)
    if not 0 <= arguments.port < 65_536:
        raise CouldNotRun("--port: give a number from 0 to 65535.")
    import asyncio

    try:
        asyncio.run(_serve(offer, arguments.service, arguments.port, arguments.webhook))
    except KeyboardInterrupt:
        pass
    except OSError as error:
        raise CouldNotRun(f"port {arguments.port} cannot be used: {error.strerror or error}.") from error
    return OK


def _find(name: str) -> Callable[[Clock], Offer]:
    from importlib.metadata import entry_points

    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        there = ", ".join(sorted(points)) or "none, as the distribution sekkei-fakes is not installed"
        raise CouldNotRun(f"{name} is no counterpart. There are: {there}.")
    found: Callable[[Clock], Offer] = points[name].load()
    return found


async def _serve(make: Callable[[Clock], Offer], name: str, port: int, webhook: str | None) -> None:
    import asyncio

    from sekkei.clock import SYSTEM

    offer = make(SYSTEM)
    if webhook is not None:
        _set_webhook(offer, name, webhook)
    async with offer.opened(port) as url:
        print(f"{name} listens at {url}. Ctrl-C ends it. To use it:\n")
        for setting, value in offer.settings(url).items():
            print(f"export SEKKEI_{setting.upper()}={value}")
        print(flush=True)
        if webhook is not None:
            await _typed(offer)
        await asyncio.Event().wait()


def _set_webhook(offer: Offer, name: str, url: str) -> None:
    from sekkei.errors import ConfigurationError
    from sekkei.store.http import Origin

    if offer.terminal is None:
        raise CouldNotRun(f"{name} sends no events: leave --webhook out.")
    try:
        origin = Origin.of(url)
    except ConfigurationError as error:
        raise CouldNotRun(f"--webhook: {error}") from error
    if not origin.loopback:
        raise CouldNotRun("--webhook: give an address of this machine, such as http://127.0.0.1:8000/….")
    offer.terminal.webhook = url


async def _typed(offer: Offer) -> None:
    """Until the terminal has no more."""
    import asyncio
    import sys

    assert offer.terminal is not None
    print(f"Once the system runs, press Enter. {offer.terminal.hint}", flush=True)
    if not await asyncio.to_thread(sys.stdin.readline):
        return
    await offer.terminal.start()
    while line := await asyncio.to_thread(sys.stdin.readline):
        typed = line.strip()
        if not _mood(offer, typed):
            await offer.terminal.take(typed)


def _mood(offer: Offer, typed: str) -> bool:
    if typed not in ("/down", "/hang", "/slow", "/well"):
        return False
    offer.faults.down, offer.faults.hang = typed == "/down", typed == "/hang"
    offer.faults.slow_seconds = 5.0 if typed == "/slow" else 0.0
    return True
