"""What is to become of a task: checked before the store is asked."""

from __future__ import annotations

from datetime import date

import pytest

from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.refusals import BadDates, BadText, TooLarge
from sekkei_systems.tasks.rules.drafts import (
    BadColor,
    BadDay,
    TaskChanges,
    TaskDraft,
    check_dates,
    color_of,
    contrast_with_white,
    line_of,
    text_of,
)

DAY = date(2025, 11, 6)


def test_what_is_not_said_stays_as_it_is() -> None:
    task = TaskDraft("題", "説明", Status.DOING, DAY, DAY, frozenset({"a"}), "aoi", Priority.LOW).task("t", "k")
    assert TaskChanges().applied(task) == task
    changed = TaskChanges(title="  新しい 題 ", start=None, tags=frozenset(), assignee=None).applied(task)
    assert (changed.title, changed.start, changed.tags, changed.assignee) == ("新しい 題", None, frozenset(), None)
    assert (changed.end, changed.description, changed.priority) == (DAY, "説明", Priority.LOW)


def test_changes_are_checked_together_with_what_is_there() -> None:
    task = TaskDraft("題", end=DAY).task("t", "k")
    with pytest.raises(BadDates):
        TaskChanges(start=date(2025, 11, 7)).applied(task)
    with pytest.raises(BadText):
        TaskChanges(title=" ").applied(task)
    with pytest.raises(TooLarge):
        TaskChanges(tags=frozenset(map(str, range(11)))).applied(task)


# What people enter is checked before anything is asked of the store.


def test_a_line_is_one_line() -> None:
    assert line_of("  a\r\nb\x00\tc ", 10, "title") == "a b c"


@pytest.mark.parametrize("text", ["", "   ", "\x00\n", "\u200b", "\u202e", "x" * 11])
def test_a_line_that_is_empty_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(BadText) as refused:
        line_of(text, 10, "title")
    assert refused.value.field == "title"
    assert "10" in refused.value.text("ja")


def test_a_text_keeps_its_lines() -> None:
    assert text_of("a\r\nb\rc\x07", 10, "description") == "a\nb\nc"
    with pytest.raises(BadText):
        text_of("x" * 11, 10, "description")


def test_the_end_does_not_come_before_the_start() -> None:
    check_dates(date(2025, 1, 2), date(2025, 1, 2))
    check_dates(None, date(2025, 1, 2))
    with pytest.raises(BadDates):
        check_dates(date(2025, 1, 2), date(2025, 1, 1))


@pytest.mark.parametrize("day", [date(9999, 12, 31), date(1969, 12, 31)])
def test_the_day_that_stands_for_none_cannot_be_entered(day: date) -> None:
    with pytest.raises(BadDay):
        check_dates(day, None)


@pytest.mark.parametrize("color", ["red", "#12345", "#1234567", "#gggggg", "#fff", ""])
def test_a_colour_that_is_none_is_refused(color: str) -> None:
    with pytest.raises(BadColor):
        color_of(color)


@pytest.mark.parametrize("background", ["#ffffff", "#000000", "#2563eb", "#facc15", "#777777", "#10b981"])
def test_text_on_a_tag_can_always_be_read(background: str) -> None:
    text, same = color_of(background.upper())
    assert same == background
    white = contrast_with_white(background)
    black = contrast_with_white("#000000") / white
    assert (white if text == "#ffffff" else black) >= 4.5
