"""In which language the bot speaks, and to whom."""

from __future__ import annotations

from sekkei_systems.chiipochi.design import (
    local_payments,
    user_states,
)
from tests.systems.chiipochi.conftest import AOI, Bot


async def test_the_bot_speaks_english_to_whoever_asks(quick_bot: Bot) -> None:
    await quick_bot.say("English")
    assert "I will speak English" in await quick_bot.last_words()
    await quick_bot.say("peanuts")
    assert "Donate ¥100 to Chiba?" in await quick_bot.last_words()
    # The state is forgotten when its time is over; the language is not.
    quick_bot.clock.advance(3 * 24 * 3600)
    await quick_bot.db.write(user_states.delete(AOI))
    donation = await quick_bot.donate("peanuts 300")
    thanks = (await quick_bot.sent("thanks/"))[0]
    assert "Your ¥300 has arrived" in str(thanks.body)
    payment = await quick_bot.db.need(local_payments(donation.tx_id or ""))
    assert payment.description == "ちいポチ 千葉県への寄付 / Chiipochi: donation to Chiba"
    expected = {
        "today": "You have donated ¥300 today",
        "total": "Together, everybody",
        "ranking": "Chiba",
        "history": "Your latest donations",
        "stamps": "Chiba ×1",
        "year": "Your 2025",
        "share": "is a LINE bot",
        "help": "How to use",
        "monthly peanuts 300": "Shall we start",
        "Yes": "every month",
        "stop monthly": "has ended",
        "yes": "Nothing is waiting",
        "what?": "do not know that word",
    }
    for words, answer in expected.items():
        quick_bot.clock.advance(1)
        await quick_bot.say(words)
        assert answer in await quick_bot.last_words(), words
    await quick_bot.say("日本語", "ピーナッツ")
    assert "千葉県に100円を寄付しますか" in await quick_bot.last_words()
