from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei.engine.items import numbers
from sekkei.errors import ValidationException

digits = st.integers(min_value=-(10**38) + 1, max_value=10**38 - 1)
legal = st.builds(lambda mantissa, shift: Decimal(mantissa).scaleb(shift), digits, st.integers(-130, 87))


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("1", "1"),
        ("001", "1"),
        ("+5", "5"),
        ("-0", "0"),
        ("0.000", "0"),
        ("1.50", "1.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("12E-2", "0.12"),
        ("-1.0e-3", "-0.001"),
        ("1E+125", "1" + "0" * 125),
        ("1E-130", "0." + "0" * 129 + "1"),
        ("0e125", "0"),
        ("0.0e126", "0"),
        ("0E-130", "0"),
        ("1" * 38, "1" * 38),
        ("1" * 38 + "000", "1" * 38 + "000"),
    ],
)
def test_normalise(text: str, normal: str) -> None:
    assert numbers.normalise(text) == normal


@given(legal.filter(bool), st.integers(0, 300), st.integers(0, 300))
def test_zeros_beyond_count_change_nothing(number: Decimal, before: int, behind: int) -> None:
    sign, digits, exponent = number.as_tuple()
    text = f"{'-' * sign}{'0' * before}{''.join(map(str, digits))}{'0' * behind}E{int(exponent) - behind}"
    assert numbers.normalise(text) == numbers.from_decimal(number)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1" * 8_000_000, "overflow"),
        (f"0.{'0' * 8_000_000}1", "underflow"),
        (f"1.{'0' * 8_000_000}1", "more than 38"),
        (f"-{'1' * 39}{'0' * 8_000_000}E-8000000", "more than 38"),
    ],
)
def test_a_text_of_megabytes_is_judged_by_its_value(text: str, reason: str) -> None:
    with pytest.raises(ValidationException, match=reason):
        numbers.normalise(text)


@pytest.mark.parametrize("text", ["", " 1", "1 ", "abc", "1e", "0x10", "Infinity", "NaN", "1_000", "１", "--1"])
def test_not_a_number(text: str) -> None:
    with pytest.raises(ValidationException, match="cannot be converted to a numeric value"):
        numbers.normalise(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1E126", "Number overflow"),
        ("-1E126", "Number overflow"),
        ("1E-131", "Number underflow"),
        ("0e126", "Number overflow"),
        ("0E-131", "Number underflow"),
        ("1e99999999999", "Number overflow"),
        ("1e-99999999999999", "Number underflow"),
        ("1e9223372036854775808", "cannot be converted to a numeric value: 1e9223372036854775808"),
        ("1" * 39, "more than 38 significant digits"),
        ("1." + "1" * 38, "more than 38 significant digits"),
    ],
)
def test_beyond_what_a_number_can_hold(text: str, says: str) -> None:
    with pytest.raises(ValidationException, match=says):
        numbers.normalise(text)


@given(legal)
def test_normalising_keeps_the_value_and_is_stable(number: Decimal) -> None:
    try:
        text = numbers.normalise(str(number))
    except ValidationException:
        return
    assert Decimal(text) == number
    assert numbers.normalise(text) == text


@given(legal, legal)
def test_bytes_sort_as_numbers_do(left: Decimal, right: Decimal) -> None:
    try:
        a, b = numbers.normalise(str(left)), numbers.normalise(str(right))
    except ValidationException:
        return
    assert (numbers.sort_bytes(a) < numbers.sort_bytes(b)) == (left < right)
    assert (numbers.sort_bytes(a) == numbers.sort_bytes(b)) == (left == right)


@given(st.integers(-(10**37), 10**37), st.integers(-(10**37), 10**37))
def test_sums_are_exact(left: int, right: int) -> None:
    assert numbers.add(str(left), str(right)) == str(left + right)
    assert numbers.subtract(str(left), str(right)) == str(left - right)


def test_a_sum_that_needs_a_39th_digit_is_refused() -> None:
    with pytest.raises(ValidationException):
        numbers.add("1E37", "0.1")


@pytest.mark.parametrize(
    ("text", "size"), [("0", 1), ("1", 2), ("10", 2), ("99", 2), ("100", 2), ("123", 3), ("-1", 3), ("1.5", 3)]
)
def test_size(text: str, size: int) -> None:
    assert numbers.size(text) == size
