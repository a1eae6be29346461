"""Slash commands."""

from __future__ import annotations

import re

from sekkei_systems.eventbot.local.client import AppClient
from sekkei_systems.eventbot.local.world import GUILD_ID, RECRUIT
from sekkei_systems.eventbot.ports.gateway import LOCAL_APPLICATION_ID
from tests.systems.eventbot.conftest import AOI, REN, Bot

JAPANESE = re.compile(r"[぀-ヿ一-鿿]")


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


async def test_every_command_answers(quick: Bot) -> None:
    from sekkei_systems.eventbot.rules.registration import COMMANDS

    event = await quick.event()
    for command in COMMANDS:
        for sub in command["options"]:
            words = f"{command['name']} {sub['name']}"
            options = {"event": event.event_id[4:]} if any(one["name"] == "event" for one in sub["options"]) else {}
            outcome = await quick.app.command(AOI, RECRUIT, words, options)
            assert outcome.ok, (words, outcome.reason)
            said = str(outcome.response.get("data", {}).get("content", ""))
            assert "使えません" not in said, (words, said)
            assert "うまくいきません" not in said, (words, said)


async def test_autocomplete_finds_events_by_what_is_typed(quick: Bot) -> None:
    for title in ("読書会", "もくもく会", "ボウリング"):
        await quick.event(title=title)
        quick.clock.advance(6)
    found = await quick.app.complete(REN, RECRUIT, "event show", {"event": "会"})
    assert sorted(one["name"][:3] for one in found.choices) == ["もくも", "読書会"]


async def test_settings_by_command(quick: Bot) -> None:
    await quick.app.command(AOI, RECRUIT, "event settings", {"remind": 30, "language": "en", "thread": True})
    settings = await quick.service.guilds.settings(GUILD_ID)
    assert (settings.remind_minutes_before, settings.locale, settings.make_thread) == (30, "en", True)
    event = await quick.event()
    assert event.thread_id is not None
    await quick.work(6)
    shown = {one.message_id: body for one, body in await quick.posts()}
    assert "Join" in str(shown[str(event.recruit_message_id)]["components"])
    assert f"<#{event.thread_id}>" in str(shown[str(event.recruit_message_id)])
