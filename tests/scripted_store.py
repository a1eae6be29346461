"""A store that does what a test writes down: it fails, answers otherwise, loses answers, or notes what it is asked.

store = ScriptedStore(inner)                            # notes its calls, and can do nothing but `call`
store.before = raises(NoAnswer("gone"), operations=["PutItem"])
store.after = read_meanwhile                            # (operation, request, answer) -> another answer, or None
store = dying(inner, 3, KeyboardInterrupt, done=True)   # its caller ends at the third call
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from sekkei.store.protocol import Request, Response, Store

Before = Callable[[str, Request], Any]
"""May raise. What it returns, or what an awaitable of it gives, is the answer; None: the store is asked."""
After = Callable[[str, Request, Response], Any]
"""May raise; None: the answer stays as it is."""
Error = BaseException | type[BaseException]


class ScriptedStore:
    """Asks the store behind it, if there is one, between `before` and `after`."""

    def __init__(self, store: Store | None = None, *, before: Before | None = None, after: After | None = None) -> None:
        self.store, self.before, self.after = store, before, after
        self.asked: list[tuple[str, Request]] = []

    async def call(self, operation: str, request: Request, *more: Any) -> Response:
        self.asked.append((operation, request))
        answer = await _result(self.before(operation, request)) if self.before is not None else None
        if answer is None:
            answer = await self.store.call(operation, request, *more) if self.store is not None else {}
        other = await _result(self.after(operation, request, answer)) if self.after is not None else None
        return answer if other is None else other

    def count(self, operation: str, table: str = "") -> int:
        """How often an operation was asked for, with this table somewhere in the request."""
        return sum(one == operation and table in str(request) for one, request in self.asked)

    async def close(self) -> None:
        if self.store is not None:
            await self.store.close()


async def _result(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def raises(*errors: Error, operations: Collection[str] = ()) -> Before:
    """One error after the other, at these operations or at all; then nothing more."""
    left = list(errors)

    def before(operation: str, request: Request) -> None:
        if left and (not operations or operation in operations):
            raise left.pop(0)

    return before


def once(operation: str, happens: Callable[[], Any]) -> Before:
    """Something happens just before the first of these operations."""
    left = [happens]

    def before(asked: str, request: Request) -> Any:
        return _nothing_of(left.pop()()) if asked == operation and left else None

    return before


async def _nothing_of(value: Any) -> None:
    await _result(value)


def answers(*given: Mapping[str, Any] | Exception | Callable[[Any], Mapping[str, Any]]) -> Before:
    """One answer after the other, the last one for ever; an error is raised, a function is asked for the answer."""
    left = list(given)

    def before(operation: str, request: Request) -> Any:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(request) if callable(answer) else answer

    return before


def ends_after(calls: int, error: Error) -> Before:
    """So many calls reach the store, and none that follows."""
    left = [calls]

    def before(operation: str, request: Request) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise error

    return before


class Dying(ScriptedStore):
    """Its caller ends at a call, and asks for nothing any more."""

    def __init__(self, store: Store, nth: int, error: Error, done: bool, operations: Collection[str]) -> None:
        super().__init__(store)
        self._left, self._error, self._done, self._operations = nth, error, done, operations

    @property
    def dead(self) -> bool:
        return self._left <= 0

    async def call(self, operation: str, request: Request, *more: Any) -> Response:
        if self._operations and operation not in self._operations:
            return await super().call(operation, request, *more)
        self._left -= 1
        if self._left > 0:
            return await super().call(operation, request, *more)
        if self._left == 0 and self._done:
            await super().call(operation, request, *more)
        raise self._error


def dying(store: Store, nth: int, error: Error, *, done: bool = False, operations: Collection[str] = ()) -> Dying:
    """A store whose caller ends at its nth call (of these operations): before it arrives, or when it is done."""
    return Dying(store, nth, error, done, operations)
