"""The studios as they are set."""

from __future__ import annotations

from datetime import timedelta

from sekkei.design import replace
from sekkei.runtime.settings import Settings
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.studios import Sellers, Studio, by_studio, sellers_of, studios_in, studios_of
from tests.systems.lessons.world import LESSON


def test_codes_and_names() -> None:
    assert studios_in("gnz=銀座, sby") == [Studio("gnz", "銀座"), Studio("sby", "sby")]
    assert [studio.code for studio in studios_of(Settings())] == ["gnz", "sby", "snj", "ykh"]


# Who sells the places of a lesson.


FOUND = Lesson(
    studio_code="gnz",
    lesson_date=LESSON.lesson_date,
    start_time=LESSON.start_time,
    lesson_name="House",
    instructor="YUKI",
    updated_at=LESSON.starts_at,
)


def test_a_studio_whose_system_tells_sells_itself() -> None:
    assert Sellers().sells_here(FOUND)
    for values in (
        {"lessons_feed_url": "gnz=https://feed.example"},
        {"lessons_feed_url": "https://feed.example"},
        {"lessons_booking_page": "gnz=https://book.example"},
    ):
        assert not sellers_of(Settings(values=values)).sells_here(FOUND), values
    other = sellers_of(Settings(values={"lessons_feed_url": "sby=https://feed.example"}))
    assert other.sells_here(FOUND)
    pushed = replace(FOUND, pushed_at=LESSON.starts_at - timedelta(days=1))
    assert not other.sells_here(pushed), "a system that pushes sells too"


def test_the_page_where_to_book() -> None:
    sellers = sellers_of(Settings(values={"lessons_booking_page": "gnz=https://b.example/{date}?t={time}&a=b"}))
    assert sellers.page(FOUND) == "https://b.example/2025-07-30?t=19:30&a=b"
    assert sellers.page(replace(FOUND, studio_code="sby")) is None


def test_addresses_by_studio() -> None:
    assert by_studio("https://x.example/?a=b") == {"": "https://x.example/?a=b"}
    assert by_studio("gnz=https://x.example, sby = https://y.example,") == {
        "gnz": "https://x.example",
        "sby": "https://y.example",
    }


def test_where_we_can_book_in_the_studios_system_we_sell_and_hold_nothing() -> None:
    values = {"lessons_feed_url": "gnz=https://feed.example", "lessons_booking_url": "gnz=https://book.example"}
    sellers = sellers_of(Settings(values=values))
    assert (sellers.sells_here(FOUND), sellers.by_port(FOUND), sellers.holds(FOUND)) == (True, True, False)
    assert Sellers().holds(FOUND)
