"""Whether statements read or write is known only when they have been read themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.transaction import Transaction


class Job(NamedTuple):
    """What a request of statements comes to: one of the two."""

    read: Callable[[Snapshot, Checked, Render], Response] | None = None
    write: Callable[[Transaction, Checked, Render], Response] | None = None
