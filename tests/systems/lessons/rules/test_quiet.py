from __future__ import annotations

from datetime import time

import pytest

from sekkei_systems import days
from sekkei_systems.lessons.rules.quiet import is_quiet
from tests.systems.lessons.world import LESSON


@pytest.mark.parametrize(("hour", "quiet"), [(21, False), (22, True), (3, True), (7, False)])
def test_quiet_hours_go_over_midnight(hour: int, quiet: bool) -> None:
    assert is_quiet(days.at(LESSON.lesson_date, hour), time(22, 0), time(7, 0)) is quiet
