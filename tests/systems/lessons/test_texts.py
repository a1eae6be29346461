"""Every text is there in both languages."""

from __future__ import annotations

from sekkei.texts.checks import missing_texts


def test_no_text_is_missing() -> None:
    assert missing_texts("sekkei_systems.lessons", users=["sekkei_lessons_migration"]) == []
