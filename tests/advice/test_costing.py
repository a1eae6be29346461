"""The month's bill, held against a calculation by hand (docs/advice.md has the same one in words)."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.advice.costing import NoPrices, Prices, UnknownName, price
from sekkei.advice.sample_data import instance
from sekkei.advice.sizes import item_bytes
from sekkei.design import Design, Index, Measurements, Query, Units, Update
from sekkei.design.loading import find, measurements_beside
from tests.advice.conftest import State, Thing, thing_design

PAGE = (Path(__file__).parents[2] / "docs" / "advice.md").read_text("utf-8")


def shop() -> Design:
    design, things = thing_design(Index("by_state", "state", "at"))

    @design.pattern
    def things_of(owner: str) -> Query[Thing]:
        """Somebody's things."""
        return things.where(Thing.owner == owner)

    @design.pattern
    def finish(owner: str, id: str) -> Update[Thing]:
        """Finish one."""
        return things.update(owner, id).set(Thing.state, State.DONE)

    return design


MEASURED = Measurements(
    {"things_of": Units(2.0, 0.0, 20), "finish": Units(0.0, 3.0, 1, indexes={"things.by_state": 2.0})}
)


def test_by_hand() -> None:
    rates, items = {"things_of": 100.0, "finish": 10.0}, {"things": 100_000_000}
    bill = price(shop(), MEASURED, rates=rates, items=items, prices=Prices.of("us-east-1"))
    # 100 calls × 2 units and 10 calls × 3 units a second; 730 hours of 3,600 seconds.
    seconds = 730 * 3_600
    assert bill.on_demand == pytest.approx(200 * seconds / 1e6 * 0.125 + 30 * seconds / 1e6 * 0.625)
    assert round(bill.on_demand or 0.0, 2) == 114.98
    assert "$65.70 + $49.28 = $114.98" in PAGE
    assert bill.provisioned == pytest.approx((600 * 0.00013 + 90 * 0.00065) * 730)  # three times the average
    assert bill.autoscaled == pytest.approx((286 * 0.00013 + 43 * 0.00065) * 730)  # 70 % in use, rounded up
    entity = shop().tables["things"].entities[0]
    sizes = [item_bytes(entity.encode(instance(entity, number))) + 100 for number in range(5)]
    stored = 100_000_000 * sum(sizes) / 5 / 1024**3
    assert bill.gigabytes == pytest.approx(2 * stored)  # the table, and an index that holds everything
    assert bill.storage == pytest.approx((2 * stored - 25) * 0.25)
    assert bill.pitr == pytest.approx(2 * stored * 0.20)
    index = next(each for each in bill.stored if each.place == "things.by_state")
    assert index.dollars == pytest.approx(stored * 0.25 + 20 * seconds / 1e6 * 0.625)


def test_a_price_that_is_not_known_stays_out_of_the_sum() -> None:
    bill = price(shop(), MEASURED, rates={}, items={"things": 10**9}, prices=Prices.of("ap-northeast-1"))
    assert bill.pitr is None
    assert bill.storage is not None


@pytest.mark.parametrize(
    ("rates", "items"),
    [({"nothing": 1.0}, {}), ({}, {"nothing": 1}), ({"finish": -1.0}, {}), ({}, {"things": -5})],
)
def test_what_makes_no_sense_is_refused(rates: dict[str, float], items: dict[str, int]) -> None:
    with pytest.raises(UnknownName):
        price(shop(), MEASURED, rates=rates, items=items, prices=Prices.of("us-east-1"))


def test_prices_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('date = "2030-01-01"\n[moon-1]\nwrite_million = 9\n')
    prices = Prices.of("moon-1", path)
    assert (prices.date, prices.write_million, prices.read_million) == ("2030-01-01", 9.0, None)
    with pytest.raises(NoPrices, match="No prices for mars-1"):
        Prices.of("mars-1", path)
    for much in ('"much"', "-1", "nan", "inf", "true"):
        path.write_text(f"[moon-1]\nwrite_million = {much}\n")
        with pytest.raises(NoPrices, match="is no price"):
            Prices.of("moon-1", path)
    path.write_text("[moon-1]\nlunch = 3\n")
    with pytest.raises(NoPrices, match="no such price"):
        Prices.of("moon-1", path)


def test_what_is_not_measured_is_named() -> None:
    bill = price(shop(), Measurements(), rates={"finish": 1.0}, items={}, prices=Prices.of("us-east-1"))
    assert bill.unmeasured == ["finish"]


def test_a_system_by_hand() -> None:
    """The reckoning of docs/advice.md, from the items alone."""
    design, home = find("eventbot")
    events = design.tables["Events"].entities[0]
    read = sum(item_bytes(events.encode(instance(events, number))) for number in range(50))
    assert read == 26_700
    assert -(-read // 4_096) * 0.5 == 3.5
    rates = {"join": 10.0, "events_of_guild": 100.0}
    prices = Prices.of("ap-northeast-1")
    bill = price(design, Measurements.load(measurements_beside(home)), rates=rates, items={}, prices=prices)
    dollars = {line.pattern: round(line.dollars or 0.0, 2) for line in bill.lines}
    assert dollars == {"join": 112.74, "events_of_guild": 131.07}
    assert "$112.74 + $131.07 = $243.81" in PAGE
    assert "⌈26,700 / 4,096⌉ = 7 blocks" in PAGE
