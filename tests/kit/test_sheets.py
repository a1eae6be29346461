"""One table of texts, tried on every writer of CSV, and one of files, tried on every reader."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei.kit import sheets
from sekkei.kit.sheets import SIGNS, BadSheet, ColumnsMissing, Number, read, write
from sekkei.kit.text import one_line
from sekkei.web.answers import MEDIA_TYPES, download
from sekkei.web.console import tables
from sekkei_systems.chiipochi.design.models import Donation
from sekkei_systems.chiipochi.service.reports import as_csv
from sekkei_systems.eventbot.design import Member
from sekkei_systems.eventbot.rules.files import members_csv
from sekkei_systems.eventbot.rules.views import EventView
from sekkei_systems.lessons.rules.studios import Studio
from sekkei_systems.lessons.rules.timetable import Unreadable
from sekkei_systems.lessons.rules.timetable import read as read_listing
from sekkei_systems.tasks.design import Flow
from sekkei_systems.tasks.refusals import BadFile
from sekkei_systems.tasks.rules import spreadsheet
from sekkei_systems.tasks.rules.drafts import TaskDraft
from tests.systems.chiipochi.conftest import utc
from tests.systems.eventbot.samples import NOW, event


def cell_of(text: str) -> str:
    return write([[text]]).decode("utf-8-sig").removesuffix("\r\n")


def text_of(content: bytes) -> str:
    ((_, row),) = read(b"x\r\n" + content.removeprefix(sheets.BOM), {"x": "x"})
    return row["x"]


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("before", ["", " ", "\t", "\u3000", "\xa0 ", "\ufeff", "\u200b", "\0"])
def test_what_could_start_a_formula_is_kept_a_text(sign: str, before: str) -> None:
    text = f"{before}{sign}1+1"
    assert cell_of(text) == f"'{text}"


@pytest.mark.parametrize("text", [" ", "ピーナッツ", "a=b", "1-2", "mail@example.com", "株式会社＝", "(-1)", "{}"])
def test_any_other_text_is_left_alone(text: str) -> None:
    assert cell_of(text) == text


@pytest.mark.parametrize("text", ["'tis", "''", "'=1", "''=1", "'"])
def test_a_text_with_an_apostrophe_of_its_own_keeps_it(text: str) -> None:
    assert text_of(write([[text]])) == text


@given(
    st.text(alphabet=st.sampled_from([*SIGNS, "'", " ", "\t", "\r", "\n", "\u3000", "\ufeff", "a", "1"]), max_size=8)
)
def test_every_text_is_read_back_as_it_was(text: str) -> None:
    written = write([[text, "."]]).removeprefix(sheets.BOM)
    ((_, row),) = read(b"x,y\r\n" + written, {"x": "x"})
    assert row["x"] == text.strip()


def test_what_is_no_text_is_written_as_it_is() -> None:
    rows = [[None, -1, -1.5, date(2026, 1, 2), Number("-1"), "-1"]]
    assert write(rows) == sheets.BOM + b",-1,-1.5,2026-01-02,-1,'-1\r\n"
    assert sheets.lines(rows) == write(rows).removeprefix(sheets.BOM)


# Writers


async def of_console(text: str) -> bytes:
    async def pages() -> AsyncIterator[list[dict[str, Any]]]:
        yield [{"a": {"S": text}}]

    return b"".join([part async for part in tables.written(pages(), "csv", ["a"])])


async def of_tasks(text: str) -> bytes:
    return spreadsheet.write([TaskDraft(text).task("t", "k")], {}, {}, "ja")


async def of_flow(text: str) -> bytes:
    flow = Flow(team_id="t", day=date(2026, 1, 1), task_id="k", title=text, number=1, done_at=NOW, expires=NOW)
    return spreadsheet.write_flow([flow], "DEV")


async def of_members(text: str) -> bytes:
    member = Member(guild_id="1", event_id=event().event_id, user_id="2", username=text, joined_at=NOW)
    return members_csv(EventView(event(), (member,), (), (), ()))


async def of_donations(text: str) -> bytes:
    at = utc("2025-08-20T00:00:00Z")
    return as_csv([Donation(user_id="U1", created_at=at, amount=1, prefecture="CHIBA", tx_id=text)], "en")


WRITERS = [of_console, of_tasks, of_flow, of_members, of_donations]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "＝1", "\u200b@cmd", "'=1", "'tis", "+81", 'a"b,c', "本"])
async def test_every_writer_keeps_texts_texts(writer: Any, text: str) -> None:
    content: bytes = await writer(text)
    assert content.startswith(sheets.BOM)
    assert content.endswith(b"\r\n")
    cells = [cell for row in csv.reader(io.StringIO(content.decode("utf-8-sig"))) for cell in row]
    wanted = {cell_of(one).strip('"').replace('""', '"') for one in (text, one_line(text))}
    assert wanted & set(cells)


@pytest.mark.parametrize("name", [f"a.{ending}" for ending in MEDIA_TYPES])
def test_no_file_of_people_is_kept_by_a_cache(name: str) -> None:
    answer = download(name, b"x")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert answer.headers["content-type"].startswith(MEDIA_TYPES[name[2:]])
    assert download(name, b"x", shown=True).headers["content-disposition"].startswith("inline")


# Readers


def whole(head: str, lines: list[str], end: str, encoding: str, columns: bool) -> bytes:
    """A file of names; lessons need more columns, each line another day."""
    if columns:
        head = f"studio,date,start,instructor,{head}"
        front = [f"gnz,2026-08-{at:02},10:00,Mako," for at in range(1, 9)]
        lines = [at + line if line.strip(",") else line for at, line in zip(front, lines, strict=False)]
    return end.join([head, *lines, ""]).encode(encoding)


FILES = [
    ("name", ["ヨガ", "b"], "\n", "utf-8", ["ヨガ", "b"]),
    ("name", ["ヨガ", "b"], "\r\n", "utf-8-sig", ["ヨガ", "b"]),
    ("name", ["髙橋①"], "\r\n", "cp932", ["髙橋①"]),
    ("name", ["a", "b"], "\r", "utf-8", ["a", "b"]),
    (" ＮＡＭＥ ", ["a"], "\n", "utf-8", ["a"]),
    ("NAME,unknown", ["a,x", "b,"], "\n", "utf-8", ["a", "b"]),
    ("name", ["a", "", ",,,,", "b"], "\n", "utf-8", ["a", "b"]),
    ("name", ["a,surplus"], "\n", "utf-8", ["a"]),
    ("name", ['"a, ""b"""'], "\n", "utf-8", ['a, "b"']),
    ("name", ["'=1", "''tis", "'@x"], "\n", "utf-8", ["=1", "'tis", "@x"]),
    ("name", [" a "], "\n", "utf-8", ["a"]),
]


