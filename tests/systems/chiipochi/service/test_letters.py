"""What donors are told."""

from __future__ import annotations

from sekkei.runtime.transports.line import Quota
from sekkei_systems.chiipochi.design import local_payments, state, user_states
from sekkei_systems.chiipochi.design.models import Status
from sekkei_systems.chiipochi.rules.conversation import Incoming
from sekkei_systems.chiipochi.service.letters import Channel
from sekkei_systems.chiipochi.texts import Language
from tests.systems.chiipochi.conftest import AOI, REN, Bot


async def test_whoever_leaves_is_not_written_to(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ", "はい")
    (donation,) = await quick_bot.donations()
    await quick_bot.deliver(quick_bot.event(type="unfollow"))
    await quick_bot.pay(donation)
    await quick_bot.work()
    assert (await quick_bot.donations())[0].status is Status.SUCCEEDED
    assert await quick_bot.sent("thanks/") == []
    quick_bot.clock.advance(1)
    await quick_bot.deliver(quick_bot.event(type="follow", follow={"isUnblocked": True}))
    assert "おかえりなさい" in await quick_bot.last_words()
    assert (await quick_bot.db.need(state(AOI))).unfollowed_at is None


# In which language the bot speaks, and to whom.


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


# What the bot asks of the channel is never worth a failure.


class Line:
    """Fails for one person, and when it is asked for the quota."""

    def __init__(self) -> None:
        self.loading: list[str] = []

    async def language_of(self, user_id: str) -> Language | None:
        return "en"

    async def show_loading(self, user_id: str) -> None:
        if user_id == AOI:
            raise ConnectionError("not today")
        self.loading.append(user_id)

    async def quota(self) -> Quota | None:
        raise ConnectionError("not today")


async def test_a_quota_that_line_does_not_tell_is_none() -> None:
    assert await Channel(Line()).quota() is None


async def test_everybody_who_waits_sees_it_and_groups_do_not() -> None:
    line = Line()
    events = [Incoming(f"e{place}", user, 1, "text") for place, user in enumerate((AOI, REN, REN))]
    group = Incoming("e9", "U" + "c" * 32, 1, "text", group="C1")
    await Channel(line).keep_waiting([*events, group])
    assert line.loading == [REN]
