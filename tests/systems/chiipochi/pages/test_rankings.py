"""Rankings as pages."""

from __future__ import annotations

from tests.systems.chiipochi.conftest import REN, Bot


async def test_every_period_and_the_screen(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.donate("ゴーヤ 300", REN)
    for period in ("day", "week", "month", "year", "all"):
        for page in ("ranking", "screen"):
            text = (await quick_bot.client.get(f"/chiipochi/{page}?period={period}")).text
            assert text.index("千葉県") < text.rindex("沖縄県")
            assert "¥800" in text
    assert (await quick_bot.client.get("/chiipochi/ranking?period=century")).status == 422
