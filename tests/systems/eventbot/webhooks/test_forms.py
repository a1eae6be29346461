"""Modals, filled in and sent."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from sekkei_fakes.discord.client import AppClient
from sekkei_fakes.discord.end import APPLICATION
from sekkei_systems.eventbot.demo.guild import BOT_ROLE, CHAT, GUILD_ID, RECRUIT
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.rules.drafts import Draft
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


async def test_a_forbidden_channel_is_told_in_the_same_interaction(quick: Bot) -> None:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), recruit_channel_id=CHAT)
    quick.local.server.overwrite(CHAT, BOT_ROLE, deny=permissions.Permission.VIEW_CHANNEL)
    made = await quick.app.submit(AOI, RECRUIT, "e1:create:", {"title": "会", "start": "明日 21時"})
    said = made.response["data"]
    assert "投稿できません" in said["content"]
    quick.local.server.overwrite(CHAT, BOT_ROLE, allow=permissions.Permission.VIEW_CHANNEL)
    assert made.message_id is not None
    await quick.app.press(AOI, RECRUIT, made.message_id, said["components"][0]["components"][0]["custom_id"])
    await quick.work(6)
    assert len(await quick.posts(CHAT)) == 1


async def test_a_stale_edit_keeps_what_was_typed(quick: Bot) -> None:
    event = await quick.event()
    opened = await quick.press(AOI, event, "edit")
    assert opened.modal is not None
    await quick.service.events.edit(
        await quick.host(AOI, event.event_id), Draft("先に変えた", start=event.event_start_at)
    )
    typed = {"title": "長く考えた題", "start": "明日 21時", "description": "長く書いた説明"}
    stale = await quick.app.submit(AOI, RECRUIT, opened.modal["custom_id"], typed)
    assert "ほかの人が先に変更" in stale.response["data"]["content"]
    assert stale.message_id is not None
    button = stale.response["data"]["components"][0]["components"][0]
    again = await quick.app.press(AOI, RECRUIT, stale.message_id, button["custom_id"])
    assert again.modal is not None
    filled = {one["component"]["custom_id"]: one["component"].get("value") for one in again.modal["components"]}
    assert (filled["title"], filled["description"]) == ("長く考えた題", "長く書いた説明")
    saved = await quick.app.submit(AOI, RECRUIT, again.modal["custom_id"], typed)
    assert saved.ok
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).title == "長く考えた題"


@pytest.mark.parametrize(
    ("guild", "person", "language", "zone"),
    [
        ("ja", "ja", "ja", "Asia/Tokyo"),
        ("de", "de", "en", "Europe/Berlin"),
        ("en-GB", "ja", "en", "Europe/London"),
        ("en-US", "ja", "ja", "Asia/Tokyo"),  # what Discord says of every server that has not chosen
        ("en-US", "en-US", "en", "UTC"),
        ("xx", "ja", "en", "UTC"),
    ],
)
async def test_a_new_guild_gets_its_language_and_zone_from_discord(
    quick: Bot, guild: str, person: str, language: str, zone: str
) -> None:
    quick.local.server.guild["preferred_locale"] = guild
    app = AppClient(quick.local, quick.app._signer, quick.app._deliver, APPLICATION, quick.clock, person)
    opened = await app.command(AOI, RECRUIT, "event create", {})
    assert opened.modal is not None
    await app.submit(AOI, RECRUIT, opened.modal["custom_id"], {"title": "会", "start": "2026-07-20 20:00"})
    settings = await quick.service.guilds.settings(GUILD_ID)
    assert (settings.locale, settings.time_zone) == (language, zone)
    [event] = await quick.service.events.of_guild(GUILD_ID)
    assert event.event_start_at is not None
    assert f"{event.event_start_at.astimezone(ZoneInfo(zone)):%H:%M}" == "20:00"
