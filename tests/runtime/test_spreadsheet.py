"""No cell starts a formula, and each is read back as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei.runtime.spreadsheet import SIGNS, as_written, harmless


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("before", ["", " ", "\t", "\r\n", "\u3000", "\xa0 ", "\ufeff", "\u200b", "\0"])
def test_what_could_start_a_formula_is_kept_a_text(sign: str, before: str) -> None:
    text = f"{before}{sign}1+1"
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", " ", "ピーナッツ", "a=b", "1-2", "mail@example.com", "株式会社＝", "(-1)", "{}"])
def test_anything_else_is_left_alone(text: str) -> None:
    assert harmless(text) == text
    assert as_written(text) == text


@pytest.mark.parametrize("cell", ["'tis", "''", "'=1", "''=1", "'"])
def test_a_text_with_an_apostrophe_of_its_own_keeps_it(cell: str) -> None:
    assert as_written(harmless(cell)) == cell


@given(
    st.text(alphabet=st.sampled_from([*SIGNS, "'", " ", "\t", "\r", "\n", "\u3000", "\ufeff", "a", "1"]), max_size=8)
)
def test_every_text_is_read_back_as_it_was(text: str) -> None:
    assert as_written(harmless(text)) == text
    assert not harmless(text).lstrip(" \t\r\n\u3000\ufeff").startswith(SIGNS)
