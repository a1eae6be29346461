"""Texts as data: two languages, one and many, enums, sections, and the language of a request."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

import pytest

from sekkei.runtime.refusals import Conflict, NotThere, Refusal
from sekkei.texts import Texts, UnknownText, kebab, read, spoken, texts_near
from tests.web.example import Taken
from tests.web.example.texts import say, t


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def test_one_and_many() -> None:
    assert say("en", "notes.count", n=1) == "1 note"
    assert say("en", "notes.count", n=0) == "0 notes"
    assert say("ja", "notes.count", n=1) == "1 件"
    assert say("fr", "notes.title") == "Notes", "a language that we do not speak"


def test_a_key_that_nobody_has_names_the_file() -> None:
    with pytest.raises(UnknownText, match=r"tests\.web\.example/texts/ja\.toml"):
        say("ja", "nothing")


def test_the_language_of_the_request() -> None:
    assert t("notes.title") == "メモ"
    before = spoken.set("en")
    try:
        assert t("notes.title") == "Notes"
    finally:
        spoken.reset(before)


def test_sections_forms_and_keys_with_dots(tmp_path: Path) -> None:
    file = tmp_path / "en.toml"
    file.write_text(
        'alone = "a"\n[team]\nopen = { one = "{n} task", other = "{n} tasks" }\n"delete.sure" = "b"\n'
        '[team.left]\nby = "c"\n[other]\nother = "d"\n'
    )
    assert read(file) == {
        "alone": "a",
        "team.open": {"one": "{n} task", "other": "{n} tasks"},
        "team.delete.sure": "b",
        "team.left.by": "c",
        "other.other": "d",
    }
    file.write_text("[team]\nopen = 3\n")
    with pytest.raises(TypeError, match=r"team\.open: a text is a string"):
        read(file)


def test_an_enum_and_a_section_for_a_script() -> None:
    table = {"colour.red": "Red", "colour.blue": "Blue", "client.n": {"one": "1", "other": "{n}"}}
    texts = Texts({"ja": table, "en": table})
    assert texts.choice("en", "colour", Colour.BLUE) == texts.choice("ja", "colour", "blue") == "Blue"
    assert texts.section("en", "client") == {"n": {"one": "1", "other": "{n}"}}
    assert texts.section("en", "colour") == {"red": "Red", "blue": "Blue"}


def test_a_value_without_a_text_stops_the_program() -> None:
    with pytest.raises(UnknownText, match=r"Colour has values without a text in .*: notes\.red \(ja\)"):
        Texts.load("tests.web.example", notes=Colour)


def test_a_refusal_finds_its_words_where_its_class_stands() -> None:
    assert (kebab("LastAdmin"), Taken.code) == ("last-admin", "taken")
    assert Taken(text="x").text("en") == "There is a note “x” already."

    class OfNobody(Taken):
        """No words of its own, nor texts near it."""

    assert OfNobody.code == "of-nobody"
    assert OfNobody(text="x").text("en") == "There is a note “x” already.", "what its parent says"
    assert (NotThere().text("en"), str(Conflict())) == ("There is nothing here.", "You can't do that.")
    assert Refusal.code == "refused", "as APIs have always shown it"


def test_the_texts_near_a_module() -> None:
    assert texts_near("tests.web.example.design") is texts_near("tests.web.example")
    assert texts_near("tests.texts.test_texts") is None
    assert texts_near("__main__") is None
