"""Rankings equal the days they are made of, whenever they were last added up."""

from __future__ import annotations

from sekkei_systems.chiipochi.design import months_to_add_up, totals_of_period
from sekkei_systems.chiipochi.service.access import Operator
from tests.systems.chiipochi.conftest import AOI, REN, Bot, utc


async def _sums(bot: Bot) -> dict[str, tuple[int, int]]:
    found = {}
    for period in ("day", "week", "month", "year", "all"):
        total = await bot.service.rankings.of(period)
        found[period] = (total.amount, total.count)
    return found


async def test_a_week_a_month_a_year_and_all_time(quick_bot: Bot) -> None:
    for day in ("2025-07-31", "2025-08-01", "2025-08-17", "2025-08-18", "2025-08-20"):
        quick_bot.clock.set(utc(f"{day}T12:00:00+09:00").timestamp())
        await quick_bot.donate("ピーナッツ 500")
    job = quick_bot.client.shell.deployment.systems["chiipochi"].parts.scheduled["rankings"]
    expected = {"day": (500, 1), "week": (1000, 2), "month": (2000, 4), "year": (2500, 5), "all": (2500, 5)}
    for _ in range(2):
        await job({})
        assert await _sums(quick_bot) == expected
    await quick_bot.donate("ゴーヤ 300", REN)
    assert (await _sums(quick_bot))["all"] == (2800, 6), "money of today shows at once"
    ranking = (await quick_bot.service.rankings.of("month")).ranking
    assert [code for code, _ in ranking] == ["CHIBA", "OKINAWA"]
    quick_bot.clock.set(utc("2025-08-22T12:00:00+09:00").timestamp())
    assert (await _sums(quick_bot))["year"] == (2800, 6), "also when a night was missed"
    first = (await quick_bot.donations())[0]
    await quick_bot.service.refunds.refund(Operator("aoi"), AOI, first.created_at)
    await quick_bot.work()
    await job({})
    assert (await _sums(quick_bot))["all"] == (2300, 5), "what was refunded has left its month"


async def test_everything_from_the_beginning_step_by_step(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    quick_bot.clock.set(utc("2026-02-03T12:00:00+09:00").timestamp())
    ((_, step),) = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["rankings"].steps
    cursor = None
    for _ in range(20):
        cursor = (await step({}, cursor)).cursor
        if cursor is None:
            break
    sums = await _sums(quick_bot)
    assert (sums["month"], sums["year"], sums["all"]) == ((0, 0), (0, 0), (500, 1))


async def test_a_refund_of_long_ago_leaves_its_month_its_year_and_all_time(quick_bot: Bot) -> None:
    """A card's dispute, or a refund by hand, can come a year later."""
    donation = await quick_bot.donate("ピーナッツ 500")
    await quick_bot.donate("ゴーヤ 300", REN)
    job = quick_bot.client.shell.deployment.systems["chiipochi"].parts.scheduled["rankings"]
    quick_bot.clock.set(utc("2026-09-10T12:00:00+09:00").timestamp())
    ((_, step),) = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["rankings"].steps
    cursor = (await step({}, None)).cursor
    while cursor is not None:
        cursor = (await step({}, cursor)).cursor
    assert (await _sums(quick_bot))["all"] == (800, 2)
    await quick_bot.service.refunds.refund(Operator("aoi"), AOI, donation.created_at)
    await quick_bot.work()
    for _ in range(2):
        await job({})
        assert (await _sums(quick_bot))["all"] == (300, 1)
    month = await quick_bot.db.all(totals_of_period("2025-08"))
    assert {row.prefecture: row.amount for row in month} == {"ALL": 300, "CHIBA": 0, "OKINAWA": 300}
    assert await quick_bot.db.all(months_to_add_up()) == []
