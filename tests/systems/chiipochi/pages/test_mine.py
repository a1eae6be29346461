"""A donor's own page."""

from __future__ import annotations

from tests.systems.chiipochi.conftest import AOI, REN, Bot


async def test_ones_own_donations_and_nobody_elses(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.donate("ゴーヤ 300", REN)
    page = (await quick_bot.client.get(f"/chiipochi/u/{quick_bot.service.links.my_token(AOI)}")).text
    assert "¥500" in page
    assert "¥300" not in page
    sheet = (await quick_bot.client.get(f"/chiipochi/u/{quick_bot.service.links.my_token(REN)}/donations.csv")).text
    assert "沖縄県" in sheet
    assert "千葉県" not in sheet


async def test_what_waits_can_be_paid_from_here(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ", "はい")
    page = (await quick_bot.client.get(f"/chiipochi/u/{quick_bot.service.links.my_token(AOI)}")).text
    assert "/chiipochi/pay/" in page
