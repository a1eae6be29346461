from __future__ import annotations

from dataclasses import asdict
from datetime import time
from typing import Any

import pytest

from sekkei_systems.lessons.design import Lesson, Search
from sekkei_systems.lessons.rules.searching import fits
from sekkei_systems.lessons.service.searches import Wish
from tests.systems.lessons.world import LESSON

FOUND = Lesson(
    studio_code="gnz",
    lesson_date=LESSON.lesson_date,
    start_time=LESSON.start_time,
    lesson_name="BSL House 1",
    program="BSL",
    instructor="YUKI",
    updated_at=LESSON.starts_at,
)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ({"instructor": "ｙｕｋｉ"}, True),
        ({"instructor": "YUK"}, False),
        ({"program": "bsl house  1"}, True),
        ({"program": "BSL"}, True),
        ({"program": "BSW"}, False),
        ({"studio_code": "gnz"}, True),
        ({"studio_code": "sby", "instructor": "YUKI"}, False),
        ({"instructor": "YUKI", "weekdays": frozenset({2})}, True),
        ({"instructor": "YUKI", "weekdays": frozenset({0, 1})}, False),
        ({"instructor": "YUKI", "time_from": time(19, 30), "time_until": time(19, 31)}, True),
        ({"instructor": "YUKI", "time_until": time(19, 30)}, False),
        ({"instructor": "YUKI", "time_from": time(19, 31)}, False),
    ],
)
def test_what_fits(wish: dict[str, Any], expected: bool) -> None:
    made = Search(user_id="a", search_id="1", created_at=LESSON.starts_at, **asdict(Wish(**wish)))
    assert fits(made, FOUND) is expected
