"""Days and times as people write them. tests/systems/test_dates_typed.py runs more of them through the systems."""

from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei.kit import dates

JST = timezone(timedelta(hours=9), "JST")
NOW = datetime(2026, 1, 14, 15, 30, tzinfo=JST)  # a Wednesday


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=JST)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-19 21:00", "2026-01-19 21:00"),
        ("2026/1/19 9:05", "2026-01-19 09:05"),
        ("2026年1月19日 21時", "2026-01-19 21:00"),
        ("1/19 21時", "2026-01-19 21:00"),
        ("1/19(月) 21時", "2026-01-19 21:00"),
        ("１／１９　２１：００", "2026-01-19 21:00"),
        ("1月19日の夜9時半", "2026-01-19 21:30"),
        ("1/3 10時", "2027-01-03 10:00"),
        ("2/29 10時", "2028-02-29 10:00"),
        ("明日 21時", "2026-01-15 21:00"),
        ("明日の21時30分", "2026-01-15 21:30"),
        ("明日21:00", "2026-01-15 21:00"),
        ("明後日 正午", "2026-01-16 12:00"),
        ("今夜9時", "2026-01-14 21:00"),
        ("今日 25時", "2026-01-15 01:00"),
        ("午後9時", "2026-01-14 21:00"),
        ("夜12時", "2026-01-15 00:00"),
        ("朝10時", "2026-01-15 10:00"),
        ("21時", "2026-01-14 21:00"),
        ("9時", "2026-01-15 09:00"),
        ("金曜 20時", "2026-01-16 20:00"),
        ("水曜 20時", "2026-01-14 20:00"),
        ("来週金曜 夜9時", "2026-01-23 21:00"),
        ("来週の月曜日 19:00", "2026-01-19 19:00"),
        ("再来週土曜 13時", "2026-01-31 13:00"),
        ("来月3日 10時", "2026-02-03 10:00"),
        ("30分後", "2026-01-14 16:00"),
        ("2時間後", "2026-01-14 17:30"),
        ("1時間半後", "2026-01-14 17:00"),
        ("3日後", "2026-01-17 15:30"),
        ("3日後 21時", "2026-01-17 21:00"),
        ("tomorrow 9pm", "2026-01-15 21:00"),
        ("tomorrow 9:30 pm", "2026-01-15 21:30"),
        ("1/19 12am", "2026-01-19 00:00"),
        ("昼1時", "2026-01-15 13:00"),
        ("next Friday 20:00", "2026-01-23 20:00"),
        ("next fri 8pm", "2026-01-23 20:00"),
        ("next Monday 20:00", "2026-01-19 20:00"),
        ("next week Friday 20:00", "2026-01-23 20:00"),
        ("来年1/5 20時", "2027-01-05 20:00"),
        ("来年の1月5日 夜8時", "2027-01-05 20:00"),
        ("Jan 5 next year 8pm", "2027-01-05 20:00"),
        ("今年12/24 19時", "2026-12-24 19:00"),
        ("11-20 20:00", "2026-11-20 20:00"),
        ("11-20 8pm", "2026-11-20 20:00"),
        ("明後日の夜8時", "2026-01-16 20:00"),
        ("tomorrow noon", "2026-01-15 12:00"),
        ("tmrw 8pm", "2026-01-15 20:00"),
        ("tonight at 8", "2026-01-14 20:00"),
        ("thurs. 8pm", "2026-01-15 20:00"),
        ("sat 20", "2026-01-17 20:00"),
        ("週末の土曜 20時", "2026-01-17 20:00"),
        ("1週間後 20時", "2026-01-21 20:00"),
        ("in an hour", "2026-01-14 16:30"),
        ("PM8:00", "2026-01-14 20:00"),
        ("お昼の12時半", "2026-01-15 12:30"),
        ("11/20/2026 20:00", "2026-11-20 20:00"),
        ("20 Nov 8 pm", "2026-11-20 20:00"),
        ("Friday, November 20 at 8:00 PM", "2026-11-20 20:00"),
        ("11/20 金 20:00", "2026-11-20 20:00"),
        ("11月20日金曜日20時", "2026-11-20 20:00"),
        ("(金) 20時", "2026-01-16 20:00"),
        ("次の水曜 20時", "2026-01-21 20:00"),
        ("水曜 10時", "2026-01-21 10:00"),
        ("今日の深夜1時", "2026-01-15 01:00"),
        ("今夜の深夜1時", "2026-01-15 01:00"),
        ("今週日曜 20時", "2026-01-18 20:00"),
        ("Friday at 8pm", "2026-01-16 20:00"),
        ("this wednesday 20:00", "2026-01-14 20:00"),
        ("Jan 19 21:00", "2026-01-19 21:00"),
        ("19th January 9pm", "2026-01-19 21:00"),
        ("March 3rd 10:00", "2026-03-03 10:00"),
        ("the day after tomorrow at noon", "2026-01-16 12:00"),
        ("in 30 minutes", "2026-01-14 16:00"),
        ("in 2 hours", "2026-01-14 17:30"),
        ("来週金曜 21時半", "2026-01-23 21:30"),
        ("20日 20時", "2026-01-20 20:00"),
        ("3日（火）20時", "2026-02-03 20:00"),
        ("31日の夜9時", "2026-01-31 21:00"),
        ("1/20(火) 20時〜", "2026-01-20 20:00"),
        ("明日20時から", "2026-01-15 20:00"),
        ("20.1. 20:00", "2026-01-20 20:00"),
        ("2026-01-20 20:00:00", "2026-01-20 20:00"),
        ("来年1月5日20時", "2027-01-05 20:00"),
        ("2026年1月19日21時", "2026-01-19 21:00"),
        ("土曜1/17 20時", "2026-01-17 20:00"),
        ("2 weeks from now 8pm", "2026-01-28 20:00"),
        ("3ヶ月後 20時", "2026-04-14 20:00"),
        ("1日2時間後", "2026-01-15 17:30"),
        ("wednesday next week 8pm", "2026-01-21 20:00"),
        ("20:00 nov 20", "2026-11-20 20:00"),
        ("再来週末の土曜 20時", "2026-01-31 20:00"),
        ("月末 23:59", "2026-01-31 23:59"),
        ("水曜 25:00", "2026-01-15 01:00"),
    ],
)
def test_reads(text: str, expected: str) -> None:
    assert dates.read_moment(text, NOW) == at(expected)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("明日 21時〜23時", "2026-01-15 21:00", "2026-01-15 23:00"),
        ("1/19 21:00-23:30", "2026-01-19 21:00", "2026-01-19 23:30"),
        ("1/19 夜9時から11時", "2026-01-19 21:00", "2026-01-19 23:00"),
        ("明日 22時~1時", "2026-01-15 22:00", "2026-01-16 01:00"),
        ("明日19〜21時", "2026-01-15 19:00", "2026-01-15 21:00"),
        ("明日 19:30〜21:00", "2026-01-15 19:30", "2026-01-15 21:00"),
        ("tomorrow 7-9pm", "2026-01-15 19:00", "2026-01-15 21:00"),
        ("1/19 10-12時", "2026-01-19 10:00", "2026-01-19 12:00"),
    ],
)
def test_reads_periods(text: str, start: str, end: str) -> None:
    assert dates.read_period(text, NOW) == dates.Period(at(start), at(end))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "いつか",
        "明日",
        "1/19",
        "13/1 10時",
        "2/30 10時",
        "1/19 30時",
        "1/19 21:75",
        "明日 21時 ぐらいかも",
        "x" * 200,
        "99999999999999999日後",
        "21時 22時 23時",
        "午後15時",
        "2026-13-01 10:00",
        "5年後",
        "'; DROP TABLE",
        "21:00:00:00",
        "32日 20時",
        "21.13. 20:00",
        "から",
        "satay at noon",
        "前日 20時",
        "2時間後 21時",
        "9999日後",
    ],
)
def test_refuses(text: str) -> None:
    with pytest.raises(dates.Unread):
        dates.read_moment(text, NOW)


