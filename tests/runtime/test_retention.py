"""How many days the text of a message is kept: the rule that says most about its topic."""

from __future__ import annotations

import pytest

from sekkei.runtime.retention import DAYS, Kept
from sekkei.runtime.settings import Secrets, from_environment


def test_a_week_and_a_day_for_codes_unless_somebody_says_otherwise() -> None:
    assert Kept().days("tasks/invite/1") == DAYS
    assert Kept().days("web/code/abc") == 1
    kept = Kept("3, web/code=0,tasks=30,tasks/digest=2")
    ids = ("q/x", "web/code/1", "tasks/invite/1", "tasks/digest/u/2026", "tasks")
    assert [kept.days(id) for id in ids] == [3, 0, 30, 2, 30]


@pytest.mark.parametrize("text", ["a week", "7d", "tasks=", "91", "-1", "7;8", "tasks=7=8", "７"])
def test_what_is_no_number_of_days_does_not_start(text: str) -> None:
    with pytest.raises(ValueError, match="SEKKEI_SENT_DAYS looks like"):
        from_environment({"SEKKEI_SENT_DAYS": text}, secrets=Secrets(b"x" * 16))
