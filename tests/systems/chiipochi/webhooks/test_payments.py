"""Providers' callbacks."""

from __future__ import annotations

from typing import Any

import orjson

from sekkei_systems.chiipochi.design.models import Status
from sekkei_systems.chiipochi.local.payments import HEADER
from sekkei_systems.chiipochi.ports.payments import signed
from sekkei_systems.chiipochi.service.links import order_id_of
from tests.systems.chiipochi.conftest import AOI, Bot


async def _callback(bot: Bot, content: Any, *, secret: bytes | None = None, age: float = 0) -> int:
    body = orjson.dumps(content)
    key = bot.client.shell.settings.secrets.key("chiipochi/local-payments") if secret is None else secret
    headers = {HEADER: signed.sign(key, bot.clock.now() - age, body)}
    return (await bot.client.request("POST", "/chiipochi/payments/local", body, headers)).status


async def test_callbacks_are_refused_unless_signed_recent_and_of_an_order_of_ours(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ", "はい")
    (donation,) = await quick_bot.donations()
    order_id = order_id_of(AOI, donation.created_at)
    paid = {"id": "e1", "tx_id": "t1", "order_id": order_id, "amount": 100, "outcome": "paid"}
    assert await _callback(quick_bot, paid, secret=b"somebody else") == 400
    assert await _callback(quick_bot, paid, age=301) == 400
    assert await _callback(quick_bot, {**paid, "order_id": "U1|2025-08-20T00:00:00.000Z"}) == 404
    assert await _callback(quick_bot, {**paid, "order_id": "nonsense"}) == 200, "not of this program"
    assert await _callback(quick_bot, {**paid, "amount": 1}) == 409
    assert await _callback(quick_bot, {"id": "e1"}) == 400
    assert await _callback(quick_bot, "text") == 400
    reply = await quick_bot.client.request("POST", "/chiipochi/payments/stripe", b"{}", {})
    assert reply.status == 404
    assert (await quick_bot.donations())[0].status is Status.PENDING
    assert await _callback(quick_bot, paid) == 200
    assert (await quick_bot.donations())[0].status is Status.SUCCEEDED
