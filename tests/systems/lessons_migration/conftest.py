from __future__ import annotations

from tests.systems.lessons.conftest import clock, world

__all__ = ["clock", "world"]
