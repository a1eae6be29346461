"""Every text, in both languages."""

from __future__ import annotations

from pathlib import Path

import sekkei_systems.eventbot
from sekkei.web.texts import missing_texts
from sekkei_systems.eventbot.texts import TEXTS


def test_every_text_is_there_in_both_languages() -> None:
    assert missing_texts(TEXTS, Path(sekkei_systems.eventbot.__file__).parent) == []
