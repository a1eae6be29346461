"""Running asynchronous code where there is none: what carries the synchronous face.

On a store in this process no call ever needs an event loop to wait, so its coroutine is stepped through by hand, in the
caller's thread; that also works inside a loop that is running already, as in a notebook. Any other store gets one loop
in one thread of its own, shared by all callers, and each call to it is waited for.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sekkei.store.protocol import Request, Response, Store

_T = TypeVar("_T")


def drive(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """The result of a coroutine that never suspends when no event loop is there."""
    outside = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: _T = done.value
        return result
    finally:
        asyncio._set_running_loop(outside)
    coroutine.close()
    raise RuntimeError("the store suspended a call that had no event loop; open it with design.open() instead")


class Loop:
    """An event loop in a thread of its own. It starts with the first call."""

    def __init__(self) -> None:
        self._start = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run it there, and wait here."""
        with self._start:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="sekkei-loop", daemon=True)
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def stop(self) -> None:
        with self._start:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


class _Waiting:
    """A store behind a loop of its own, whose calls never suspend their caller: they make it wait."""

    def __init__(self, store: Store) -> None:
        self._store, self._loop = store, Loop()
        self.answers_surely: bool = getattr(store, "answers_surely", False)

    async def call(self, operation: str, request: Request) -> Response:
        """Perform one operation; see `Store.call`."""
        return self._loop.run(self._store.call(operation, request))

    async def close(self) -> None:
        self._loop.run(self._store.close())
        self._loop.stop()


def without_loop(store: Store) -> Store:
    """The store for a caller that has no event loop."""
    return store if getattr(store, "needs_no_loop", False) else _Waiting(store)
