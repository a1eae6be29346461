"""Everybody's donations."""

from __future__ import annotations

from tests.systems.chiipochi.conftest import REN, Bot


async def test_the_dashboard_shows_the_ranking_and_takes_no_nonsense(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.donate("ゴーヤ", REN)
    page = (await quick_bot.client.get("/chiipochi/")).text
    assert page.index("千葉県") < page.index("¥500") < page.rindex("沖縄県")
    assert "¥600" in page
    english = await quick_bot.client.get("/chiipochi/?lang=en")
    assert "Okinawa" in english.text
    for day in ("yesterday", "2025-02-30", "%00"):
        assert (await quick_bot.client.get(f"/chiipochi/?day={day}")).status == 422
