"""Files of other programs, and their tasks in parts that fit."""

from __future__ import annotations

import io
import zipfile
from datetime import date

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.refusals import TooLarge
from sekkei_systems.tasks.rules import imports
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.imports import (
    ACTIONS_MAX,
    PART_BYTES_MAX,
    ForeignTask,
    UnknownFile,
    actions_of,
    in_parts,
    packed,
    plain_of,
    read,
    rooted,
    status_of,
    unpacked,
)
from tests.systems.tasks.boards import VIKUNJA, trello, vikunja

# Files of other programs: what is read, what stays behind, and what is no such file.


def test_a_board_of_trello() -> None:
    board = read(trello())
    assert (board.program, board.name) == ("trello", "引っ越し")
    assert [(one.draft.title, one.draft.status) for one in board.tasks] == [
        ("水道の連絡", Status.DOING),
        ("段ボールを買う", Status.TODO),
        ("鍵を返す", Status.DONE),
    ]
    box = board.tasks[1]
    assert box.source == "trello/c1"
    assert (box.draft.start, box.draft.end) == (date(2025, 11, 6), date(2025, 11, 11)), "as the day is called in Japan"
    assert box.tags == ("急ぎ", "green")
    assert box.people == ("Nobody Here", "Ren")
    assert box.checks == (("小さい箱", True), ("大きい箱", False))
    assert board.left == {"archived": 2, "attachments": 1, "untitled": 1, "comments": 1}


@pytest.mark.parametrize("content", [vikunja(), orjson.dumps(VIKUNJA), b"\xef\xbb\xbf" + orjson.dumps(VIKUNJA)])
def test_an_export_of_vikunja(content: bytes) -> None:
    board = read(content)
    assert [one.source for one in board.tasks] == ["vikunja/11", "vikunja/12"]
    first, second = (one.draft for one in board.tasks)
    assert (first.title, first.description) == ("Write report", "One & two\nthree")
    assert (first.status, first.priority, first.start, first.end) == (
        Status.DOING,
        Priority.HIGH,
        None,
        date(2025, 12, 1),
    )
    assert (second.status, second.priority) == (Status.DONE, None)
    assert board.left == {"comments": 1, "repeats": 1, "archived": 1}


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"{}", b"[1]", b'"x"', b"title\nx", b"\xff\xfe", b"PK\x03\x04broken",
        orjson.dumps({"cards": {}, "lists": []}), orjson.dumps([{"name": "no title"}]),
    ],
)  # fmt: skip
def test_what_is_no_such_file(content: bytes) -> None:
    with pytest.raises(UnknownFile):
        read(content)


@pytest.mark.parametrize(
    "card",
    [
        1, None, {}, {"id": 5}, {"id": "x", "name": ["list"]},
        {"id": "x", "name": "ok", "due": "tomorrow", "idLabels": 3, "idMembers": {}, "pos": "top", "idList": []},
        {"id": "x", "name": "ok", "due": "9999-99-99T00:00:00Z", "start": 5, "desc": 7, "attachments": "many"},
    ],
)  # fmt: skip
def test_a_card_that_is_odd_breaks_nothing(card: object) -> None:
    if isinstance(card, dict) and isinstance(card.get("idList"), list):
        card = {**card, "idList": None}
    assert len(read(trello(cards=[card])).tasks) == (isinstance(card, dict) and card.get("name") == "ok")


def test_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "TASKS_MAX", 2)
    with pytest.raises(TooLarge):
        read(trello())
    monkeypatch.setattr(imports, "UNPACKED_MAX", 10)
    with pytest.raises(TooLarge):
        read(vikunja())
    monkeypatch.setattr(imports, "BYTES_MAX", 10)
    with pytest.raises(TooLarge):
        read(b"x" * 11)


def test_an_archive_without_data() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("other.json", "[]")
    with pytest.raises(UnknownFile):
        read(out.getvalue())


def test_what_is_too_long_is_cut_and_counted() -> None:
    cards = [{"id": "c", "name": "x" * 300, "desc": "y" * 10_001, "idList": "l1"}]
    board = read(trello(cards=cards, actions=[]))
    assert (len(board.tasks[0].draft.title), len(board.tasks[0].draft.description)) == (200, 10_000)
    assert board.left == {"long-titles": 1, "long-texts": 1}


@pytest.mark.parametrize(
    ("column", "status"),
    [
        ("To Do", Status.TODO), ("未着手", Status.TODO), ("Not started", Status.TODO), ("Doing", Status.DOING),
        ("In progress", Status.DOING), ("進行中", Status.DOING), ("レビュー待ち", Status.DOING),
        ("Done 🎉", Status.DONE),
        ("対応済み", Status.DONE), ("Abandoned", Status.TODO), ("", Status.TODO),
    ],
)  # fmt: skip
def test_a_column_by_its_name(column: str, status: Status) -> None:
    assert status_of(column) is status


