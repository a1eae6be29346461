"""What donors are told."""

from __future__ import annotations

from sekkei_systems.chiipochi.design import state
from sekkei_systems.chiipochi.design.models import Status
from tests.systems.chiipochi.conftest import AOI, Bot


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