@pytest.mark.parametrize("columns", [False, True], ids=["tasks", "lessons"])
@pytest.mark.parametrize(("head", "lines", "end", "encoding", "names"), FILES)
def test_every_reader_reads_the_same_files(
    head: str, lines: list[str], end: str, encoding: str, names: list[str], columns: bool
) -> None:
    if columns:
        listing = read_listing("a.csv", whole(head, lines, end, encoding, True), [Studio("gnz", "銀座")])
        assert (listing.problems, [one.lesson_name for one in listing.lessons]) == ([], names)
    else:
        head = head.replace("name", "title").replace("NAME", "TITLE").replace("ＮＡＭＥ", "ＴＩＴＬＥ")
        drafts = spreadsheet.read(whole(head, lines, end, encoding, False), {}, {})
        assert [draft.title for draft in drafts] == names


BROKEN = [
    (b"other\na\n", 1),
    (b"", 1),
    ("name\n本\n".encode("utf-16"), 1),
    (b'name\na\n"b"c\n', 3),
    (b"name\n" + b"x" * 140_000 + b"\n", 2),
]


@pytest.mark.parametrize(("content", "line"), BROKEN)
def test_every_reader_refuses_the_same_files(content: bytes, line: int) -> None:
    with pytest.raises(BadSheet) as bad:
        list(read(content, {"name": "name"}, ["name"]))
    assert bad.value.line == line
    with pytest.raises(BadFile) as refused:
        spreadsheet.read(content.replace(b"name", b"title"), {}, {})
    assert refused.value.values["line"] == line
    with pytest.raises(Unreadable):
        read_listing("a.csv", content.replace(b"name", b"studio,date,start,instructor,name"), [])


def test_columns_that_are_missing_are_named() -> None:
    with pytest.raises(ColumnsMissing, match="b, c missing"):
        list(read(b"a\n1\n", {"a": "a", "b": "b"}, ["a", "b", "c"]))
