"""Notices and confirmations."""

from __future__ import annotations

import pytest

from sekkei_systems.eventbot.demo.guild import GUILD_ID
from sekkei_systems.eventbot.refusals import (
    NoticeClosed,
    NoticeOpen,
)
from sekkei_systems.eventbot.rules.drafts import NewNotice
from sekkei_systems.eventbot.service.members import members_in_order
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot


async def test_one_notice_at_a_time_hide_show_and_close(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    first = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("一", "文"))
    with pytest.raises(NoticeOpen):
        await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("二", "文"))
    await quick.service.notices.hide(await quick.host(AOI, first.event_id), first.notice_id, True)
    assert await quick.notices_seen_by(REN, event) == []
    assert len(await quick.notices_seen_by(AOI, event)) == 1
    await quick.service.notices.close(await quick.host(AOI, first.event_id), first.notice_id)
    with pytest.raises(NoticeClosed):
        await quick.service.notices.confirm(REN.actor, first.notice_id)
    await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("二", "文"))


async def test_whoever_left_after_confirming_is_not_counted(quick: Bot) -> None:
    event = await quick.event()
    for person in (REN, MEI):
        await quick.service.joining.join(person.actor, event.event_id)
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文"))
    await quick.service.notices.confirm(REN.actor, notice.notice_id)
    await quick.service.joining.leave(REN.actor, event.event_id)
    view = await quick.service.notices.view(GUILD_ID, notice.notice_id)
    assert (len(view.confirmed), len(view.members)) == (0, 1)
    members = await members_in_order(quick.service.desk.db, event)
    assert await quick.service.notices.counts(members, [notice]) == {notice.notice_id: 0}
