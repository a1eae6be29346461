"""Receipts and years."""

from __future__ import annotations

from sekkei_systems.chiipochi.service.access import Donor
from tests.systems.chiipochi.conftest import AOI, REN, Bot, utc


async def test_months_in_a_row_and_the_sheet_of_a_year(quick_bot: Bot) -> None:
    for day in ("2025-11-30", "2025-12-01", "2026-01-31"):
        quick_bot.clock.set(utc(f"{day}T12:00:00+09:00").timestamp())
        await quick_bot.donate("ピーナッツ 500")
    mine = quick_bot.service.mine
    assert await mine.streak(Donor(AOI)) == 3
    quick_bot.clock.set(utc("2026-02-28T12:00:00+09:00").timestamp())
    assert await mine.streak(Donor(AOI)) == 3, "February may still come"
    quick_bot.clock.set(utc("2026-03-01T00:00:00+09:00").timestamp())
    assert await mine.streak(Donor(AOI)) == 0
    assert await mine.streak(Donor(REN)) == 0
    token = quick_bot.service.links.my_token(AOI)
    sheet = (await quick_bot.client.get(f"/chiipochi/u/{token}/year/2025")).text
    assert "¥1,000" in sheet
    assert "1の都道府県へ、2件" in sheet
    for year in ("2024", "2027", "0", "99999", "x"):
        assert (await quick_bot.client.get(f"/chiipochi/u/{token}/year/{year}")).status == 404, year
