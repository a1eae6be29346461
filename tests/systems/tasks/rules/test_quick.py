"""A task in one line: what is understood, and what stays in the title."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.tasks.design.statuses import Priority
from sekkei_systems.tasks.rules.drafts import FIRST_DAY, LAST_DAY
from sekkei_systems.tasks.rules.quick import Understood, understood

WEEKDAYS = "月火水木金土日"
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
TODAY = date(2025, 11, 6)  # a Thursday
PEOPLE = {"u1": "佐藤 葵", "u2": "鈴木 蓮", "u3": "Ann"}
TAGS = {"g1": "画面", "g2": "docs"}
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "title", "end"),
    [
        ("明日 15時 歯医者", "15時 歯医者", date(2025, 11, 7)),
        ("来週金曜 レポート", "レポート", date(2025, 11, 14)),
        ("レポート今週の金曜日まで", "レポート", date(2025, 11, 7)),
        ("再来週月曜に会議", "に会議", date(2025, 11, 17)),
        ("明日会議の準備", "会議の準備", date(2025, 11, 7)),
        ("あさってまでに返事", "返事", date(2025, 11, 8)),
        ("しあさって 点検", "点検", date(2025, 11, 9)),
        ("明々後日までに返事", "返事", date(2025, 11, 9)),
        ("見積もり 3日後", "見積もり", date(2025, 11, 9)),
        ("2週間後 更新", "更新", date(2025, 11, 20)),
        ("３ヶ月後に点検", "に点検", date(2026, 2, 6)),
        ("木曜 ゴミ出し", "ゴミ出し", date(2025, 11, 6)),
        ("請求書 月末締切", "請求書", date(2025, 11, 30)),
        ("12/24 ケーキ", "ケーキ", date(2025, 12, 24)),
        ("1月5日 仕事始め", "仕事始め", date(2026, 1, 5)),
        ("家賃 5日", "家賃", date(2025, 12, 5)),
        ("2026-02-28 期限切れ", "期限切れ", date(2026, 2, 28)),
        ("call mum tomorrow 3pm", "call mum 3pm", date(2025, 11, 7)),
        ("report by next fri", "report", date(2025, 11, 14)),
        ("report this friday", "report", date(2025, 11, 7)),
        ("Report on Monday", "Report", date(2025, 11, 10)),
        ("clean up fri", "clean up", date(2025, 11, 7)),
        ("review in two weeks", "review", date(2025, 11, 20)),
        ("taxes due Mar 15th", "taxes", date(2026, 3, 15)),
        ("party 24 December", "party", date(2025, 12, 24)),
        ("invoice end of month", "invoice", date(2025, 11, 30)),
    ],
)
def test_days_as_people_say_them(text: str, title: str, end: date) -> None:
    assert understood(text, TODAY) == Understood(title, end=end)


@pytest.mark.parametrize(
    "text",
    [
        "明日香さんに電話",
        "今日子さん",
        "30日間の試用",
        "2/30 の件",
        "13/45 の件",
        "Buy sun cream",
        "sat nav update",
        "version 1.2/3.4",
        "marching band 5",
        "https://example.com/2/3",
        "三日月",
    ],
)
def test_what_only_looks_like_a_day_stays_in_the_title(text: str) -> None:
    found = understood(text, TODAY)
    assert (found.title, found.end) == (text, None)


def test_from_and_until() -> None:
    both = Understood("合宿", start=date(2025, 11, 10), end=date(2025, 11, 14))
    assert understood("合宿 11/10から 11/14まで", TODAY) == both
    assert understood("from nov 10 until nov 14 合宿", TODAY) == both
    backwards = understood("11/14から 11/10まで 合宿", TODAY)
    assert backwards == Understood("11/14から 11/10まで 合宿"), "an end before the start is not understood"


def test_marks() -> None:
    found = understood("図を直す @鈴木蓮 #画面 !高 明日", TODAY, PEOPLE, TAGS)
    assert found == Understood("図を直す", None, TODAY + DAY, Priority.HIGH, "u2", frozenset({"g1"}))
    assert understood("x @me ！low #DOCS", TODAY, PEOPLE, TAGS, me="u3") == Understood(
        "x", None, None, Priority.LOW, "u3", frozenset({"g2"})
    )
    assert (
        understood("mail a@Ann.example #12 !!! @Anna", TODAY, PEOPLE, TAGS).title == "mail a@Ann.example #12 !!! @Anna"
    )


def test_a_line_of_nothing_but_marks_is_a_title() -> None:
    assert understood("明日 !高", TODAY) == Understood("明日 !高")


@given(
    st.text(max_size=60) | st.text("明後日今来週月火水木金土曜末/0123456789-日間後 byonextfritoday@#!高", max_size=30)
)
def test_whatever_is_typed_there_is_a_title_and_nothing_is_invented(text: str) -> None:
    found = understood(text, TODAY, PEOPLE, TAGS)
    assert bool(found.title) == bool(text.strip().strip("、,").strip())
    left = iter(text)
    assert all(sign in left for sign in "".join(found.title.split())), "the title is what was typed, in its order"
    for day in (found.start, found.end):
        assert day is None or FIRST_DAY <= day <= LAST_DAY
    if found.start and found.end:
        assert found.start <= found.end


@given(st.dates(TODAY, TODAY + 300 * DAY), st.sampled_from(["{y}-{m}-{d}", "{m}/{d}", "{m}月{d}日", "{name} {d}"]))
def test_every_written_day_is_found(day: date, form: str) -> None:
    written = form.format(y=day.year, m=day.month, d=day.day, name=MONTHS[day.month - 1])
    for text in (f"仕事 {written}", f"{written} 仕事", f"仕事 by {written}"):
        assert understood(text, TODAY) == Understood("仕事", end=day)


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.integers(0, 6), st.integers(0, 1))
def test_weekdays_are_in_the_week_that_was_said(today: date, weekday: int, ahead: int) -> None:
    monday = today - today.weekday() * DAY + 7 * ahead * DAY
    expected = Understood("仕事", end=monday + weekday * DAY)
    assert understood(f"仕事 {'今来'[ahead]}週{WEEKDAYS[weekday]}曜", today) == expected
    if ahead:
        assert understood(f"仕事 next {DAYS[weekday]}", today) == expected
    for words in (f"{WEEKDAYS[weekday]}曜日", f"this {DAYS[weekday]}"):
        plain = understood(f"仕事 {words}", today).end
        assert plain is not None
        assert plain.weekday() == weekday
        assert 0 * DAY <= plain - today < 7 * DAY, "today's weekday is today, where no time is asked"


@pytest.mark.parametrize(
    "link", ["https://a.example/2026/11/20", "http://a.example/2026-11-20/#1月2日", "HTTPS://x.example/明日"]
)
def test_days_in_an_address_are_part_of_it(link: str) -> None:
    assert understood(f"{link} を読む", TODAY) == Understood(f"{link} を読む")
    assert understood(f"{link} 明日", TODAY) == Understood(link, end=TODAY + DAY)
