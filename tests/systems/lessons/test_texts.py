"""Every text is there in both languages."""

from __future__ import annotations

from pathlib import Path

from sekkei.texts import folder_of
from sekkei.texts.__main__ import keys_file
from sekkei.texts.checks import missing_texts


def test_no_text_is_missing() -> None:
    assert missing_texts("sekkei_systems.lessons", users=["sekkei_systems.lessons_migration"]) == []


def test_the_keys_are_those_of_the_texts() -> None:
    written = Path(folder_of("sekkei_systems.lessons") / "keys.py").read_text("utf-8")
    assert written == keys_file("sekkei_systems.lessons"), "Run `make texts`."
