"""One line as people see it."""

from __future__ import annotations

import pytest

from sekkei_systems.eventbot.rules.lines import one_line


@pytest.mark.parametrize("text", ["", "  ", "\u200b", "\u200b \u200d\ufeff", "\u3164", "\u2800", "\x00\x07", "\u202e"])
def test_what_nobody_sees_is_nothing(text: str) -> None:
    assert one_line(text) == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (" もくもく\n会 ", "もくもく 会"),
        ("a\x00b", "a b"),
        ("abc\u202edef", "abcdef"),
        ("👨\u200d👩\u200d👧 会", "👨\u200d👩\u200d👧 会"),
        ("か\u3099", "か\u3099"),
    ],
)
def test_the_rest_stays(text: str, line: str) -> None:
    assert one_line(text) == line
