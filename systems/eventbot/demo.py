"""Believable sample data."""

from __future__ import annotations

from sekkei.runtime.system import Context, Parts


async def demo(context: Context, parts: Parts) -> None:
    """Filled in with the simulator's world."""
