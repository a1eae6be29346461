"""What the bot looks up."""

from __future__ import annotations

from tests.systems.chiipochi.conftest import Bot


async def test_the_bot_tells_totals_rankings_history_and_stamps(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.say("ゴーヤ", "はい")
    expected = {
        "今日の合計": ["1件・500円", "お支払い待ち 100円"],
        "みんなの合計": ["1件・500円"],
        "ランキング": ["千葉県　500円"],
        "履歴": ["✅ 08/20 千葉県 500円", "⏳ 08/20 沖縄県 100円"],
        "スタンプ": ["1 / 47", "千葉×1"],
        "年間まとめ": ["2025年", "1件・500円", "1の都道府県"],
        "友だちに教える": ["/chiipochi/"],
        "ヘルプ": ["使い方"],
    }
    for words, answers in expected.items():
        await quick_bot.say(words)
        told = await quick_bot.last_words()
        assert all(answer in told for answer in answers), (words, told)
