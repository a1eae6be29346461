"""A donation counts for the year in which it is paid."""

from __future__ import annotations

from datetime import date

from sekkei_systems.chiipochi.service.access import Donor
from tests.systems.chiipochi.conftest import AOI, Bot, utc


async def test_a_donation_of_new_years_eve_that_is_paid_in_january_is_januarys(quick_bot: Bot) -> None:
    quick_bot.clock.set(utc("2025-12-31T23:50:00+09:00").timestamp())
    await quick_bot.say("ピーナッツ 500", "はい")
    (donation,) = await quick_bot.donations()
    quick_bot.clock.set(utc("2026-01-01T00:10:00+09:00").timestamp())
    await quick_bot.pay(donation)
    await quick_bot.work()
    (paid,) = await quick_bot.donations()
    assert paid.gsi1_pk == "DATE#2025-12-31", "the document's keys stay what they are"
    assert paid.paid_at == utc("2026-01-01T00:10:00+09:00")
    mine = quick_bot.service.mine
    assert ((await mine.year(Donor(AOI), 2025)).amount, (await mine.year(Donor(AOI), 2026)).amount) == (0, 500)
    assert (await mine.today(Donor(AOI))).amount == 500
    for day, amount in ((date(2025, 12, 31), 0), (date(2026, 1, 1), 500)):
        check = await quick_bot.service.reports.check(day)
        assert check.agrees
        assert check.stored.amount == amount
    token = quick_bot.service.links.my_token(AOI)
    receipt = await quick_bot.client.get(f"/chiipochi/u/{token}/receipt/2025-12-31T14:50:01.000Z")
    assert "2026" in receipt.text
