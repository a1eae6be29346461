"""Files: what is written can be read, what cannot be read is refused with its line."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei.kit.text import one_line
from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import BadFile, TooLarge
from sekkei_systems.tasks.rules import spreadsheet
from sekkei_systems.tasks.rules.drafts import TaskDraft, text_of

TAGS = {"TAG#1": "api", "TAG#2": "画面"}
TAG_IDS = {"api": "1", "画面": "2"}
MEMBERS = {"aoi": "佐藤 葵"}
MEMBER_IDS = {"佐藤 葵": "aoi"}

_texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60)
_tasks = st.builds(
    TaskDraft,
    title=_texts.map(one_line).filter(bool),
    description=_texts.map(lambda text: text_of(text, 60, "description")),
    status=st.sampled_from(Status),
    start=st.none() | st.dates(date(2000, 1, 1), date(2020, 1, 1)),
    end=st.none() | st.dates(date(2020, 1, 1), date(2050, 1, 1)),
    tags=st.frozensets(st.sampled_from(["1", "2"])),
    assignee=st.none() | st.just("aoi"),
)


def _written(drafts: list[TaskDraft], language: str) -> bytes:
    tasks: list[Task] = [draft.task("t", f"k{number}") for number, draft in enumerate(drafts)]
    return spreadsheet.write(tasks, TAGS, MEMBERS, language)


@given(st.lists(_tasks, max_size=8), st.sampled_from(["ja", "en"]))
def test_what_is_written_is_read_back(drafts: list[TaskDraft], language: str) -> None:
    assert spreadsheet.read(_written(drafts, language), TAG_IDS, MEMBER_IDS) == drafts


def test_a_title_never_becomes_a_formula() -> None:
    content = _written([TaskDraft("=HYPERLINK(1)"), TaskDraft("@cmd"), TaskDraft("'quoted")], "ja").decode("utf-8-sig")
    cells = [line.split(",")[0] for line in content.splitlines()[1:]]
    assert cells == ["'=HYPERLINK(1)", "'@cmd", "''quoted"]


def test_files_of_excel_in_japan_are_read() -> None:
    content = "タイトル,開始日,終了日\r\n会議,2025/11/6,2025/11/7\r\n".encode("cp932")
    assert spreadsheet.read(content, {}, {}) == [TaskDraft("会議", start=date(2025, 11, 6), end=date(2025, 11, 7))]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("なにか\nx\n", 1),
        ("", 1),
        ("タイトル,開始日\nx,2025-02-30\n", 2),
        ("タイトル,開始日\nx,tomorrow\n", 2),
        ("タイトル,終了日,開始日\na,,\nb,2025-01-01,2025-01-02\n", 3),
        ("タイトル,タグ\nx,nope\n", 2),
        ("タイトル,担当者\nx,誰か\n", 2),
        ("タイトル,ステータス\nx,いつか\n", 2),
        ("タイトル\n" + "x" * 201 + "\n", 2),
        ("タイトル,説明\n,説明だけ\n", 2),
        ('タイトル\n"閉じない\n', 2),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(content: str, line: int) -> None:
    with pytest.raises(BadFile) as refused:
        spreadsheet.read(content.encode(), TAG_IDS, MEMBER_IDS)
    assert refused.value.values["line"] == line
    assert str(line) in refused.value.text("ja")


def test_too_much_at_once_is_refused() -> None:
    with pytest.raises(TooLarge):
        spreadsheet.read(b"title\n" + b"x\n" * 5001, {}, {})
    with pytest.raises(TooLarge):
        spreadsheet.read(b"x" * 2_000_001, {}, {})


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(BadFile):
        spreadsheet.read(b"\xff\xfe\x00\x81", {}, {})
