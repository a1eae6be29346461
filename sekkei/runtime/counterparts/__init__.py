"""Counterparts of services outside: as strict as the real ones, used by simulators, by worlds and by tests.

One implementation each, without a network of its own: `answer` takes a request and gives what the service would say.
Served over HTTP (`sekkei.runtime.counterparts.served`) it has the faults of a network; in a world the world has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sekkei.store.http import Answer


class Counterpart(Protocol):
    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """What the service says; `target` is path and query, names of headers are in lower case."""
        ...
