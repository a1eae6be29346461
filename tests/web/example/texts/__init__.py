"""The texts of this system."""

from __future__ import annotations

from sekkei.texts import Texts

say = Texts.load("tests.web.example")
t = say.here