def test_refuses_the_past_and_the_far_future() -> None:
    with pytest.raises(dates.Unread, match="past-date") as past:
        dates.read_moment("今日 9時", NOW)
    assert past.value.values["text"] == "今日 9時"
    with pytest.raises(dates.Unread, match="past-date"):
        dates.read_moment("2025-12-31 10:00", NOW)
    with pytest.raises(dates.Unread, match="far-date"):
        dates.read_moment("2099-01-01 10:00", NOW)


def test_ends_and_what_comes_before() -> None:
    start = at("2026-01-19 21:00")
    assert dates.read_end("23時", start, NOW) == at("2026-01-19 23:00")
    assert dates.read_end("1時", start, NOW) == at("2026-01-20 01:00")
    assert dates.read_end("2時間", start, NOW) == at("2026-01-19 23:00")
    assert dates.read_moment("1時間前", NOW, start) == at("2026-01-19 20:00")
    assert dates.read_moment("前日 20時", NOW, start) == at("2026-01-18 20:00")
    assert dates.read_moment("当日 12時", NOW, start) == at("2026-01-19 12:00")
    assert dates.read_moment("1/17 9時", NOW, start) == at("2026-01-17 09:00")
    with pytest.raises(dates.Unread, match="past-date"):
        dates.read_moment("10日前", NOW, start)
    with pytest.raises(dates.Unread, match="end-before-start"):
        dates.read_end("1/18 10時", start, NOW)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30 minutes before", "2026-01-19 20:30"),
        ("2 hours before", "2026-01-19 19:00"),
        ("1 day before", "2026-01-18 21:00"),
        ("the day before 20:00", "2026-01-18 20:00"),
        ("on the same day 12:00", "2026-01-19 12:00"),
    ],
)
def test_reads_english_told_from_the_start(text: str, expected: str) -> None:
    start = at("2026-01-19 21:00")
    assert dates.read_moment(text, NOW, start) == at(expected)
    assert dates.read_end("2 hours", start, NOW) == at("2026-01-19 23:00")


