"""What the server allows a client, and how many files and connections this process may have open at one time.

Every connection is an open file. When there are none left, no client can connect, and no connection can be closed to
make room for one, since it must have been accepted for that.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Every bound that the server keeps; the defaults suit one machine."""

    body_bytes_max: int = 16 * _MIB
    """DynamoDB's own bound on a request."""

    head_bytes_max: int = 64 * 1024
    header_count_max: int = 100

    buffered_bytes_max: int = 256 * _MIB
    """Of all request bodies that are being received at one time."""

    unread_bytes_max: int = 256 * _MIB
    """Of all answers that their clients have not taken yet."""

    connections_max: int = 1024
    """Fewer when the process may not have twice as many files open."""

    request_seconds: float = 60.0
    """From the first byte of a request to its last."""

    idle_seconds: float = 120.0
    """Between two requests of one connection."""

    write_seconds: float = 60.0
    """For a client that does not take its answer."""

    stalled_seconds: float = 3.0
    """Who sent nothing more of a request, or took nothing of an answer, for so long makes room when there is none."""

    linger_seconds: float = 10.0
    """How long what a refused client still sends is read and thrown away, so that it can read why."""

    shutdown_seconds: float = 3.0
    """For the requests that are under way when the server stops."""

    sweep_seconds: float = 1.0
    """How often the server looks for clients that have used up their time."""


WANTED = 16_384
"""Enough for all that our servers allow. Some systems give a thousand unless asked, and a million when asked: programs
that close or watch all that could be open take their time then."""
_BACKLOG = 1024


def descriptors() -> int:
    """How many this process may have open."""
    if sys.platform == "win32":
        return 2048
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if soft == resource.RLIM_INFINITY else soft


def ask_for_more() -> None:
    """As many as we want, as far as the system allows it. For programs: the limit is the whole process's."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (ValueError, OSError):
        return  # macOS allows less than it says; we take fewer connections then


def room() -> int:
    """How many connections there may be: at most half, since the store and its copies need some too."""
    return descriptors() // 2


def backlog() -> int:
    """How many may wait to be accepted: an event loop accepts them all, and once more as many before one of them has
    been let in or turned away."""
    return max(1, min(_BACKLOG, descriptors() // 16))
