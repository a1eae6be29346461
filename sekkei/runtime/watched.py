"""A store that counts its calls and tells at once who waits for a change that is made in this process.

    ear = watched.ear("sekkei-runtime", "OUTBOX#")      # rows whose key begins so
    await ear.wait(1.9)                                 # until such a row is written, or the time is over

A change that another process makes is not heard here; whoever waits looks again after a while. An embedded store can
tell cheaply whether there is anything to look for (`version`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from sekkei.errors import ConditionalCheckFailedException, TransactionCanceledException
from sekkei.store.protocol import Request, Response, Store
from sekkei.store.wrapper import WRITES as _ITEM_WRITES
from sekkei.store.wrapper import Wrapper, parts_of

_BY_STATEMENT = frozenset({"ExecuteStatement", "ExecuteTransaction", "BatchExecuteStatement"})
WRITES = _ITEM_WRITES | _BY_STATEMENT


class Ear:
    """Hears the writes to one table, or to the rows of it whose key begins in a certain way."""

    def __init__(self, table: str, beginning: str) -> None:
        self.table, self.beginning = table, beginning
        self._heard = False
        self._waiting: set[asyncio.Future[None]] = set()
        self.timer: asyncio.TimerHandle | None = None

    def hear(self) -> None:
        self._heard = True
        for waiting in self._waiting:
            _wake(waiting)

    def forget(self) -> None:
        """What was heard up to now has been seen to."""
        self._heard = False

    async def wait(self, seconds: float) -> bool:
        """Whether there was something to hear within that time."""
        if not self._heard:
            loop = asyncio.get_running_loop()
            waiting = loop.create_future()
            self._waiting.add(waiting)
            self.timer = timer = loop.call_later(seconds, _wake, waiting)
            try:
                await waiting
            finally:
                timer.cancel()
                self._waiting.discard(waiting)
        return self._heard


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


class Watched(Wrapper):
    """Any store, watched."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.calls: Counter[str] = Counter()
        """How often each operation was called."""
        self._ears: dict[str, list[Ear]] = {}

    def ear(self, table: str, beginning: str = "") -> Ear:
        made = Ear(table, beginning)
        self.add(made)
        return made

    def add(self, ear: Ear) -> None:
        self._ears.setdefault(ear.table, []).append(ear)

    def wake_all(self) -> None:
        for ears in self._ears.values():
            for ear in ears:
                ear.hear()

    def before(self, operation: str, request: Request) -> Request:
        self.calls[operation] += 1
        return request

    def after(self, operation: str, request: Request, response: Response) -> Response:
        if operation in WRITES:
            self._tell(operation, request)
        return response

    def failed(self, operation: str, request: Request, error: BaseException) -> None:
        """Tell of a write without an answer, which may have been carried out.

        A refused one wrote nothing: a listener would look again, be refused again, and so on without a pause.
        """
        is_refusal = isinstance(error, ConditionalCheckFailedException | TransactionCanceledException)
        if operation in WRITES and not (is_refusal and not getattr(error, "answer_lost", False)):
            self._tell(operation, request)

    def _tell(self, operation: str, request: Request) -> None:
        if operation in _BY_STATEMENT:
            self.wake_all()
            return
        with contextlib.suppress(LookupError, TypeError, AttributeError):  # of a request that is not valid
            for table, row in written(operation, request):
                for ear in self._ears.get(table, ()):
                    if concerns(ear, row):
                        ear.hear()


def concerns(ear: Ear, row: Mapping[str, Any]) -> bool:
    """Whether a write to this row of its table, given whole or by its key, is what it listens for."""
    beginning = ear.beginning
    if not beginning:
        return True
    for value in row.values():  # a loop: this is asked at every write, for everybody who listens
        text = value.get("S")
        if text is not None and text.startswith(beginning):
            return True
    return False


def watched(store: Store) -> Watched:
    """The store, watched once however often it is asked for."""
    return store if isinstance(store, Watched) else Watched(store)


def written(operation: str, request: Request) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the tables that a request writes to, each with a row or its key."""
    return [(part.table, part.item) for part in parts_of(operation, request) if part.action != "ConditionCheckItem"]