def test_what_is_written_is_of_the_zone_of_now() -> None:
    """21:00 in Berlin is 5:00 of the next day in Japan; across the change of clocks it stays what the clock shows."""
    berlin = NOW.astimezone(ZoneInfo("Europe/Berlin"))  # 7:30 in the morning there
    assert dates.read_moment("21:00", berlin) == at("2026-01-15 05:00")
    assert dates.read_moment("2026-07-01 21:00", berlin) == at("2026-07-02 04:00")
    assert dates.read_moment("in 2 hours", berlin) == at("2026-01-14 17:30")
    period = dates.read_period("tomorrow 21:00-23:00", berlin)
    assert (period.start, period.end) == (at("2026-01-16 05:00"), at("2026-01-16 07:00"))
    assert period.start.isoformat() == "2026-01-15T21:00:00+01:00", "in the zone of now"
    start = at("2026-01-20 05:00")  # the 19th at 21:00 there
    assert dates.read_moment("the day before 20:00", berlin, start) == at("2026-01-19 04:00")
    assert dates.read_end("23:00", start, berlin) == at("2026-01-20 07:00")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20 November 2026 20:00", "2026-11-20 20:00"),
        ("November 20, 2026 8pm", "2026-11-20 20:00"),
        ("20th Nov 2026 at 20:00", "2026-11-20 20:00"),
        ("20/11 20:00", "2026-11-20 20:00"),
        ("20/11/2026 20:00", "2026-11-20 20:00"),
        ("20.11.2026 20:00", "2026-11-20 20:00"),
        ("2026-11-20T20:00", "2026-11-20 20:00"),
        ("2026-11-20T20:00:00", "2026-11-20 20:00"),
        ("2026-11-20T20:00+09:00", "2026-11-20 20:00"),
        ("2026-11-20T11:00Z", "2026-11-20 20:00"),
        ("<t:1795172400:F>", "2026-11-20 20:00"),
        ("<t:1795172400>", "2026-11-20 20:00"),
    ],
)
def test_reads_dates_of_other_countries_and_of_programs(text: str, expected: str) -> None:
    assert f"{dates.read_moment(text, NOW):%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize("text", ["31/11 20:00", "20/13 20:00", "<t:99999999999999>", "<t:x>", "2026-13-01T20:00"])
