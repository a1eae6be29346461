"""A notice's page."""

from __future__ import annotations

import pytest

from sekkei.runtime.refusals import NotThere
from sekkei.web import Redirect
from sekkei_systems.eventbot.demo.guild import GUILD_ID
from sekkei_systems.eventbot.design import Status
from sekkei_systems.eventbot.pages.notice import do
from sekkei_systems.eventbot.refusals import AlreadySo, NoSuchNotice
from sekkei_systems.eventbot.rules.drafts import NewNotice
from tests.systems.eventbot.conftest import AOI, Bot


async def test_closing_says_so_and_a_second_time_why_not(quick: Bot) -> None:
    event = await quick.event()
    host, notices = await quick.host(AOI, event.event_id), quick.service.notices
    notice = await notices.post(host, NewNotice("集合", "21 時に"))
    back = Redirect("eventbot:event", guild_id=GUILD_ID, event=event.event_id[4:])
    assert await do(host, notices, notice.notice_id[4:], "close") == back.flash("notice.done-close")
    assert (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).status is Status.CLOSED
    again = await do(host, notices, notice.notice_id[4:], "close")
    assert isinstance(again.flashes[0].text, AlreadySo)


async def test_another_events_notice_is_not_there(quick: Bot) -> None:
    mine, other = await quick.event(), await quick.event()
    notices = quick.service.notices
    theirs = await notices.post(await quick.host(AOI, other.event_id), NewNotice("集合", "21 時に"))
    host = await quick.host(AOI, mine.event_id)
    with pytest.raises(NoSuchNotice):
        await do(host, notices, theirs.notice_id[4:], "close")
    for notice, verb in (("nonsense", "close"), (theirs.notice_id[4:], "explode")):
        with pytest.raises(NotThere):
            await do(host, notices, notice, verb)
