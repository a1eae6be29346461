"""What a connection asks of the server that it belongs to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from sekkei.wire.limits import Limits
from sekkei.wire.service import Service
from sekkei.wire.turns import Turns
from sekkei.wire.unread import Unread

if TYPE_CHECKING:
    from sekkei.wire.connection import Connection


class Host(Protocol):
    service: Service
    limits: Limits
    turns: Turns
    unread: Unread
    stopping: bool
    debug: bool

    def enter(self, connection: Connection) -> bool:
        """False when there is no room for one more."""
        ...

    def leave(self, connection: Connection) -> None: ...

    def buffer(self, count: int) -> bool:
        """Count bytes that are kept in memory (or, negative, no longer are); False when they are too many."""
        ...

    def send(self, transport: asyncio.Transport, answer: bytes) -> None:
        """Before this turn of the loop is over."""
        ...

    def send_all(self) -> None:
        """What was to be sent, now."""
        ...
