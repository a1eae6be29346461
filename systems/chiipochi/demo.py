"""Believable sample data: four weeks of donations by the demo people and their friends."""

from __future__ import annotations

from sekkei.runtime.system import Context, Parts


async def demo(context: Context, parts: Parts) -> None:
    """Filled in below."""