def test_html_as_text() -> None:
    assert plain_of("<h1>A</h1><p>b<br>c</p>&lt;d&gt;") == "A\nb\nc\n<d>"
    assert plain_of("a &amp; b") == "a & b"


@pytest.mark.parametrize(
    "odd",
    [
        {"cards": [{"id": "1", "name": "x", "idList": ["l"]}], "lists": [{"id": ["l"], "name": 1}]},
        {"cards": [{"id": {"a": 1}, "name": "x"}], "lists": [], "labels": [{"id": []}], "members": [{"id": {}}]},
        {"cards": [{"id": "1", "name": "x"}], "lists": [], "checklists": [{"idCard": ["1"], "checkItems": [{}]}]},
        [{"title": "p", "tasks": [{"id": 1, "title": "x", "bucket_id": [1]}], "buckets": [{"id": [1], "title": "x"}]}],
    ],
)
def test_odd_names_of_things_are_names(odd: object) -> None:
    assert [one.draft.title for one in read(orjson.dumps(odd)).tasks] == ["x"]


def test_signs_that_open_no_element_are_looked_at_once() -> None:
    """A hundred thousand of them took six seconds: each was looked for to the end of the text."""
    assert imports._MARKUP.search("<" * 10 + "a>") is not None
    assert imports._MARKUP.search("<b <i>").group() == "<i>"  # type: ignore[union-attr]


def test_what_is_part_of_what_in_vikunja() -> None:
    tasks = [
        {"id": 1, "title": "大", "related_tasks": {"subtask": [{"id": 2}], "blocking": [{"id": 2}]}},
        {"id": 2, "title": "小", "related_tasks": {"parenttask": [{"id": 1}, {"id": 9}, "odd"]}},
        {"id": 3, "title": "最小", "related_tasks": {"subtask": [{"id": 4}]}},
        {"id": 4, "title": "一方だけ"},
    ]
    board = read(orjson.dumps([{"title": "家", "tasks": tasks}]))
    assert [one.parent for one in board.tasks] == ["", "vikunja/1", "", "vikunja/3"]
    assert board.left == {"relations": 2}


# Parts of a file: everything once, in its order, and none beyond what DynamoDB takes.


NAMES = st.lists(st.text("abcdefghij", min_size=1, max_size=3), max_size=10).map(tuple)
FOUND = st.builds(
    ForeignTask,
    source=st.text("abc", max_size=3),
    draft=st.builds(
        TaskDraft,
        title=st.just("仕事"),
        description=st.integers(0, 10_000).map(lambda n: "長" * n),
        tags=st.just(frozenset()),
    ),
    tags=NAMES,
    people=NAMES,
    parent=st.text("abc", max_size=2),
    checks=st.lists(st.tuples(st.just("項" * 200), st.booleans()), max_size=100).map(tuple),
)


@given(st.lists(FOUND, max_size=40))
def test_all_of_them_in_parts_that_fit(tasks: list[ForeignTask]) -> None:
    parts = list(in_parts(tasks))
    assert [one for part in parts for one in part] == tasks
    for part in parts:
        above = {one.parent for one in part if one.parent}
        names = {("tag", name) for one in part for name in one.tags} | {("who", one.people[:1]) for one in part}
        assert sum(map(actions_of, part)) + len(names - {("who", ())}) + 2 * len(above) <= ACTIONS_MAX
        assert len(packed(part)) <= PART_BYTES_MAX * 1.01 < 400_000
        assert unpacked(packed(part)) == part


def test_one_level_and_no_part_before_its_parent() -> None:
    pairs = [("a/3", "a/2"), ("a/1", ""), ("a/2", "a/1"), ("a/4", "a/5"), ("a/5", "a/4"), ("a/6", "a/6"), ("", "DEV-1")]
    found = rooted([ForeignTask(source, TaskDraft("仕事"), parent=parent) for source, parent in pairs])
    assert [(one.source, one.parent) for one in found] == [
        ("a/1", ""),
        ("a/3", "a/1"),
        ("a/2", "a/1"),
        ("a/4", ""),
        ("a/5", ""),
        ("a/6", ""),
        ("", "DEV-1"),
    ]
    many = rooted(
        [
            ForeignTask("a/1", TaskDraft("仕事")),
            *(ForeignTask(f"b/{at}", TaskDraft("仕事"), parent="a/1") for at in range(60)),
        ]
    )
    assert sum(one.parent == "a/1" for one in many) == 50


@given(st.lists(FOUND, max_size=40))
def test_every_task_stays(tasks: list[ForeignTask]) -> None:
    assert sorted(one.draft.description for one in rooted(tasks)) == sorted(one.draft.description for one in tasks)
