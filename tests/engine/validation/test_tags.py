"""Tags: what DynamoDB refuses in them."""

from __future__ import annotations

import pytest

from sekkei.engine.validation.schema import check_tags
from sekkei.errors import ValidationException


def tag(key: str, value: str = "v") -> dict[str, str]:
    return {"Key": key, "Value": value}


@pytest.mark.parametrize("text", ["plain", "with space", "日本語", "a+b-c=d.e_f:g/h@i", "0"])
def test_letters_digits_spaces_and_some_signs_are_allowed(text: str) -> None:
    check_tags([tag(text, text)])


def test_a_value_may_be_empty() -> None:
    check_tags([tag("k", "")])


@pytest.mark.parametrize(
    ("tags", "text"),
    [
        ([tag("hi!")], "The Tag Key provided is invalid, Key: hi!"),
        ([tag("dog", '"x"')], 'The Tag Value provided is invalid, Value: "x"'),
        ([tag("aws:x")], "Tag Key cannot be prefixed with aws:, Key: aws:x"),
        ([tag("a"), tag("a")], "Duplicate Tag Keys provided as input: Duplicate Tag Key found a"),
        (
            [tag(str(number)) for number in range(51)],
            "Number of Tags exceed the current limit for the provided ResourceArn",
        ),
    ],
)
def test_refusals(tags: list[dict[str, str]], text: str) -> None:
    with pytest.raises(ValidationException) as caught:
        check_tags(tags)
    assert caught.value.message == text
