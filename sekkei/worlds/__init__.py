"""Whole systems in simulated time, from one seed: processes that die, a network that loses things, people who act.

    outcome = run(WORLD, seed=13)
    outcome.broken        "" or which invariant broke, and how
    shrink(WORLD, outcome).story

See `sekkei.worlds.script` for how a world is written.
"""

from sekkei.worlds.callbacks import Letter
from sekkei.worlds.errors import Broken, Gone
from sekkei.worlds.faults import CALM, Faults
from sekkei.worlds.people import Person
from sekkei.worlds.replay import Retelling
from sekkei.worlds.running import Outcome, many, run, shrink
from sekkei.worlds.script import Script
from sekkei.worlds.seam import Driven, Truth
from sekkei.worlds.world import Event, World

__all__ = [
    "CALM",
    "Broken",
    "Driven",
    "Event",
    "Faults",
    "Gone",
    "Letter",
    "Outcome",
    "Person",
    "Retelling",
    "Script",
    "Truth",
    "World",
    "many",
    "run",
    "shrink",
]
