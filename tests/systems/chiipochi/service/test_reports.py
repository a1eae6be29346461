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
