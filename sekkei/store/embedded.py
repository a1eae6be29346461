"""DynamoDB in this process: one file, or memory."""

from __future__ import annotations

import asyncio
import os

from sekkei.clock import SYSTEM, Clock
from sekkei.engine.engine import Engine
from sekkei.errors import StoreClosed
from sekkei.store.protocol import Request, Response


class Embedded:
    """The embedded engine as a store. `Embedded("./data/app.db")` keeps what it acknowledged; `Embedded()` is memory.

    Any number of tasks may use it, and several threads with event loops of their own. An `Engine` that was opened with
    settings of its own may stand in the path's place; closing the store closes it.
    """

    answers_surely = True
    """What happened is always answered: no network is in between to lose the answer."""

    needs_no_loop = True
    """A call from a thread without an event loop is carried out at once, and never suspends."""

    def __init__(self, path: str | os.PathLike[str] | Engine | None = None, *, clock: Clock = SYSTEM) -> None:
        if isinstance(path, Engine):
            self.engine = path
        else:
            self.engine = Engine(None if path == ":memory:" else path, clock=clock)
        # The engine's own method, so that the seam adds nothing to a read of some microseconds.
        self.call = self.engine.call  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return f"Embedded({self.engine.path!r})"

    def version(self) -> int:
        """Another number after every write, whoever made it: a cheap way to see whether there is anything new."""
        return self.engine.version()

    def past(self, table: str, key: Request, before: int | None = None) -> tuple[list[Response], int | None]:
        """Changes of one item as stream records, the newest first, and where to look on; some of the log at a time.

        As far back as the table's stream (a day) or point-in-time recovery (35 days) keeps them.
        """
        return self.engine.past(table, key, before)

    async def call(self, operation: str, request: Request) -> Response:
        """Perform one operation; see `Store.call`."""
        raise StoreClosed

    async def close(self) -> None:
        """Refuse further calls; writes under way are finished first."""
        self.__dict__.pop("call", None)
        if asyncio._get_running_loop() is None:
            self.engine.close()
        else:
            await asyncio.to_thread(self.engine.close)
