"""Fields that hold text from outside are cleaned as they are decoded."""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

import msgspec
import pytest
from msgspec import UNSET, Struct, UnsetType

from sekkei.kit.typed import Line, NameLine, Text, Token, cleaned, text_reader

DIRTY = "a\x07\u202eb\u200b\u2028c"
Title = Annotated[str, Line(5)]
T = TypeVar("T")


class Part(Struct, frozen=True):
    text: Annotated[str, Text(10)] = ""


class Whole(Struct, Generic[T], rename="camel"):
    main_title: Title
    changed: Title | UnsetType | None = UNSET
    several: list[Title] = []
    by_name: dict[str, Title] = {}
    parts: tuple[Part, ...] = ()
    part: Part | None = None
    last: T | None = None
    token: Token = ""
    number: int | Title = 0
    within: Whole[Title] | None = None


def read(body: Any, kind: Any = Whole[Title]) -> Any:
    return cleaned(msgspec.convert(body, kind), kind)


def test_texts_are_cleaned_wherever_they_stand() -> None:
    whole = read(
        {
            "mainTitle": DIRTY,
            "changed": DIRTY,
            "several": [DIRTY, "x"],
            "byName": {"one": DIRTY},
            "parts": [{"text": DIRTY}],
            "part": {"text": DIRTY},
            "last": DIRTY,
            "token": DIRTY,
            "number": DIRTY,
            "within": {"mainTitle": DIRTY, "last": DIRTY},
        }
    )
    line, text = "ab c", "ab\nc"
    assert whole == Whole(
        line, line, [line, "x"], {"one": line}, (Part(text),), Part(text), line, DIRTY, line, Whole(line, last=line)
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"mainTitle": " \u200b "}, "Expected `str` of length >= 1 - at `$.mainTitle`"),
        ({"mainTitle": "123456"}, "Expected `str` of length <= 5 - at `$.mainTitle`"),
        ({"mainTitle": "a", "several": ["b", "123456"]}, "Expected `str` of length <= 5 - at `$.several[1]`"),
        ({"mainTitle": "a", "parts": [{"text": "a" * 11}]}, "Expected `str` of length <= 10 - at `$.parts[0].text`"),
        ({"mainTitle": "a", "byName": {"b": ""}}, "Expected `str` of length >= 1 - at `$.byName[...]`"),
    ],
)
def test_limits_count_the_cleaned_text(body: Any, message: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refusal:
        read(body)
    assert str(refusal.value) == message
    assert read({"mainTitle": "  𠮷\u200b野家か\u3099 "}).main_title == "𠮷野家が"


def test_what_a_type_says_of_itself() -> None:
    assert msgspec.json.schema(Title) == {"type": "string", "minLength": 1, "maxLength": 5}
    assert msgspec.json.schema(Annotated[str, Text(7)]) == {"type": "string", "maxLength": 7}
    assert read("\u200f山田", Annotated[str, NameLine(9)]) == "山田"
    assert read("\u200f山田", Annotated[str, Line(9)]) == "\u200f山田"
    assert [text_reader(kind) for kind in (str, str | None, int)] == [None] * 3


def test_a_text_far_too_long_is_refused_before_it_is_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Annotated[str, Line(5)]
    assert cleaned(" \r\n" * 100 + "abc", kind) == "abc"
    with pytest.raises(msgspec.ValidationError, match="length <= 5"):
        cleaned("\u0301" * 2_000, kind)
