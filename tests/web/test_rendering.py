"""What templates are given."""

from __future__ import annotations

import dataclasses
import re
from datetime import UTC, date, datetime
from itertools import pairwise

import pytest
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from sekkei.kit.zones import zone_of
from sekkei.store import Embedded
from sekkei.web import application
from sekkei.web.rendering import WIDTH, bars, day, hue, initials, lines, lines_of, local_path, query, when
from sekkei.web.routing import Addresses
from sekkei.web.static_files import StaticFiles
from sekkei.web.testing import opened, test_settings
from sekkei.web.texts import Speech, speech
from tests.web.example import SYSTEM


@pytest.mark.parametrize(
    ("zone", "shown", "time"),
    [
        ("Asia/Tokyo", '<time datetime="2026-08-01T00:30:00+09:00">2026-08-01 00:30</time>', ">00:30<"),
        ("Europe/Berlin", '<time datetime="2026-07-31T17:30:00+02:00">2026-07-31 17:30</time>', ">17:30<"),
        ("UTC", '<time datetime="2026-07-31T15:30:00+00:00">2026-07-31 15:30</time>', ">15:30<"),
    ],
)
def test_moments_are_shown_in_the_zone_of_the_page(zone: str, shown: str, time: str) -> None:
    moment = datetime(2026, 7, 31, 15, 30, tzinfo=UTC)
    token = speech.set(Speech("ja", zone=zone_of(zone)))
    assert when(moment) == shown
    assert time in when(moment, "time")
    speech.reset(token)


@pytest.mark.parametrize(("language", "words"), [("ja", "8月1日(土)"), ("en", "Sat 1 Aug")])
def test_days(language: str, words: str) -> None:
    token = speech.set(Speech(language))
    assert day(date(2026, 8, 1)) == words
    speech.reset(token)


def test_texts_and_names() -> None:
    assert lines_of("a<b>\nc") == "a&lt;b&gt;<br>c"
    assert [initials(name) for name in ("佐藤 葵", "Aoi Sato", "aoi", "", " ")] == ["佐", "AS", "A", "?", "?"]
    assert hue("demo-aoi") == hue("demo-aoi")
    assert all(0 <= hue(str(number)) < 360 for number in range(100))


def test_a_query_with_changes() -> None:
    given = QueryParams("status=todo&status=doing&after=x&lang=en")
    assert query(given, after=None) == "?status=todo&status=doing"
    assert query(given, status="done", tag=["a", "b"]) == "?after=x&status=done&tag=a&tag=b"
    assert query({}) == "?"


@pytest.mark.parametrize("text", [None, "", "x", "//x", "/\\x", "/a\\b", "https://x", "/a\r\nb"])
def test_only_our_own_paths_are_gone_to(text: str | None) -> None:
    assert local_path(text, "/home") == "/home"
    assert local_path("/tasks/?a=1#b") == "/tasks/?a=1#b"


async def test_a_message_is_shown_once_and_cannot_be_forged() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        await client.post("/example/", {"text": "x"})
        cookie = client.cookies["sekkei_flash"]
        assert "書きました。" in (await client.get("/example/")).text
        assert "sekkei_flash" not in client.cookies
        body, _, signature = cookie.rpartition(".")
        for forged in (f"{body[:-2]}AA.{signature}", f"{body}.{'0' * 32}", "x", ".", "あ".encode().decode("latin-1")):
            client.cookies["sekkei_flash"] = forged
            reply = await client.get("/example/")
            assert reply.status == 200
            assert 'class="toast ok"' not in reply.text


async def test_the_theme_is_the_systems_until_one_is_chosen() -> None:
    async with opened(SYSTEM) as client:
        assert 'data-theme="auto"' in (await client.get("/")).text
        client.cookies["sekkei_theme"] = "dark"
        assert 'data-theme="dark"' in (await client.get("/")).text
        client.cookies["sekkei_theme"] = '"><script>'
        assert 'data-theme="auto"' in (await client.get("/")).text


@pytest.mark.parametrize("count", [8, 25, 28])
def test_dates_below_a_chart_do_not_touch_on_a_phone(count: int) -> None:
    """There letters are 21 units high, of a width of 640: a date is about 60 wide."""
    width, gap, labels, series = 60, 4, ["10/19"] * count, [("s", [1] * count)]
    for chart in (lines("t", labels, series), bars("t", labels, series)):
        found = re.findall(r'x="([\d.]+)" y="252" text-anchor="(\w+)">10/19', chart)
        before = {"start": 0, "middle": width / 2, "end": width}
        starts = [float(x) - before[anchor] for x, anchor in found]
        assert len(starts) > 3
        assert starts[0] >= 0
        assert starts[-1] + width <= WIDTH
        assert all(later - one >= width + gap for one, later in pairwise(starts)), starts


def test_charts_escape_their_words_and_say_everything_as_a_table() -> None:
    chart = bars("<t>", ["a", "<b>"], [("<s>", [1, 2]), ("u", [0, 3])])
    assert "<t>" not in chart
    assert "<s>" not in chart
    assert "<th scope=row>&lt;b&gt;</th><td>2</td><td>3</td>" in chart
    assert chart.count("<rect") == 3  # nothing is drawn for 0
    line = lines("t", ["1", "2", "3"], [("open", [20, None, 5])], area=True)
    assert line.count("<circle") == 2
    assert "<td></td>" in line
    assert "<svg" in lines("empty", [], [("x", [])])
    assert "<svg" in bars("empty", [], [("x", [])])
    assert bars("side by side", ["a"], [("x", [4]), ("y", [2])], stacked=False).count("<rect") == 2


def test_static_files_change_their_address_when_one_changes(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.css").write_text("a")
    first = StaticFiles({"": tmp_path})
    assert first.url("a.css") == StaticFiles({"": tmp_path}).url("a.css")
    (tmp_path / "a.css").write_text("b")
    assert first.url("a.css") != StaticFiles({"": tmp_path}).url("a.css")
    with pytest.raises(LookupError):
        first.url("b.css")


async def test_addresses_by_name() -> None:
    async def nothing(request: Request) -> Response: ...

    inside = [Route("/", nothing, name="home"), Route("/x/{id}/{rest:path}", nothing, name="x")]
    addresses = Addresses([Route("/{n:int}", nothing, name="n"), Mount("/tasks", routes=inside, name="tasks")])
    assert addresses.path("n", n=3) == "/3"
    assert addresses.path("tasks:home") == "/tasks/"
    assert addresses.path("tasks:x", id="a/b?ü", rest="c/d#") == "/tasks/x/a%2Fb%3F%C3%BC/c/d%23"
    for name, given in (("tasks:y", {}), ("tasks:x", {"id": 1}), ("home", {}), ("tasks:home", {"id": 1})):
        with pytest.raises(LookupError, match=name):
            addresses.path(name, **given)


def test_a_system_cannot_take_a_name_of_the_shell() -> None:
    taken = dataclasses.replace(SYSTEM, name="console")
    with pytest.raises(ValueError, match="console"):
        application([taken], Embedded(), test_settings())
