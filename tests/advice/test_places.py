"""What so many users mean for each table and index."""

from __future__ import annotations

import pytest

import sekkei.advice
from sekkei.advice import declared, heat_of, plot, simulate_users
from sekkei.advice.load import walls
from sekkei.advice.places import streams_of
from sekkei.advice.prices import Prices
from tests.advice.test_scale import by_hand


def test_by_hand() -> None:
    scale, users = by_hand(), 864_000
    index = heat_of(scale, users)["orders.by_state"]
    # Twenty orders a second, three units each; four times that in the busiest hour.
    assert (index.read, index.write) == pytest.approx((0.0, 240.0))
    assert index.dollars == pytest.approx(60 * 0.625 * 730 * 3_600 / 1e6)
    assert index.wall is not None
    assert index.heat == pytest.approx(240 / 3 / 1_000, rel=0.01)  # a third of it on each key, which bears 1,000


def test_places_add_up_to_the_bill() -> None:
    for name in ("eventbot", "q"):
        scale, prices = declared(name), Prices.of("ap-northeast-1")
        bill, places = scale.bill(100_000, prices), heat_of(scale, 100_000, prices)
        assert sum(each.dollars or 0.0 for each in places.values()) == pytest.approx(bill.on_demand)
        assert sum(each.gigabytes for each in places.values()) == pytest.approx(bill.gigabytes)
        assert sum(each.read for each in places.values()) == pytest.approx(bill.read * bill.peak)


def test_simulated_streams_are_what_users_ask() -> None:
    scale = by_hand()
    found = streams_of(scale, 864_000)
    assert {stream.place: stream.write for stream in found} == pytest.approx(
        {"orders": 320.0, "orders.by_state": 240.0}
    )
    assert {stream.calls for stream in found} == {80.0}
    report = simulate_users(scale, 864_000, minutes=5)
    assert [minute.asked for minute in report.minutes] == pytest.approx([80.0] * 5)
    assert plot(report).startswith("<svg")


def test_nothing_else_is_exported() -> None:
    assert all(hasattr(sekkei.advice, name) for name in sekkei.advice.__all__)
    with pytest.raises(AttributeError):
        sekkei.advice.nothing  # noqa: B018


def test_the_walls_of_a_simulation_are_those_of_the_bill() -> None:
    """Two ways to the same number: the hottest key of each form, from streams and from what is declared."""
    for name in ("chiipochi", "q"):
        scale = declared(name)
        nearest = next(wall for wall in scale.walls() if wall.key)
        bound = walls(streams_of(scale, nearest.users), nearest.users)[0]
        assert (bound.place, bound.key) == (nearest.place, nearest.key)
        assert bound.users == pytest.approx(nearest.users, rel=0.002)
