"""The calendar: valid lines, whole days, nothing that is done."""

from __future__ import annotations

from datetime import UTC, date, datetime

from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.calendar_feed import calendar
from sekkei_systems.tasks.rules.drafts import TaskDraft

NOW = datetime(2025, 11, 6, 3, tzinfo=UTC)


def _lines(*drafts: TaskDraft) -> list[str]:
    tasks = [draft.task("t", f"k{number}") for number, draft in enumerate(drafts)]
    content = calendar("チーム, A;B", tasks, "https://x.example/tasks", NOW)
    assert content.endswith(b"END:VCALENDAR\r\n")
    assert all(len(line) <= 75 for line in content.split(b"\r\n"))
    return content.decode().replace("\r\n ", "").split("\r\n")


def test_a_task_is_an_event_of_whole_days() -> None:
    lines = _lines(TaskDraft("会議, 朝; \\", "一\n二", start=date(2025, 11, 6), end=date(2025, 11, 7)))
    assert "X-WR-CALNAME:チーム\\, A\\;B" in lines
    assert "DTSTART;VALUE=DATE:20251106" in lines
    assert "DTEND;VALUE=DATE:20251108" in lines
    assert "SUMMARY:会議\\, 朝\\; \\\\" in lines
    assert "DESCRIPTION:一\\n二" in lines
    assert "URL:https://x.example/tasks/teams/t/tasks/k0" in lines


def test_one_date_is_enough_and_none_is_too_few() -> None:
    lines = _lines(
        TaskDraft("終わりだけ", end=date(2025, 11, 7)),
        TaskDraft("始めだけ", start=date(2025, 11, 8)),
        TaskDraft("いつか"),
        TaskDraft("済", end=date(2025, 11, 7), status=Status.DONE),
    )
    assert [line for line in lines if line.startswith("SUMMARY:")] == ["SUMMARY:終わりだけ", "SUMMARY:始めだけ"]


def test_long_lines_are_folded_between_characters() -> None:
    title = "あ" * 150
    assert f"SUMMARY:{title}" in _lines(TaskDraft(title, end=date(2025, 11, 7)))
