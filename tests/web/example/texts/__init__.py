"""The texts of this system."""

from __future__ import annotations

from sekkei.texts import Texts
from tests.web.example.texts.keys import Key

say: Texts[Key] = Texts.load("tests.web.example")
t = say.here
