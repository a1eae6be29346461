"""Requests of LINE and of payment providers: signed, or refused; taken in time, and handled once."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.transports.line import signature
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi import webhooks
from sekkei_systems.chiipochi.design import line_events
from sekkei_systems.chiipochi.design.models import Status
from sekkei_systems.chiipochi.ports.line import local_secret
from sekkei_systems.chiipochi.ports.stripe import sign_body
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, CHECKOUT, REN, Bot

# LINE's webhook refuses what is not signed by LINE.


async def test_a_forged_signature_is_refused_and_nothing_happens(quick_bot: Bot) -> None:
    event = quick_bot.text("ピーナッツ")
    assert (await quick_bot.deliver(event, sign=b"somebody else")).status == 401
    body = orjson.dumps({"destination": "U", "events": [event]})
    for headers in ({}, {"x-line-signature": ""}, {"x-line-signature": "あ".encode().decode("latin-1")}):
        reply = await quick_bot.client.request("POST", "/chiipochi/webhook", body, headers)
        assert reply.status == 401
    changed = signature(local_secret(quick_bot.client.shell.settings), body + b" ")
    reply = await quick_bot.client.request("POST", "/chiipochi/webhook", body, {"x-line-signature": changed})
    assert reply.status == 401
    assert await quick_bot.db.get(line_events(event["webhookEventId"])) is None
    assert await quick_bot.sent() == []


async def test_the_header_may_be_written_in_any_case(quick_bot: Bot) -> None:
    body = orjson.dumps({"destination": "U", "events": [quick_bot.text("ピーナッツ")]})
    proof = signature(local_secret(quick_bot.client.shell.settings), body)
    reply = await quick_bot.client.request("POST", "/chiipochi/webhook", body, {"X-Line-Signature": proof})
    assert reply.status == 200


async def test_while_a_secret_is_changed_both_are_taken(clock: ManualClock) -> None:
    values = {"line_channel_secret": "new", "line_channel_secret_previous": "old", "line_channel_token": "t"}
    async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
        bot = Bot(client, clock)
        assert (await bot.deliver(bot.text("ピーナッツ"), sign=b"new")).status == 200
        assert (await bot.deliver(bot.text("ゴーヤ"), sign=b"old")).status == 200
        assert (await bot.deliver(bot.text("りんご"), sign=b"older")).status == 401
        # With a channel of LINE's there is no simulator, and its secret opens nothing.
        assert (await bot.deliver(bot.text("りんご"), sign=local_secret(client.shell.settings))).status == 401
        await client.sign_in()
        for path in ("/chiipochi/chat", "/chiipochi/chat/messages", "/chiipochi/me"):
            assert (await client.get(path)).status == 404


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"events": 1}', b'{"events": {}}', b"\xff\xfe"])
async def test_what_is_no_delivery_is_refused(quick_bot: Bot, body: bytes) -> None:
    proof = signature(local_secret(quick_bot.client.shell.settings), body)
    reply = await quick_bot.client.request("POST", "/chiipochi/webhook", body, {"x-line-signature": proof})
    assert reply.status == 422


async def test_a_delivery_without_events_is_a_test_of_the_connection(quick_bot: Bot) -> None:
    assert (await quick_bot.deliver()).status == 200


async def test_line_gets_its_answer_while_line_itself_hangs(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new friend's language is LINE's to tell, and so is the sign that the bot is at work: neither is waited for."""
    given_up: list[bytes] = []
    over = asyncio.Event()
    monkeypatch.setattr(webhooks, "ANSWER_SECONDS", 3600.0)

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told = asyncio.create_task(reader.read())
        ended = asyncio.create_task(over.wait())
        done, _ = await asyncio.wait({told, ended}, return_when=asyncio.FIRST_COMPLETED)
        if told in done:
            given_up.append(told.result())
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    values = {"line_channel_secret": "s", "line_channel_token": "t", "line_api_url": url}
    async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
        bot = Bot(client, clock)
        for event in (bot.event(type="follow", follow={"isUnblocked": False}), bot.text("ピーナッツ", REN)):
            body = orjson.dumps({"destination": "U", "events": [event]})
            reply = await client.request(
                "POST", "/chiipochi/webhook", body, {"x-line-signature": signature(b"s", body)}
            )
            assert reply.status == 200
            assert given_up == []
        assert [message.to for message in await bot.sent()] == [REN], "the other one has their answer already"
        over.set()
        await bot.service.inbox.finish()
        server.close()  # not before: whoever had just come would wait for half a minute
        assert {message.to for message in await bot.sent()} == {AOI, REN}


# Providers' callbacks.


async def _callback(bot: Bot, content: Any, *, secret: bytes | None = None, age: float = 0) -> int:
    body = orjson.dumps(content)
    key = bot.account.webhook_secret.encode() if secret is None else secret
    headers = {"stripe-signature": sign_body(key, bot.clock.now() - age, body)}
    return (await bot.client.request("POST", "/chiipochi/payments/local", body, headers)).status


def _paid(order_id: str, amount: int = 100) -> dict[str, Any]:
    session = {**CHECKOUT, "amount_total": amount, "metadata": {"order_id": order_id}}
    return {"id": "e1", "type": "checkout.session.completed", "data": {"object": session}}


async def test_callbacks_are_refused_unless_signed_recent_and_of_an_order_of_ours(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ", "はい")
    (donation,) = await quick_bot.donations()
    order_id = order_id_of(AOI, donation.created_at)
    assert await _callback(quick_bot, _paid(order_id), secret=b"somebody else") == 400
    assert await _callback(quick_bot, _paid(order_id), age=301) == 400
    assert await _callback(quick_bot, _paid("U1|2025-08-20T00:00:00.000Z")) == 404
    assert await _callback(quick_bot, _paid("nonsense")) == 200, "not of this program"
    assert await _callback(quick_bot, _paid(order_id, 1)) == 409
    assert await _callback(quick_bot, {"id": "e1"}) == 400
    assert await _callback(quick_bot, "text") == 400
    reply = await quick_bot.client.request("POST", "/chiipochi/payments/stripe", b"{}", {})
    assert reply.status == 404
    assert (await quick_bot.donations())[0].status is Status.PENDING
    assert await _callback(quick_bot, _paid(order_id)) == 200
    assert (await quick_bot.donations())[0].status is Status.SUCCEEDED
