from __future__ import annotations

from typing import Any, cast

import pytest

from sekkei_systems.lessons.ports.timetable.provider import availability_in
from sekkei_systems.lessons.rules.places import Availability


@pytest.mark.parametrize("content", [None, 1, [], {"total": True}, {"available": 10_001}, {"available": 1.5}])
def test_what_is_no_availability(content: Any) -> None:
    with pytest.raises(ValueError):
        availability_in(content)


def test_nobody_counts() -> None:
    assert availability_in({}).has_places
    assert not availability_in({"isOpen": False, "available": 3}).has_places
    assert not cast(Availability, availability_in({"available": 0})).has_places
