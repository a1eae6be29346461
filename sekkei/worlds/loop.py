"""An event loop without waiting: when nothing can run, the time of the next timer comes at once.

One thread, and no choice that is not the seed's: the same world gives the same order of steps. Work for a thread is
done where it stands. What belongs to a process that was killed does not run any more. It is not cancelled either, or
its `finally` blocks would run, which no dead process does.
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import threading
import warnings
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
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
    """Waits for nobody and looks at no socket: the loop's time moves on instead."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise StandStill("Nothing can run and no timer is set.")
        if timeout > 0:
            self.loop.virtual_seconds += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """`loop.time()` is virtual; `asyncio.sleep(3600)` takes an hour of it and no time at all."""

    def __init__(self) -> None:
        self.virtual_seconds = 0.0
        self.another_thread = False
        self._thread = threading.get_ident()
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.virtual_seconds

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        context = copy_context() if context is None else context
        return super().call_soon(_alive(callback, context), *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        context = copy_context() if context is None else context
        return super().call_at(when, _alive(callback, context), *args, context=context)

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
    """End what still waits when the world is over; what its `finally` blocks do then is of no consequence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of what they were about to wait for
        for task in asyncio.all_tasks(loop):
            setattr(task, "_log_destroy_pending", False)  # noqa: B010
            _close(task.get_coro())
    loop.close()


def _close(coroutine: Any) -> None:
    with contextlib.suppress(BaseException):
        if coroutine is not None:
            coroutine.close()


def _alive(callback: Callable[..., Any], context: Context) -> Callable[..., Any]:
    """The callback, as long as the process that it belongs to lives."""
    life = context.get(LIFE)
    if life is None:
        return callback

    def run(*args: Any) -> None:
        if life.dead:
            life.frozen.append((callback, args))
        else:
            callback(*args)

    return run
