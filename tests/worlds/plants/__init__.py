"""Faults put in on purpose, at least one for each promise of each world."""

from __future__ import annotations

from tests.worlds.plants import chiipochi, eventbot, lessons, q, tasks
from tests.worlds.plants.planting import Planted

PLANTS: list[Planted] = [*tasks.PLANTS, *lessons.PLANTS, *eventbot.PLANTS, *chiipochi.PLANTS, *q.PLANTS]
