"""Totals and prefectures for programs."""

from __future__ import annotations

from tests.systems.chiipochi.conftest import REN, TODAY, Bot


async def test_the_ranking_of_a_day(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.donate("ゴーヤ", REN)
    found = (await quick_bot.client.get(f"/chiipochi/api/days/{TODAY}")).json()
    assert [row["prefecture"] for row in found["ranking"]] == ["CHIBA", "OKINAWA"]
    assert (found["amount"], found["count"]) == (600, 2)


async def test_every_prefecture_with_its_specialities(quick_bot: Bot) -> None:
    found = (await quick_bot.client.get("/chiipochi/api/prefectures")).json()
    assert len(found) == 47
    (chiba,) = [each for each in found if each["code"] == "CHIBA"]
    assert (chiba["iso"], chiba["ja"], chiba["en"]) == ("JP-12", "千葉県", "Chiba")
    assert "ピーナッツ" in chiba["specialities"]
