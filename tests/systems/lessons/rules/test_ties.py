"""How long ties are kept, and a queue with one's own place in it."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.lessons.design import TieKind
from sekkei_systems.lessons.rules.ties import ttl_of, with_own
from tests.systems.lessons.rules.test_openings import waits
from tests.systems.lessons.world import LESSON


def test_bookings_become_history_which_stays() -> None:
    week = LESSON.starts_at + timedelta(days=7)
    assert [ttl_of(kind, LESSON.starts_at) for kind in TieKind] == [week, week, None, None]


def test_ones_own_place_is_known_though_the_index_is_behind() -> None:
    ann, ben, cleo = (waits(user, queue_key=str(place)) for place, user in enumerate(("ann", "ben", "cleo")))
    assert with_own([ann, cleo], "ben", ben) == [ann, ben, cleo]
    assert with_own([ann, ben, cleo], "ben", None) == [ann, cleo]
