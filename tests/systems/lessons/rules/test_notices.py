from __future__ import annotations

from datetime import time
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.settings import Secrets, Settings
from sekkei_systems import days
from sekkei_systems.lessons.design import Contact, Lesson, TieKind, UserLesson
from sekkei_systems.lessons.rules.links import Links
from sekkei_systems.lessons.rules.notices import LINE_UNITS_MAX, Messages, Notices, is_quiet
from tests.systems.lessons.world import LESSON, STUDIOS

WAYS = frozenset({"mail", "line", "push", "webhook"})


FOUND = Lesson(
    studio_code="gnz",
    lesson_date=LESSON.lesson_date,
    start_time=LESSON.start_time,
    lesson_name="House",
    instructor="Y",
    updated_at=LESSON.starts_at,
)


@pytest.fixture
def notices(clock: ManualClock) -> Notices:
    return Notices(Links(Secrets(b"a secret of tests")), Settings(public_url="https://x.example"), STUDIOS, clock)


def hana(**more: Any) -> Contact:
    given = {
        "name": "<花>",
        "email": "a@b",
        "line_user_id": "U1",
        "push_token": "ExponentPushToken[x]",
        "webhook_url": "https://hook.example/",
        "channels": WAYS,
    }
    return Contact(user_id="a", **{**given, **more})


def waiting(**more: Any) -> UserLesson:
    return UserLesson(
        user_id="a",
        studio_code="gnz",
        lesson_date=LESSON.lesson_date,
        start_time=LESSON.start_time,
        lesson_name="House",
        instructor="Y",
        kind=TieKind.WAITLIST,
        waitlist_id="wl_1",
        created_at=LESSON.starts_at,
        updated_at=LESSON.starts_at,
        **more,
    )


def line_text(found: Messages) -> str:
    (letter,) = orjson.loads(found["line"]["messages"])
    assert letter["type"] == "text"
    return str(letter["text"])


def test_every_channel_gets_its_own_form(notices: Notices) -> None:
    found = notices.called_off(hana(), FOUND)
    assert {kind: body["to"] for kind, body in found.items()} == {
        "mail": "a@b",
        "line": "U1",
        "push": "ExponentPushToken[x]",
        "webhook": "https://hook.example/",
    }
    assert "&lt;花&gt;" in found["mail"]["html"]
    assert line_text(found).startswith("<花> さん\n\n休講のお知らせ\n\n7/30（水）19:30 銀座 House（Y）")
    assert found["push"]["data"] == {"url": "https://x.example/lessons/lessons/gnz/2025-07-30/19:30"}
    assert found["webhook"]["event"] == "lessons.change"
    assert notices.called_off(None, FOUND) == {}


def test_english_on_request(notices: Notices) -> None:
    found = notices.opening(hana(language="en"), waiting(), FOUND)
    assert found["mail"]["subject"] == "A place is free: Wed 30 Jul 19:30 銀座: House (Y)"


def test_what_is_muted_and_where_not_to_be_told(notices: Notices) -> None:
    assert notices.opening(hana(muted=frozenset({"opening"})), waiting(), FOUND) == {}
    assert set(notices.opening(hana(channels=frozenset({"line", "mail"}), email=None), waiting(), FOUND)) == {"line"}


def test_a_held_place_says_until_when(notices: Notices) -> None:
    held = notices.opening(hana(), waiting(offer_until=LESSON.starts_at), FOUND)
    assert "19:30 まで席を取り置いています" in held["mail"]["text"]


def test_line_takes_so_much(notices: Notices) -> None:
    long = FOUND.__class__(**{**FOUND.__dict__, "lesson_name": "𠮷" * 4000})
    assert len(line_text(notices.called_off(hana(), long)).encode("utf-16-le")) // 2 <= LINE_UNITS_MAX


def test_many_lessons_are_one_notice(notices: Notices) -> None:
    found = notices.found(hana(), [FOUND] * 12)
    assert found["mail"]["text"].count("House（Y）") == 10
    assert "ほか 2 件" in found["mail"]["text"]


@pytest.mark.parametrize(("hour", "quiet"), [(21, False), (22, True), (3, True), (7, False)])
def test_quiet_hours_go_over_midnight(hour: int, quiet: bool) -> None:
    assert is_quiet(days.at(LESSON.lesson_date, hour), time(22, 0), time(7, 0)) is quiet
