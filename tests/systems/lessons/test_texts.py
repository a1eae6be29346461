from __future__ import annotations

from pathlib import Path

import sekkei_systems.lessons
from sekkei.web import missing_texts
from sekkei_systems.lessons.texts import TEXTS


def test_no_text_is_missing() -> None:
    assert missing_texts(TEXTS, Path(sekkei_systems.lessons.__file__).parent) == []
