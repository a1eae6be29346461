"""Typed values out of forms."""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import urlencode

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType, field
from starlette.requests import Request

from sekkei.runtime.refusals import Conflict
from sekkei.web.forms import Form, FormErrors, form, refill
from sekkei.web.texts import Speech
from tests.web.example import Taken


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Entry(Struct):
    title: Annotated[str, Meta(min_length=2, max_length=5)]
    start: date | None = None
    count: Annotated[int, Meta(ge=1, le=9)] = 1
    colour: Colour = Colour.RED
    tags: list[str] = []
    mail: bool = False
    text: str = ""


def sent(pairs: list[tuple[str, str]], language: str = "ja") -> Request:
    body = urlencode(pairs).encode()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", b"application/x-www-form-urlencoded")]
    request = Request({"type": "http", "method": "POST", "headers": headers, "path": "/"}, receive)
    request.state.speech = Speech(language)
    return request


async def errors_of(pairs: list[tuple[str, str]], language: str = "ja") -> dict[str, str]:
    with pytest.raises(FormErrors) as wrong:
        await form(sent(pairs, language), Entry)
    return dict(wrong.value.errors)


async def test_every_kind_of_field() -> None:
    pairs = [
        ("title", " 提灯 "),
        ("start", "2026-08-01"),
        ("count", "3"),
        ("colour", "blue"),
        ("tags", "a"),
        ("tags", "b"),
        ("mail", "on"),
        ("text", "one\r\ntwo\r\n"),
        ("unknown", "x"),
    ]
    found = await form(sent(pairs), Entry)
    assert found == Entry("提灯", date(2026, 8, 1), 3, Colour.BLUE, ["a", "b"], True, "one\ntwo")


@pytest.mark.parametrize(
    "text",
    [
        "2026-08-01",
        "2026/8/1",
        "２０２６／８／１",
        "2026年8月1日",
        "2026.08.01",
        "1.8.2026",
        "Aug 1, 2026",
        "1 August 2026",
    ],
)
async def test_a_day_is_read_as_people_type_it_with_its_year(text: str) -> None:
    """Where a browser has no calendar to choose from. 8/1/2026 can mean two days, and 12/1 is a day of which year?"""
    assert (await form(sent([("title", "ab"), ("start", text)]), Entry)).start == date(2026, 8, 1)
    for unclear in ("8/1/2026", "12/1", "明日"):
        assert list(await errors_of([("title", "ab"), ("start", unclear)])) == ["start"]


async def test_empty_fields_count_as_not_given() -> None:
    found = await form(sent([("title", "ab"), ("start", ""), ("count", " "), ("tags", ""), ("colour", "")]), Entry)
    assert found == Entry("ab")


@pytest.mark.parametrize(
    ("name", "value", "ja", "en"),
    [
        ("title", "a", "2文字以上", "at least 2"),
        ("title", "abcdef", "5文字以下", "at most 5 characters"),
        ("title", "  ", "入力して", "fill this in"),
        ("start", "2026-02-30", "存在する日付", "no such date"),
        ("start", "tomorrow", "存在する日付", "no such date"),
        ("count", "0", "1以上", "1 or more"),
        ("count", "10", "9以下", "9 or less"),
        ("count", "many", "数字を", "a number"),
        ("count", "1.5", "数字を", "a number"),
        ("colour", "green", "選択肢から", "one from the list"),
    ],
)
async def test_what_is_wrong_is_said_beside_the_field(name: str, value: str, ja: str, en: str) -> None:
    pairs = [("title", "ok"), (name, value)] if name != "title" else [(name, value)]
    for language, words in (("ja", ja), ("en", en)):
        found = await errors_of(pairs, language)
        assert list(found) == [name]
        assert words in found[name]


async def test_all_fields_are_checked_at_once_and_what_was_typed_comes_back() -> None:
    request = sent([("title", "a"), ("count", "x"), ("tags", "p"), ("tags", "q"), ("password", "secret")])
    with pytest.raises(FormErrors) as wrong:
        await form(request, Entry)
    again = refill(request, wrong.value)
    assert set(again.errors) == {"title", "count"}
    assert again.values == {"title": "a", "count": "x", "tags": ["p", "q"]}


async def test_a_refusal_of_the_service_stands_beside_its_field() -> None:
    request = sent([("title", "abc")])
    await form(request, Entry)
    refusal = Taken(field="title", text="abc")
    assert refill(request, refusal) == Form({"title": "abc"}, {"title": "「abc」はもうあります。"})
    assert refill(request, Conflict()).errors == {"": "この操作はできません。"}


Short = Annotated[str, Meta(max_length=3)]
T = TypeVar("T")


class Change(Struct, Generic[T], rename="camel"):
    """What an API spells `nameShown` and `theRoom` has inputs of its Python names."""

    shown_name: Short | UnsetType = UNSET
    room: T | UnsetType | None = field(default=UNSET, name="theRoom")
    days: list[date] | UnsetType = UNSET


class ShortChange(Change[Short]):
    is_open: bool = False


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], ShortChange()),
        ([("room", "B1")], ShortChange(room="B1")),
        ([("room", "")], ShortChange(room=None)),
        ([("room", "  ")], ShortChange(room=None)),
        ([("theRoom", "B1"), ("shownName", "x")], ShortChange()),
        ([("shown_name", "x"), ("days", "2026-08-01")], ShortChange(shown_name="x", days=[date(2026, 8, 1)])),
        ([("is_open", "on")], ShortChange(is_open=True)),
    ],
)
async def test_a_missing_input_says_nothing_and_an_empty_one_erases(
    pairs: list[tuple[str, str]], expected: ShortChange
) -> None:
    assert await form(sent(pairs), ShortChange) == expected


@pytest.mark.parametrize(
    ("pairs", "wrong"),
    [
        ([("shown_name", "")], "入力して"),  # nothing is no name
        ([("shown_name", "long name")], "3文字以下"),
        ([("room", "long room")], "3文字以下"),  # the limit of a type parameter
        ([("days", "")], "入力して"),
        ([("days", "tomorrow")], "存在する日付"),
    ],
)
async def test_what_a_change_may_not_be(pairs: list[tuple[str, str]], wrong: str) -> None:
    with pytest.raises(FormErrors) as refused:
        await form(sent(pairs), ShortChange)
    ((name, text),) = refused.value.errors.items()
    assert name == pairs[0][0]
    assert wrong in text
