"""From command to message, through the signed endpoint."""

from __future__ import annotations

import re

from sekkei_systems.eventbot.entities import Status
from sekkei_systems.eventbot.gateway import LOCAL_APPLICATION_ID
from sekkei_systems.eventbot.simulator.client import AppClient
from sekkei_systems.eventbot.simulator.world import GUILD_ID, RECRUIT
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot

JAPANESE = re.compile(r"[぀-ヿ一-鿿]")


async def test_create_by_modal_join_wait_leave(quick: Bot) -> None:
    opened = await quick.app.command(AOI, RECRUIT, "event create", {})
    assert opened.modal is not None
    values = {
        "title": "もくもく会",
        "start": "明日 21時〜23時",
        "capacity": "2",
        "location": "オンライン",
        "description": "静かに",
    }
    made = await quick.app.submit(AOI, RECRUIT, opened.modal["custom_id"], values)
    assert made.ok, made.reason
    assert made.private
    await quick.work()
    [event] = await quick.service.events.of_guild(GUILD_ID)
    assert event.recruit_message_id is not None
    assert event.event_start_at is not None
    assert event.event_start_at.isoformat() == "2026-01-15T21:00:00+09:00"
    assert event.event_remind_schedule_name == f"evt-{event.event_id[4:]}-r"
    for person in (AOI, REN):
        assert (await quick.press(person, event, "join")).ok
    waiting = await quick.press(MEI, event, "join")
    assert waiting.ok
    assert waiting.response["type"] == 7
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [AOI.id, REN.id]
    assert [one.user_id for one in view.waiting] == [MEI.id]
    assert (await quick.press(REN, event, "leave")).ok
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [AOI.id, MEI.id]
    assert view.event.member_count == 2
    assert view.event.waiting_count == 0
    await quick.work()
    texts = [body.get("content", "") for _, body in await quick.posts()]
    assert any(MEI.id in text and "繰り上がり" in text for text in texts)


async def test_a_second_press_says_so_and_changes_nothing(quick: Bot) -> None:
    event = await quick.event()
    await quick.press(REN, event, "join")
    again = await quick.press(REN, event, "join")
    assert again.response["type"] == 4
    assert "もう参加" in again.response["data"]["content"]
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert len(view.members) == view.event.member_count == 1


async def test_members_may_not_manage(quick: Bot) -> None:
    event = await quick.event()
    for verb in ("panel", "edit", "details", "close", "cancel", "cancelyes", "deleteyes", "newnotice", "repost"):
        answer = await quick.press(SOTA, event, verb)
        assert answer.response["type"] == 4
        assert "主催者" in answer.response["data"]["content"], verb
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).status is Status.OPEN


async def test_bad_dates_offer_the_form_again_with_what_was_typed(quick: Bot) -> None:
    opened = await quick.app.command(AOI, RECRUIT, "event create", {})
    assert opened.modal is not None
    said = await quick.app.submit(AOI, RECRUIT, opened.modal["custom_id"], {"title": "会", "start": "そのうち"})
    assert "そのうち" in said.response["data"]["content"]
    retry = said.response["data"]["components"][0]["components"][0]["custom_id"]
    assert said.message_id is not None
    again = await quick.app.press(AOI, RECRUIT, said.message_id, retry)
    assert again.modal is not None
    filled = {one["component"]["custom_id"]: one["component"].get("value") for one in again.modal["components"]}
    assert filled["title"] == "会"
    assert filled["start"] == "そのうち"


async def test_notice_is_confirmed_and_counted(quick: Bot) -> None:
    event = await quick.event()
    for person in (REN, MEI):
        await quick.press(person, event, "join")
    opened = await quick.press(AOI, event, "newnotice")
    assert opened.modal is not None
    sent = await quick.app.submit(
        AOI, RECRUIT, opened.modal["custom_id"], {"title": "持ち物", "body": "ノート PC", "remind": ""}
    )
    assert sent.ok, sent.reason
    await quick.work()
    [notice] = await quick.service.notices.of_event(AOI.actor, event.event_id)
    assert notice.notice_message_id is not None
    ack = f"e1:ack:{notice.notice_id[4:]}"
    confirmed = await quick.app.press(REN, RECRUIT, notice.notice_message_id, ack)
    assert "**1 / 2**" in str(confirmed.response)
    outsider = await quick.app.press(SOTA, RECRUIT, notice.notice_message_id, ack)
    assert "参加者だけ" in outsider.response["data"]["content"]
    unacked = await quick.app.press(AOI, RECRUIT, notice.notice_message_id, f"e1:unacked:{notice.notice_id[4:]}:0")
    assert MEI.id in str(unacked.response)
    assert REN.id not in str(unacked.response)


async def test_english_on_request(quick: Bot) -> None:
    """Whoever has Discord in English is answered in English, what is wrong with a form included."""
    app = AppClient(quick.local, quick.app._signer, quick.app._deliver, LOCAL_APPLICATION_ID, quick.clock, "en-GB")
    opened = await app.command(AOI, RECRUIT, "event create", {})
    assert opened.modal is not None
    assert opened.modal["title"] == "New event"
    for values, said in (
        ({"title": " ", "start": "tomorrow 9pm"}, "Please give the title."),
        ({"title": "x", "location": "y" * 101}, "At most 100 characters for the place"),
        ({"title": "x", "start": "someday"}, "could not be read as a date"),
    ):
        wrong = await app.submit(AOI, RECRUIT, opened.modal["custom_id"], values)
        assert said in wrong.response["data"]["content"]
        assert not JAPANESE.search(wrong.response["data"]["content"])
    made = await app.submit(AOI, RECRUIT, opened.modal["custom_id"], {"title": "Party", "start": "next Friday 8pm"})
    assert "is made and will be posted" in made.response["data"]["content"]
    [event] = await quick.service.events.of_guild(GUILD_ID)
    for verb in ("event list", "event mine", "event help", "event settings", "event web"):
        answer = await app.command(AOI, RECRUIT, verb, {})
        assert not JAPANESE.search(str(answer.response["data"].get("content"))), verb
    panel = await app.command(AOI, RECRUIT, "event manage", {"event": event.event_id[4:]})
    assert not JAPANESE.search(str(panel.response))


async def test_a_guild_writes_dates_in_its_own_zone(quick: Bot) -> None:
    unknown = await quick.app.command(AOI, RECRUIT, "event settings", {"zone": "Europe/Nowhere"})
    assert "タイムゾーン「Europe/Nowhere」" in unknown.response["data"]["content"]
    saved = await quick.app.command(AOI, RECRUIT, "event settings", {"zone": "Europe/Berlin"})
    assert "タイムゾーン: Europe/Berlin" in saved.response["data"]["content"]
    opened = await quick.app.command(AOI, RECRUIT, "event create", {})
    assert opened.modal is not None
    assert opened.modal["components"][1]["label"] == "日時（Berlin）"
    made = await quick.app.submit(AOI, RECRUIT, opened.modal["custom_id"], {"title": "会", "start": "明日 21時〜23時"})
    assert made.ok, made.reason
    await quick.work()
    [event] = await quick.service.events.of_guild(GUILD_ID)
    assert event.event_start_at is not None
    assert event.event_start_at.isoformat() == "2026-01-16T05:00:00+09:00"  # stored as ever in Japan's time
    edit = await quick.press(AOI, event, "edit")
    assert edit.modal is not None
    assert edit.modal["components"][1]["component"]["value"] == "2026-01-15 21:00-23:00"
