"""Identifiers sort by time and fit where they go."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.runtime.aws.eventbridge import schedule_name as checked_name
from sekkei.runtime.identifiers import uuid7
from sekkei_systems.eventbot.rules.identifiers import custom_id, new_event_id, nonce, read_custom_id, schedule_name


def test_ids_sort_by_time_and_fit_where_they_go(clock: ManualClock) -> None:
    made = []
    for _ in range(20):
        clock.advance(0.002)
        made.append(uuid7(clock))
    assert made == sorted(made)
    assert {one[14] for one in made} == {"7"}
    id = new_event_id(clock)
    for kind in ("r", "s", "d", "settle"):
        assert checked_name(schedule_name(id, kind)) == schedule_name(id, kind)
    assert len(nonce(id, 123456)) <= 25
    press = read_custom_id(custom_id("members", id, 3))
    assert press is not None
    assert (press.verb, f"EVT#{press.uuid}", press.more) == ("members", id, "3")
