"""Who is called in a comment."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.rules.mentions import mentioned

NAMES = {"a": "佐藤 葵", "b": "佐藤 葵子", "c": "Ren Suzuki", "d": "ren"}


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("@佐藤 葵 さん、お願いします", {"a"}),
        ("＠佐藤葵さん", {"a"}),
        ("@佐藤葵子 さん", {"b"}),
        ("@佐藤葵 と @佐藤葵子", {"a", "b"}),
        ("@ren suzuki and @REN", {"c", "d"}),
        ("@RenSuzuki", {"c"}),
        ("mail to ren@example.com", set()),
        ("佐藤 葵", set()),
        ("@", set()),
    ],
)
def test_by_name_however_it_is_written(text: str, called: set[str]) -> None:
    assert mentioned(text, NAMES) == called
