"""Internet scale on paper: bills and walls by hand, and the page of the five systems."""

from __future__ import annotations

from pathlib import Path

import pytest

import sekkei.advice
from sekkei.advice import declared, heat_of, metering, plot, simulate_users
from sekkei.advice import workload as traffic_of
from sekkei.advice.costing import Prices
from sekkei.advice.load_model import walls
from sekkei.advice.metering import Asked, Travelled
from sekkei.advice.scale import Scale, scale_of, streams_of
from sekkei.advice.scale_page import round_users
from sekkei.advice.workload import BadTraffic, Change, Traffic
from sekkei.design import Measurements
from sekkei.design.loading import find, measurements_beside
from tests.advice.test_costing import MEASURED, shop

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")
JOURNEY = Travelled(
    "Order something.",
    ["POST /orders"],
    3,
    [
        Asked("orders", "USER#{user_id}", 2.0, 4.0, True, "zipf"),
        Asked("orders.by_state", "{state} / {at}", 0.0, 3.0, False, "few:3"),
    ],
    {"orders": 365_000.0},
)


def by_hand(**options: object) -> Scale:
    declared = Traffic(peak=4.0, others="even", journeys={"orders": 2.0}, **options)  # type: ignore[arg-type]
    return Scale(declared, {"orders": JOURNEY})


def test_a_bill_by_hand() -> None:
    bill = by_hand().bill(864_000, Prices.of("us-east-1"))
    # Two a day by 864,000 users are twenty a second: 40 read and 140 write units, for 730 hours of 3,600 seconds.
    assert (bill.read, bill.write) == pytest.approx((40.0, 140.0))
    assert bill.on_demand == pytest.approx((40 * 0.125 + 140 * 0.625) * 730 * 3_600 / 1e6)
    # A thousand bytes, kept for a year: 730 a user.
    assert bill.gigabytes == pytest.approx(864_000 * 730_000 / 1024**3)


def test_walls_by_hand() -> None:
    walls = by_hand().walls()
    # 6 write units a day and user in the index, four times that in the busiest hour, a third of it on each key.
    assert (walls[0].place, walls[0].kind) == ("orders.by_state", "write")
    assert walls[0].users == pytest.approx(1_000 * 3 * 86_400 / (6 * 4), rel=0.01)
    # The table's keys split; 8 write units a day and user until its quota.
    quota = next(wall for wall in walls if wall.place == "orders" and wall.kind == "write")
    assert (quota.key, quota.users) == ("", pytest.approx(40_000 * 86_400 / (8 * 4), rel=0.01))


def test_what_moves_a_wall() -> None:
    change = Change("orders.by_state", "{state}", "Shard it.", shards=10)
    before, after = (by_hand().walls(changes)[0] for changes in ((), (change,)))
    assert after.users == pytest.approx(10 * before.users, rel=0.01)
    raised = by_hand().walls((Change("orders", "", "Ask for more.", quota=3), change))
    assert not [wall for wall in raised if wall.users < 3 * 40_000 * 86_400 / (8 * 4) * 0.99 and wall.place == "orders"]


def test_the_more_users_the_smaller_the_share_of_the_best_known() -> None:
    fixed = by_hand(keys={"{state}": "celebrity:0.1"}).walls()[0].users
    spread = by_hand(keys={"{state}": "zipf:0.5/8"}).walls()[0].users
    assert fixed < spread


def test_patterns_instead_of_journeys() -> None:
    declared = Traffic(patterns={"finish": 5.0}, items={"things": 10.0}, others="even")
    found = scale_of(shop(), declared, {}, MEASURED)
    bill = found.bill(1_000, Prices.of("us-east-1"))
    assert bill.write == pytest.approx(1_000 * 5 * 3.0 / 86_400)
    assert {each.place for each in bill.stored} == {"things", "things.by_state"}
    assert found.walls()[0].place == "things.by_state"


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (Traffic(journeys={"flies": 1.0}), "has no journey flies"),
        (Traffic(patterns={"flies": 1.0}), "has no pattern flies"),
        (Traffic(items={"flies": 1.0}), "has no table flies"),
    ],
)
def test_what_is_not_there_is_named(declared: Traffic, said: str) -> None:
    with pytest.raises(BadTraffic, match=said):
        scale_of(shop(), declared, {}, MEASURED)


def test_two_digits_are_enough() -> None:
    assert [round_users(number) for number in (7, 42, 340_938, 5_397_796)] == ["7", "42", "340,000", "5,400,000"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_wall_that_is_shown_is_moved_by_a_change(system: str) -> None:
    """The page promises the change that moves the wall: the nearest one must be another one afterwards."""
    design, home = find(system)
    declared = traffic_of.load(traffic_of.beside(home))
    journeys = metering.load(metering.beside(home))
    found = scale_of(design, declared, journeys, Measurements.load(measurements_beside(home)))
    assert set(declared.journeys) == set(journeys)
    assert declared.changes
    before, after = found.walls()[0], found.walls(declared.changes)[0]
    assert after.users > 1.2 * before.users
    # The quota of a table is raised for whoever asks; a key that gives way must be left far behind.
    assert after.key == "" or after.users > 1.9 * before.users


def test_pictures_show_the_wall() -> None:
    """At half of the way to twice as many users as it bears, calls begin to be refused, and go on to be."""
    for system in ("chiipochi", "q"):
        scale = declared(system)
        wall = scale.walls()[0]
        report = simulate_users(scale, 2 * wall.users, ramp=60)
        outcome = report.outcomes[wall.place]
        assert outcome.first_refused == pytest.approx(1_800, abs=60)
        assert outcome.reason.endswith(f"{wall.kind.title()}KeyRangeThroughputExceeded")
        assert outcome.stuck
        assert report.minutes[-1].served < 0.8 * report.minutes[-1].asked


# What so many users mean for each table and index.


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
