"""The texts of this system."""

from __future__ import annotations

from sekkei.texts import Texts
from sekkei_systems.lessons.design import TieKind
from sekkei_systems.lessons.texts.keys import Key

say: Texts[Key] = Texts.load("sekkei_systems.lessons", tie=TieKind, kind=TieKind)
t = say.here
