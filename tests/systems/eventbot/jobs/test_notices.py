"""A notice's post follows the notice."""

from __future__ import annotations

from sekkei_systems.eventbot.local.world import GUILD_ID, RECRUIT
from sekkei_systems.eventbot.service import NewNotice
from tests.systems.eventbot.conftest import AOI, Bot


async def test_post_again_makes_another_post_within_the_minutes_of_the_nonce(quick: Bot) -> None:
    """Discord remembers the nonce of a message that was deleted, and would give its id back."""
    event = await quick.event()
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("集合", "21 時に"))
    await quick.work(6)
    first = (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).notice_message_id
    assert first is not None
    await quick.local.delete(RECRUIT, first)
    await quick.service.notices.repost(await quick.host(AOI, notice.event_id), notice.notice_id)
    await quick.work(6)
    again = await quick.service.desk.notice(GUILD_ID, notice.notice_id)
    assert again.notice_message_id != first
    assert again.notice_message_id in {one.message_id for one, _ in await quick.posts()}
