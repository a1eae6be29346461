"""The end of a process that was told to stop: in order if it can, and within five seconds in any case.

Whoever ends in order has less time than that: requests under way, the worker's rounds and calls have REQUESTS_SECONDS
side by side, and putting things down LAST_SECONDS after them. A thread that waits for a server without an answer, or
a store that hangs, is not waited for: what was written is safe, and what was begun is another process's when its lease
is over.
"""

from __future__ import annotations

import logging
import os
import threading

SECONDS = 4.8
REQUESTS_SECONDS = 3
LAST_SECONDS = 0.5

log = logging.getLogger("sekkei.ending")


def within(seconds: float = SECONDS) -> None:
    """Told to stop: this process is gone after so many seconds, whatever it is doing then."""
    timer = threading.Timer(seconds, _cut_off)
    timer.daemon = True
    timer.start()


def _cut_off() -> None:
    log.warning("something did not end in time and is cut off")
    for handler in logging.getLogger().handlers:
        handler.flush()
    os._exit(0)
