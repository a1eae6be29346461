"""An event loop without waiting: when nothing can run, the time of the next timer comes at once.

One thread, and no choice that is not the seed's: the same world gives the same order of steps. Work for a thread is
done where it stands. What belongs to a process that was killed does not run any more. It is not cancelled either, or
its `finally` blocks would run, which no dead process does.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import selectors
import threading
import warnings
from collections import deque
from collections.abc import Collection
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from math import inf
from typing import Any


class StandStill(RuntimeError):
    """Nothing can run and no timer is set: somebody waits for what will never come."""


@dataclass(eq=False, slots=True)
class Life:
    """From the start of a process to its end."""

    name: str
    dead: bool = False
    frozen: list[Any] = field(default_factory=list)
    """What would have run; kept, because a coroutine that is thrown away runs its `finally` blocks."""


LIFE: ContextVar[Life | None] = ContextVar("life", default=None)


class _Selector(selectors.SelectSelector):
    """Looks at no socket: nobody outside can make a world go on."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return []


class _Handle(asyncio.Handle):
    """Something to run, without what debugging asks of asyncio's own: a world makes tens of thousands of them."""

    __slots__ = ()

    def __init__(self, callback: Any, args: Any, loop: VirtualLoop, context: Context | None) -> None:
        self._callback, self._args, self._loop = callback, args, loop
        self._context = copy_context() if context is None else context
        self._cancelled, self._repr, self._source_traceback = False, None, None

    def cancel(self) -> None:
        self._cancelled = True
        self._callback, self._args = None, ()  # let go of what they hold


class _Timer(_Handle, asyncio.TimerHandle):
    """The same at its time."""

    __slots__ = ()

    def __init__(self, when: float, callback: Any, args: Any, loop: VirtualLoop, context: Context | None) -> None:
        _Handle.__init__(self, callback, args, loop, context)
        self._when, self._scheduled = when, True


class VirtualLoop(asyncio.SelectorEventLoop):
    """`loop.time()` is virtual; `asyncio.sleep(3600)` takes an hour of it and no time at all."""

    _ready: deque[asyncio.Handle]
    _stopping: bool

    def __init__(self) -> None:
        self.virtual_seconds = 0.0
        self._timers: list[tuple[float, int, Any]] = []
        """By their time, then by who came first; most are cancelled before."""
        self._set = 0
        self.another_thread = False
        self._thread = threading.get_ident()
        super().__init__(_Selector())

    def time(self) -> float:
        return self.virtual_seconds

    def _run_once(self) -> None:
        """Turns until somebody stops the loop: the timers whose time has come, then everything that is ready by then,
        in its order."""
        ready, timers = self._ready, self._timers
        while True:
            if not ready or (timers and timers[0][0] <= self.virtual_seconds):
                self._move_on()
            for _ in range(len(ready)):
                handle: Any = ready.popleft()
                if handle._cancelled:
                    continue
                context = handle._context
                life = context.get(LIFE)
                if life is not None and life.dead:
                    life.frozen.append(handle)
                    continue
                try:
                    context.run(handle._callback, *handle._args)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:
                    self.call_exception_handler({"message": "a callback failed", "exception": error, "handle": handle})
            if self._stopping:
                return

    def next_moment(self, apart_from: Collection[object] = ()) -> float:
        """When something can happen that has nothing to do with these timers; now, if something can run."""
        if self._ready:
            return self.time()
        apart = {id(timer) for timer in apart_from}  # asyncio compares timers by all that they hold
        moments = (at for at, _, timer in self._timers if not timer._cancelled and id(timer) not in apart)
        return min(moments, default=inf)

    def _move_on(self) -> None:
        """If nothing can run, it is the time of the next timer."""
        timers = self._timers
        while timers and timers[0][2]._cancelled:
            heapq.heappop(timers)
        if not self._ready and not self._stopping:
            if not timers:
                raise StandStill("Nothing can run and no timer is set.")
            self.virtual_seconds = max(self.virtual_seconds, timers[0][0])
        while timers and timers[0][0] <= self.virtual_seconds:
            self._ready.append(heapq.heappop(timers)[2])

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = _Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.virtual_seconds + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        timer = _Timer(when, callback, args, self, context)
        self._set += 1
        heapq.heappush(self._timers, (when, self._set, timer))
        return timer

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Whatever another thread does happens in real time: such a world would not be the same twice."""
        if threading.get_ident() != self._thread:
            self.another_thread = True
        return super().call_soon_threadsafe(callback, *args, context=context)

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


def lay_to_rest(loop: VirtualLoop) -> None:
    """End what still waits when the world is over, and what its `finally` blocks begin then: nothing comes of it."""
    ended: set[asyncio.Task[Any]] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of what they were about to wait for
        while waiting := asyncio.all_tasks(loop) - ended:
            for task in waiting:
                setattr(task, "_log_destroy_pending", False)  # noqa: B010
                _close(task.get_coro())
            ended |= waiting
    loop.close()


def _close(coroutine: Any) -> None:
    with contextlib.suppress(BaseException):
        if coroutine is not None:
            coroutine.close()
