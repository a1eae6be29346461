"""Where product code asks for a fake of an outside service; the fakes are a development distribution, `sekkei-fakes`.

A fake is an entry point of the group `sekkei.fakes`, and product code never imports one.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any, Protocol

from sekkei.runtime.discovery import optional
from sekkei.store.http import Answer

GROUP = "sekkei.fakes"


class Counterpart(Protocol):
    """An outside service without a network of its own."""

    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer as the service would; `target` is path and query, names of headers are in lower case."""
        ...


def has_fake(name: str) -> bool:
    return bool(entry_points(group=GROUP, name=name))


def fake(name: str) -> Any:
    """The class or function that the fake is."""
    return optional(GROUP, name, "sekkei-fakes")
