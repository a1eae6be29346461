"""How many files and connections this process may have open at one time.

Every connection is one of them, and when there are none left, nobody can connect any more, nor can anybody be let go to
make room: a connection must have been accepted for that.
"""

from __future__ import annotations

import sys

WANTED = 16_384
"""Enough for all that our servers allow. Some systems give a thousand unless asked, and a million when asked: programs
that close or watch all that could be open take their time then."""
BACKLOG = 1024


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
    return max(1, min(BACKLOG, descriptors() // 16))
