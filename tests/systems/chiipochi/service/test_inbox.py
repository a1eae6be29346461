"""Deliveries are handled once and never lost."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from sekkei.errors import InternalServerError
from sekkei.runtime.transports.line import signature
from sekkei_systems.chiipochi.design import line_events
from sekkei_systems.chiipochi.ports.line import local_secret
from sekkei_systems.chiipochi.rules.events import Received, read_event
from tests.scripted_store import ScriptedStore, answers
from tests.systems.chiipochi.conftest import AOI, Bot


async def test_an_event_that_a_dying_process_left_is_handled_by_the_next(bot: Bot) -> None:
    await bot.say("ピーナッツ")
    event = bot.text("はい")
    incoming = read_event(event)
    assert incoming is not None
    await bot.service.inbox.store([Received(incoming, event)])
    assert await bot.donations() == []
    bot.clock.advance(60)
    assert await bot.service.inbox.handle_left_over() == 1
    assert len(await bot.donations()) == 1
    assert await bot.service.inbox.handle_left_over() == 0


async def test_nothing_is_left_over_before_the_oldest_that_waits_is(bot: Bot) -> None:
    job = bot.client.shell.deployment.systems["chiipochi"].parts.scheduled["handle-left-over"]
    said = await job({})
    assert said is not None
    assert said.timestamp() > bot.clock.now() + 24 * 3600, "nothing waits"
    event = bot.text("ピーナッツ")
    incoming = read_event(event)
    assert incoming is not None
    await bot.service.inbox.store([Received(incoming, event)])
    stored = bot.clock.now()
    said = await job({})
    assert said is not None
    assert said.timestamp() == pytest.approx(stored + 30, abs=1)
    bot.clock.set(said.timestamp() - 1)
    assert await job({}) == said
    bot.clock.set(said.timestamp() + 1)
    assert await job({}) is None, "it is handled"


async def test_a_delivery_is_not_handled_again_when_its_first_time_is_forgotten(quick_bot: Bot) -> None:
    event = quick_bot.text("ピーナッツ")
    await quick_bot.deliver(event)
    await quick_bot.client.work()
    assert len(await quick_bot.sent()) == 1
    await quick_bot.db.write(line_events.delete(event["webhookEventId"]))  # as DynamoDB does when its time is over
    quick_bot.clock.advance(9 * 24 * 3600)
    assert (await quick_bot.deliver(event)).status == 200
    await quick_bot.client.work()
    assert await quick_bot.db.get(line_events(event["webhookEventId"])) is None
    assert len(await quick_bot.sent()) == 1


async def test_two_events_of_one_delivery_happen_in_their_order(quick_bot: Bot) -> None:
    ask, yes = quick_bot.text("ピーナッツ"), quick_bot.text("はい")
    yes["timestamp"] += 1_000
    await quick_bot.deliver(yes, ask)
    assert len(await quick_bot.donations()) == 1


async def test_a_slow_store_does_not_keep_line_waiting(quick_bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi import webhooks as webhook

    monkeypatch.setattr(webhook, "ANSWER_SECONDS", 0.01)
    gate = asyncio.Event()
    handle = quick_bot.service.conversations.handle

    async def slowly(incoming: Any) -> None:
        await gate.wait()
        await handle(incoming)

    monkeypatch.setattr(quick_bot.service.conversations, "handle", slowly)
    event = quick_bot.text("ピーナッツ")
    body = orjson.dumps({"destination": "U", "events": [event]})
    proof = signature(local_secret(quick_bot.client.shell.settings), body)
    loading: list[str] = []

    async def note(user_id: str) -> None:
        loading.append(user_id)

    monkeypatch.setattr(quick_bot.service.channel.line, "show_loading", note)
    reply = await quick_bot.client.request("POST", "/chiipochi/webhook", body, {"x-line-signature": proof})
    assert reply.status == 200
    assert await quick_bot.sent() == []
    await asyncio.sleep(0)
    assert loading == [AOI]
    # LINE was told that it arrived, so it is written down: should this process die now, another one handles it.
    waiting = await quick_bot.db.need(line_events(event["webhookEventId"]))
    assert waiting.handled_at is None
    assert waiting.event is not None
    gate.set()
    await quick_bot.service.inbox.finish()
    assert len(await quick_bot.sent()) == 1
    done = await quick_bot.db.need(line_events(event["webhookEventId"]))
    assert (done.handled_at is None, done.event, done.unhandled_pk) == (False, None, None)


async def test_an_event_that_fails_is_kept_and_tried_again(quick_bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(incoming: Any) -> None:
        raise RuntimeError("not today")

    with monkeypatch.context() as patch:
        patch.setattr(quick_bot.service.conversations, "handle", fail)
        assert (await quick_bot.deliver(quick_bot.text("ピーナッツ"))).status == 200
    assert await quick_bot.sent() == []
    quick_bot.clock.advance(31)
    assert await quick_bot.service.inbox.handle_left_over() == 1
    assert len(await quick_bot.sent()) == 1


async def test_a_store_that_takes_nothing_is_no_delivery_that_arrived(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ScriptedStore(before=answers(InternalServerError("Internal server error")))
    with monkeypatch.context() as patch:
        patch.setattr(quick_bot.db, "store", broken)
        assert (await quick_bot.deliver(quick_bot.text("ピーナッツ"))).status >= 500
    assert await quick_bot.sent() == []
