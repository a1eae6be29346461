"""The texts of this system."""

from __future__ import annotations

from sekkei.texts import Texts
from sekkei_systems.tasks.design.statuses import Priority, Status

say = Texts.load("sekkei_systems.tasks", status=Status, priority=Priority)
t = say.here
