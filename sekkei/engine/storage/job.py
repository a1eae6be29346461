"""A piece of work for the writer, and who waits for it: a future of an event loop, or a caller without one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from typing import Any

from sekkei.engine.storage.transaction import Transaction

Work = Callable[[Transaction], Any]


class Job:
    """Some work, and who waits for it."""

    __slots__ = ("error", "future", "is_counted", "loop", "result", "work")

    def __init__(
        self,
        work: Work,
        loop: asyncio.AbstractEventLoop | Waiter | None = None,
        future: asyncio.Future[Any] | Waiter | None = None,
        *,
        is_counted: bool = True,
    ) -> None:
        self.work = work
        self.is_counted = is_counted
        """Whether it came through the queue."""
        self.loop = loop
        self.future = future
        self.result: Any = None
        self.error: BaseException | None = None

    @property
    def is_left_alone(self) -> bool:
        """Whether the event loop that it came from is no more: done later, it would come after what was told to be
        there meanwhile."""
        return isinstance(self.loop, asyncio.AbstractEventLoop) and self.loop.is_closed()

    def deliver(self) -> None:
        """In the loop of whoever waits."""
        if self.future is None or self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Waiter:
    """Loop and future of a caller that has no event loop: a lock that the writer opens."""

    __slots__ = ("_lock", "error", "result")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self.result: Any = None
        self.error: BaseException | None = None

    def wait(self) -> None:
        self._lock.acquire()

    def call_soon_threadsafe(self, deliver: Callable[[list[Job]], None], jobs: list[Job]) -> None:
        deliver(jobs)

    def done(self) -> bool:
        return False

    def set_result(self, result: Any) -> None:
        self.result = result
        self._lock.release()

    def set_exception(self, error: BaseException) -> None:
        self.error = error
        self._lock.release()

    def __await__(self) -> Generator[None, None, Any]:
        if self.error is not None:
            raise self.error
        return self.result
        yield  # never reached; it makes this a generator, which is what is awaited