def test_refuses_what_only_looks_like_them(text: str) -> None:
    with pytest.raises(dates.Unread):
        dates.read_moment(text, NOW)


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("今週末 20時", "2026-01-17 20:00 / 2026-01-18 20:00"),
        ("next week 8pm", " / ".join(f"2026-01-{day} 20:00" for day in range(19, 26))),
        ("再来週末 20時", "2026-01-31 20:00 / 2026-02-01 20:00"),
        ("this weekend 8pm", "2026-01-17 20:00 / 2026-01-18 20:00"),
        ("next sunday 8pm", "2026-01-18 20:00 / 2026-01-25 20:00"),
        ("来週日曜 20時", "2026-01-18 20:00 / 2026-01-25 20:00"),
        ("tomorrow at 8", "2026-01-15 08:00 / 2026-01-15 20:00"),
        ("明日の深夜1時", "2026-01-15 01:00 / 2026-01-16 01:00"),
        ("tomorrow midnight", "2026-01-15 00:00 / 2026-01-16 00:00"),
        ("11/5/2026 20:00", "2026-05-11 20:00 / 2026-11-05 20:00"),
    ],
)
def test_asks_what_can_mean_several_moments(text: str, choices: str) -> None:
    with pytest.raises(dates.Unread, match="several-dates") as asked:
        dates.read_moment(text, NOW)
    assert asked.value.values["choices"] == choices
    assert [f"{one:%Y-%m-%d %H:%M}" for one in asked.value.candidates] == choices.split(" / ")
    for choice in choices.split(" / "):
        assert dates.read_moment(choice, NOW) == at(choice)


def test_the_order_of_day_and_month_is_that_of_the_zone() -> None:
    def reads(zone: str) -> datetime:
        return dates.read_moment("5/11 20:00", NOW.astimezone(ZoneInfo(zone))).astimezone(ZoneInfo(zone))

    assert f"{dates.read_moment('5/11 20:00', NOW):%m-%d}" == "05-11"
    assert f"{reads('America/New_York'):%m-%d}" == "05-11"
    with pytest.raises(dates.Unread, match="several-dates") as asked:
        reads("Europe/London")
    assert asked.value.values["choices"] == "2026-05-11 20:00 / 2026-11-05 20:00"


@pytest.mark.parametrize("text", ["11/20(土) 20:00", "Saturday 20 November 20:00", "明日(金) 20時"])
def test_the_weekday_has_to_fit(text: str) -> None:
    with pytest.raises(dates.Unread, match="wrong-weekday"):
        dates.read_moment(text, NOW)


def test_a_time_that_the_clocks_skip_is_refused() -> None:
    berlin = NOW.astimezone(ZoneInfo("Europe/Berlin"))
    with pytest.raises(dates.Unread, match="skipped-time"):
        dates.read_moment("2026-03-29 02:30", berlin)
    assert dates.read_moment("2026-10-25 02:30", berlin).astimezone(UTC).hour == 0, "the first of the two"


