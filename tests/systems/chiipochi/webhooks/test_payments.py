"""Providers' callbacks."""

from __future__ import annotations

from typing import Any

import orjson

from sekkei_systems.chiipochi.design.models import Status
from sekkei_systems.chiipochi.ports.payments import signed
from sekkei_systems.chiipochi.service.donations import order_id_of
from tests.systems.chiipochi.conftest import AOI, CHECKOUT, Bot


async def _callback(bot: Bot, content: Any, *, secret: bytes | None = None, age: float = 0) -> int:
    body = orjson.dumps(content)
    key = bot.account.webhook_secret.encode() if secret is None else secret
    headers = {"stripe-signature": signed.sign(key, bot.clock.now() - age, body)}
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
