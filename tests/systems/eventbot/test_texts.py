"""Every text, in both languages."""

from __future__ import annotations

from sekkei.texts.checks import missing_texts


def test_every_text_is_there_in_both_languages() -> None:
    assert missing_texts("sekkei_systems.eventbot") == []