def test_the_first_of_two_may_have_passed() -> None:
    """The second 2:40 of the night in which 2:45 stands on the clock twice: the next 2:45 is of the day after it."""
    second = datetime(2026, 10, 25, 2, 40, fold=1, tzinfo=ZoneInfo("Europe/Berlin"))
    assert dates.read_moment("2:45", second).day == 26


WAYS = (
    "%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M", "%Y年%m月%d日 %H時%M分", "%m/%d %H:%M", "%m-%d %H:%M", "%m月%d日 %H:%M",
    "%d %B %Y %H:%M", "%A, %B %d at %I:%M %p", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%a %H:%M",
    "next %A %H:%M", "%Y-%m-%dT%H:%M", "%H:%M", "%I:%M %p %b %d", "%d日 %H時%M分",
)  # fmt: skip


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "Europe/Berlin", "America/New_York"])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_written_is_read_as_it_is_or_asked(zone: str, way: str) -> None:
    """Nearly every day of a year, and every quarter of an hour in turn, among them the hours that the clocks skip."""
    now = NOW.astimezone(ZoneInfo(zone))
    read = 0
    for number in range(1, 350):
        text = (now + timedelta(days=number, minutes=15 * number)).strftime(way)
        meant = [one.strftime(way) for one in _meant(text, now)]
        assert not meant or text in meant, (text, meant)
        read += len(meant) > 0
    assert read > 340


def _meant(text: str, now: datetime) -> list[datetime]:
    try:
        return [dates.read_moment(text, now).astimezone(now.tzinfo)]
    except dates.Unread as asked:
        if asked.why not in ("several-dates", "skipped-time", "past-date"):  # those say why, and nothing is guessed
            raise
        return [one for one in asked.candidates if isinstance(one, datetime)]


@pytest.mark.parametrize(
    ("text", "today", "days"),
    [
        ("来週日曜", 14, [25, 18]),
        ("来週日曜", 18, [25]),
        ("来週月曜", 18, [19, 26]),
        ("今週月曜", 18, [12, 19]),
        ("水曜", 14, [14]),
        ("今度の水曜", 14, [21]),
        ("今週末", 18, [17, 18]),
    ],
)
def test_days_by_the_weekday_of_today(text: str, today: int, days: list[int]) -> None:
    """January 14 of 2026 is a Wednesday, the 18th a Sunday."""
    found = [one.days for one in dates.days_in(f"仕事 {text}", date(2026, 1, today)) if one.start == 3]
    assert tuple(date(2026, 1, day) for day in days) in found


@pytest.mark.parametrize(
    "text",
    [
        "fri nap",
        "sat nav",
        "1.2.",
        "11-20",
        "週末",
        "三日月",
        "1月末",
        "30日間",
        "前日",
        "2時間後",
        "来週日本へ",
        "次の日",
    ],
)
def test_what_is_no_day_inside_of_a_sentence(text: str) -> None:
    assert list(dates.days_in(f"{text} の件", date(2026, 1, 14))) == []


def test_months_end_with_the_month_and_a_day_is_one_that_its_month_has() -> None:
    assert dates.read_day("1ヶ月後", at("2026-01-31 10:00")) == date(2026, 2, 28)
    assert dates.read_day("31日", at("2026-02-01 10:00")) == date(2026, 3, 31)
    assert dates.read_moment("in 3 days", datetime(2026, 3, 27, 23, 30, tzinfo=ZoneInfo("Europe/Berlin"))).day == 30


@given(st.text(max_size=90) | st.text("明後日今来週月火末年時分前半午夜0123456789/-.:〜 nextfriampm", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (dates.read_day, dates.read_period, lambda text, now: dates.read_end(text, now, now)):
        with contextlib.suppress(dates.Unread):
            read(text, NOW)
    with contextlib.suppress(dates.Unread):
        dates.read_time(text)
    for found in dates.days_in(text, NOW.date()):
        assert 0 <= found.start < found.stop <= len(text)
