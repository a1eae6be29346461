"""Modals, filled in and sent."""

from __future__ import annotations

from sekkei_systems.eventbot.local.world import GUILD_ID, RECRUIT
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot


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
