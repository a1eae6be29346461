"""Totals beside a recount."""

from __future__ import annotations

from tests.systems.chiipochi.conftest import TODAY, Bot


async def test_totals_that_went_wrong_are_repaired_from_the_donations(bot: Bot) -> None:
    from sekkei_systems.chiipochi.design import day_totals, prefecture_totals
    from sekkei_systems.chiipochi.design.models import DayTotal, PrefectureTotal

    await bot.donate()
    await bot.db.write(day_totals.upsert(TODAY).add(DayTotal.amount, 400))
    await bot.db.write(prefecture_totals.upsert(TODAY, "OSAKA").add(PrefectureTotal.amount, 400))
    assert not (await bot.service.reports.check(TODAY)).agrees
    assert (await bot.service.reports.repair(TODAY)).agrees
    day = await bot.service.reports.day(TODAY, consistent=True)
    assert (day.amount, day.count, list(day.prefectures)) == (100, 1, ["CHIBA"])


async def test_a_repair_counts_no_donation_that_the_stream_has_yet_to_tell_of(quick_bot: Bot) -> None:
    """It would be counted twice; found by the world of chiipochi, seed 15."""
    await quick_bot.donate()
    await quick_bot.say("ピーナッツ 300", "はい")
    donation = (await quick_bot.donations())[-1]
    await quick_bot.pay(donation)
    worker = quick_bot.client.shell.deployment.worker
    while await worker.deliver():
        quick_bot.clock.advance(2)  # paid, and the stream has not been read
    assert (await quick_bot.donations())[-1].counts
    reports = quick_bot.service.reports
    assert not (await reports.repair(TODAY)).agrees
    await quick_bot.work()
    assert (await reports.check(TODAY)).agrees
