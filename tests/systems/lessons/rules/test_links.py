from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.runtime.settings import Secrets
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.rules.links import Links
from tests.systems.lessons.world import LESSON


def test_a_link_is_for_one_tie_until_the_lesson_begins() -> None:
    links, now = Links(Secrets(b"one secret of tests")), LESSON.starts_at - timedelta(hours=1)
    token = links.tap("hana", LESSON, "wl_1", now)
    assert links.read_tap(token, now).tie_id == "wl_1"
    with pytest.raises(refusals.LinkOver):
        links.read_tap(token, LESSON.starts_at)
    with pytest.raises(refusals.NoSuchTie):
        Links(Secrets(b"another secret of tests")).read_tap(token, now)
    with pytest.raises(refusals.NoSuchTie):
        links.read_tap(links.calendar("hana", "x"), now)
    for cut in range(len(token)):
        with pytest.raises(refusals.NoSuchTie):
            links.read_tap(token[:cut] + ("A" if token[cut] != "A" else "B") + token[cut + 1 :], now)
