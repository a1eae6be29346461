"""Codes of digits as people type them."""

from __future__ import annotations

import pytest

from sekkei.kit.codes import read_code

RIGHT = [
    "{}",
    "  {}\r\n",
    "{wide}",
    "{wide_halves}",
    "{halves}",
    "{dashed}",
    "{spread}",
    "コードは {} です。",
    "\u200b{}\ufeff",
    "\u202a{}\u202c",
    "{arabic}",
]
"""How people type a code that is right, as templates for `typed`."""
WRONG_FORM = ["", " ", "abc", "12345", "{}0", "0{}", "{} {}", "-", "１２３"]
"""What is no code, and costs no try."""


def typed(template: str, code: str) -> str:
    half = len(code) // 2
    wide, arabic = (
        code.translate(str.maketrans("0123456789", digits)) for digits in ("０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩")
    )
    return template.format(
        *[code] * 2,
        wide=wide,
        wide_halves=f"{wide[:half]}－{wide[half:]}",
        halves=f"{code[:half]} {code[half:]}",
        dashed=f"{code[:1]}-{code[1:2]}\u2010{code[2:3]}–{code[3:4]}—{code[4:5]}ー{code[5:]}",
        spread="\u3000".join(code),
        arabic=arabic,
    )


@pytest.mark.parametrize("template", RIGHT)
@pytest.mark.parametrize("code", ["123456", "00000000", "407199260385"])
def test_a_code_is_read_as_people_type_it(template: str, code: str) -> None:
    assert read_code(typed(template, code), len(code)) == code


@pytest.mark.parametrize("template", WRONG_FORM)
def test_what_has_not_the_form_of_a_code_is_none(template: str) -> None:
    assert read_code(typed(template, "123457"), 6) is None


def test_a_code_beside_other_numbers_is_the_one_of_its_length() -> None:
    assert read_code("10分以内に、123-456 を入力してください", 6) == "123456"
