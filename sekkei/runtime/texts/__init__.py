"""The runtime's own texts: the words of the refusals that every system shares."""

from __future__ import annotations

from sekkei.texts import Texts

say = Texts.load("sekkei.runtime")
