"""What reaches the endpoint, however odd, gets an answer that Discord understands."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from systems.eventbot.interactions import desk as interaction_desk
from systems.eventbot.simulator.world import GUILD_ID, RECRUIT
from tests.systems.eventbot.conftest import AOI, REN, Bot

UUID = "0198c6a0-7c1e-7b54-9d5c-0a4f1d2e3b4c"


async def send(bot: Bot, body: bytes) -> tuple[int, bytes]:
    headers = bot.app._signer.headers(body, bot.clock.now())
    reply = await bot.client.request("POST", "/eventbot/interactions", body, headers)
    return reply.status, reply.body


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"type":9}',
        b'{"type":"1"}',
        b'{"type":2}',
        b'{"type":3,"id":"1","token":"t"}',
        b'{"type":3,"id":"x","token":"t","data":{}}',
        b'{"type":3,"id":"1","token":"","data":{}}',
    ],
)
async def test_nonsense_is_refused(quick: Bot, body: bytes) -> None:
    status, _ = await send(quick, body)
    assert status == 400


ODD_PRESSES: list[Any] = [
    {},
    {"custom_id": ""},
    {"custom_id": 7},
    {"custom_id": "e1"},
    {"custom_id": "e1:join:nonsense"},
    {"custom_id": f"e0:join:{UUID}"},
    {"custom_id": f"e1:join:{UUID}"},
    {"custom_id": f"e1:members:{UUID}:-5"},
    {"custom_id": f"e1:members:{UUID}:99999999999999999999"},
    {"custom_id": f"e1:ack:{UUID}"},
    {"custom_id": "e1:list::99999"},
    {"custom_id": f"e1:retry:{UUID}:edit"},
    {"custom_id": f"e1:__class__:{UUID}"},
    {"custom_id": "e1:join:" + "x" * 5000},
]


@pytest.mark.parametrize("data", ODD_PRESSES, ids=range(len(ODD_PRESSES)))
@pytest.mark.parametrize("kind", [2, 3, 4, 5])
async def test_odd_interactions_get_a_proper_answer(quick: Bot, kind: int, data: Any) -> None:
    interaction = quick.app.interaction(kind, REN, RECRUIT, data, "token")
    status, body = await send(quick, orjson.dumps(interaction))
    assert status == 200
    from systems.eventbot.discord.limits import problems_of_response

    assert problems_of_response(orjson.loads(body), kind) == []


async def test_outside_of_a_server_it_says_so(quick: Bot) -> None:
    interaction = quick.app.interaction(2, REN, RECRUIT, {"name": "event"}, "token")
    del interaction["guild_id"], interaction["member"]
    status, body = await send(quick, orjson.dumps(interaction))
    assert status == 200
    assert "サーバーの中" in body.decode()


async def test_every_command_answers(quick: Bot) -> None:
    from systems.eventbot.registration import COMMANDS

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


async def test_every_verb_of_the_panel_answers(quick: Bot) -> None:
    event = await quick.event()
    panel = await quick.press(AOI, event, "panel")
    assert panel.message_id is not None
    for row in panel.response["data"]["components"]:
        for button in row["components"]:
            outcome = await quick.app.press(AOI, RECRUIT, panel.message_id, button["custom_id"])
            assert outcome.ok, (button["label"], outcome.reason)
            assert "うまくいきません" not in str(outcome.response), button["label"]


async def test_a_late_answer_is_deferred_and_follows(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Discord waits three seconds; whatever takes longer says «thinking» and comes through the outbox."""
    event = await quick.event()
    monkeypatch.setattr(interaction_desk, "ANSWER_SECONDS", 0.05)
    gate = asyncio.Event()
    slow = quick.service.events.of_guild

    async def held(*args: Any, **named: Any) -> Any:
        await gate.wait()
        return await slow(*args, **named)

    monkeypatch.setattr(quick.service.events, "of_guild", held)
    outcome = await quick.app.command(REN, RECRUIT, "event list", {})
    assert outcome.response == {"type": 5, "data": {"flags": 64}}
    gate.set()
    await asyncio.sleep(0.05)
    await quick.work()
    shown = {one.message_id: body for one, body in await quick.posts(viewer=REN)}
    assert event.title in str(shown[str(outcome.message_id)])


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
