"""Reminders ring once, in order, and where they can be read."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.eventbot.local.world import GUILD_ID
from sekkei_systems.eventbot.service import NewNotice
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot


async def test_a_notice_reminds_only_those_who_have_not_confirmed(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=8))
    for person in (REN, MEI, SOTA):
        await quick.service.joining.join(person.actor, event.event_id)
    remind_at = quick.service.desk.now() + timedelta(hours=1)
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文", remind_at))
    await quick.work()
    assert (
        await quick.service.desk.notice(GUILD_ID, notice.notice_id)
    ).remind_schedule_name == f"ntc-{notice.notice_id[4:]}-r"
    await quick.service.notices.confirm(MEI.actor, notice.notice_id)
    await quick.work(3600)
    calls = [body for _, body in await quick.posts() if "まだ確認していない" in body.get("content", "")]
    assert [sorted(call["allowed_mentions"]["users"]) for call in calls] == [[REN.id, SOTA.id]]
