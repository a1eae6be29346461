"""The texts of this system."""

from __future__ import annotations

from sekkei.texts import Texts
from sekkei_systems.lessons.design import TieKind

say = Texts.load("sekkei_systems.lessons", tie=TieKind, kind=TieKind)
t = say.here
