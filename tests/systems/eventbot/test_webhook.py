"""What reaches the endpoint, however odd, gets an answer that Discord understands."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from sekkei.design import Database
from sekkei_systems.eventbot.interactions import desk as interaction_desk
from sekkei_systems.eventbot.interactions.desk import InteractionDesk
from sekkei_systems.eventbot.simulator.client import command_data
from sekkei_systems.eventbot.simulator.world import GUILD_ID, RECRUIT, Person
from tests.systems.eventbot.conftest import AOI, REN, Bot, somebody

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
    from sekkei_systems.eventbot.discord.limits import problems_of_response

    assert problems_of_response(orjson.loads(body), kind) == []


async def test_outside_of_a_server_it_says_so(quick: Bot) -> None:
    interaction = quick.app.interaction(2, REN, RECRUIT, {"name": "event"}, "token")
    del interaction["guild_id"], interaction["member"]
    status, body = await send(quick, orjson.dumps(interaction))
    assert status == 200
    assert "サーバーの中" in body.decode()


async def test_every_command_answers(quick: Bot) -> None:
    from sekkei_systems.eventbot.registration import COMMANDS

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


def desk_of(bot: Bot) -> InteractionDesk:
    job = bot.client.shell.deployment.systems["eventbot"].parts.scheduled[interaction_desk.ANSWER_LATE]
    desk: InteractionDesk = job.__self__  # type: ignore[attr-defined]
    return desk


@pytest.fixture
def gate(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Nobody is served before it opens, and nobody has patience."""
    opened, handled = asyncio.Event(), InteractionDesk._handled

    async def held(self: InteractionDesk, asked: Any) -> Any:
        await opened.wait()
        return await handled(self, asked)

    monkeypatch.setattr(interaction_desk, "ANSWER_SECONDS", 0.05)
    monkeypatch.setattr(InteractionDesk, "_handled", held)
    return opened


async def shown_to(bot: Bot, person: Person) -> str:
    return str([body for _, body in await bot.posts(viewer=person)])


async def test_a_late_answer_is_deferred_and_follows(quick: Bot, gate: asyncio.Event) -> None:
    """Discord waits three seconds; whatever takes longer says «thinking» and comes through the outbox."""
    event = await quick.event()
    outcome = await quick.app.command(REN, RECRUIT, "event list", {})
    assert outcome.response == {"type": 5, "data": {"flags": 64}}
    gate.set()
    await desk_of(quick).settled()
    await quick.work()
    shown = {one.message_id: body for one, body in await quick.posts(viewer=REN)}
    assert event.title in str(shown[str(outcome.message_id)])


async def test_what_was_put_off_is_done_although_the_process_dies(quick: Bot, gate: asyncio.Event) -> None:
    event = await quick.event()
    outcome = await quick.press(REN, event, "join")
    assert outcome.response == {"type": 6}
    await _die()
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 0
    gate.set()
    await quick.work(30)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [REN.id]
    await quick.work(30)
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 1


async def test_whoever_was_served_but_not_told_is_told(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process dies between the effect and the late answer."""
    event = await quick.event()
    monkeypatch.setattr(interaction_desk, "ANSWER_SECONDS", 0.0)

    async def dies(*given: Any) -> None:
        raise SystemError

    with monkeypatch.context() as dying:
        dying.setattr(InteractionDesk, "_reply", dies)
        assert (await quick.press(REN, event, "join")).response == {"type": 6}
        await desk_of(quick).settled()
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 1
    await quick.work(30)
    assert "もう受け付けています" in await shown_to(quick, REN)
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 1


async def test_a_form_that_comes_too_late_asks_to_press_again(quick: Bot, gate: asyncio.Event) -> None:
    event = await quick.event()
    assert (await quick.press(AOI, event, "edit")).response == {"type": 6}
    gate.set()
    await desk_of(quick).settled()
    await quick.work()
    assert "もう一度押して" in await shown_to(quick, AOI)


async def test_suggestions_are_never_put_off(quick: Bot, gate: asyncio.Event) -> None:
    found = await quick.app.complete(REN, RECRUIT, "event show", {"event": "会"})
    assert found.ok, found.reason
    assert found.choices == []


async def test_behind_a_long_line_the_answer_comes_at_once(
    quick: Bot, gate: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await quick.event()
    monkeypatch.setattr(interaction_desk, "ANSWER_SECONDS", 60.0)
    monkeypatch.setattr(interaction_desk, "LINE_MAX", 2)
    monkeypatch.setattr(interaction_desk, "BREATH_SECONDS", 0.0)
    monkeypatch.setattr(desk_of(quick), "_turns", asyncio.Semaphore(1))
    waiting = [asyncio.create_task(quick.press(somebody(n), event, "join")) for n in range(4)]
    told, pending = await asyncio.wait(waiting, timeout=2.5, return_when=asyncio.FIRST_COMPLETED)
    assert pending
    assert told
    assert all(task.result().response == {"type": 6} for task in told)
    gate.set()
    await asyncio.gather(*waiting)
    await desk_of(quick).settled()
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 4


async def _die() -> None:
    """All that goes on after the answer stops."""
    ours = {task for task in asyncio.all_tasks() if "_in_turn" in repr(task) or "_follow" in repr(task)}
    for task in ours:
        task.cancel()
    await asyncio.wait(ours)


EFFECTS = ["join", "leave", "maybe", "close", "cancelyes", "repost", "deleteyes"]


@pytest.mark.parametrize("verb", EFFECTS)
async def test_the_mark_and_the_effect_are_one(quick: Bot, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash in the transaction leaves neither, so the same interaction can be sent again; afterwards it cannot."""
    event = await quick.event()
    if verb == "leave":
        await quick.press(AOI, event, "join")
    before = await quick.service.events.view(GUILD_ID, event.event_id)
    data = {"custom_id": f"e1:{verb}:{event.event_id[4:]}", "component_type": 2}
    body = orjson.dumps(quick.app.interaction(3, AOI, RECRUIT, data, "token"))

    async def broken(*given: Any, **named: Any) -> None:
        raise ConnectionError

    with monkeypatch.context() as breaking:
        breaking.setattr(Database, "transact", broken)
        assert "うまくいきません" in (await send(quick, body))[1].decode()
    assert await quick.service.events.view(GUILD_ID, event.event_id) == before
    status, answer = await send(quick, body)
    assert status == 200
    assert "うまくいきません" not in answer.decode()
    assert (await send(quick, body))[0] == 409


async def test_what_changes_nothing_is_not_told_twice_either(quick: Bot) -> None:
    """A recorded `/event web` would give a fresh link to whoever sends it again."""
    interaction = quick.app.interaction(2, AOI, RECRUIT, command_data("event web", {}), "token")
    assert (await send(quick, orjson.dumps(interaction)))[0] == 200
    status, body = await send(quick, orjson.dumps(interaction))
    assert status == 409
    assert b"token=" not in body


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
