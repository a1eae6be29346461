"""DynamoDB itself, embedded: one SQLite file, in process, durable, exact errors.

from sekkei.engine import Engine
from sekkei.errors import ConditionalCheckFailedException
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sekkei.engine.engine import Engine

__all__ = ["Engine"]


def __getattr__(name: str) -> Any:
    # Whoever only needs the errors, as a remote store does, need not load SQLite.
    if name == "Engine":
        from sekkei.engine.engine import Engine

        return Engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
