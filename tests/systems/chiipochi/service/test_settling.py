"""Payments are settled once."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qs

import orjson

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.design.models import Outcome, Status
from sekkei_systems.chiipochi.ports.payments import signed
from sekkei_systems.chiipochi.ports.payments.port import PaymentEvent
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM
from tests.runtime.servers import http_server
from tests.systems.chiipochi.conftest import AOI, CHECKOUT, TODAY, Bot


async def test_a_payment_is_counted_once_however_often_and_in_whatever_order_it_is_told(bot: Bot) -> None:
    await bot.say("ピーナッツ", "はい")
    (donation,) = await bot.donations()
    order_id = order_id_of(AOI, donation.created_at)
    paid = PaymentEvent("evt_1", "tx_1", order_id, 100, Outcome.PAID)
    failed = PaymentEvent("evt_2", "tx_1", order_id, 100, Outcome.FAILED)
    results = await asyncio.gather(*(bot.service.settling.apply(paid) for _ in range(5)))
    assert sorted(set(results)) in (["known", "settled"], ["known"], ["settled"])
    assert await bot.service.settling.apply(failed) == "known"
    await bot.work()
    (donation,) = await bot.donations()
    assert (donation.status, donation.tx_id, donation.pending_pk) == (Status.SUCCEEDED, "tx_1", None)
    assert (await bot.service.reports.check(TODAY)).agrees
    assert await bot.service.reconciliation.pending() == []


async def test_a_donation_paid_at_stripe(clock: ManualClock) -> None:
    async with http_server((200, {}, CHECKOUT)) as stripe:
        values = {"stripe_secret_key": "sk", "stripe_webhook_secret": "whsec", "stripe_api_url": stripe.url}
        async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
            bot = Bot(client, clock)
            await bot.say("ピーナッツ", "はい")
            (donation,) = await bot.donations()
            url = orjson.loads((await bot.sent())[-1].body["messages"])[0]["contents"]["footer"]["contents"][0]
            path = url["action"]["uri"].partition("8000")[2]
            for _ in range(2):
                reply = await client.get(path)
                assert (reply.status, reply.location) == (303, CHECKOUT["url"])
                await bot.say("English")  # the link is followed again in another language
            order_id = parse_qs(stripe.received[0].body.decode())["client_reference_id"][0]
            event = {
                "id": "evt_1",
                "type": "checkout.session.completed",
                "data": {"object": {**CHECKOUT, "metadata": {"order_id": order_id}}},
            }
            body = orjson.dumps(event)
            headers = {"stripe-signature": f"{signed.sign(b'whsec', clock.now(), body)},v1=00"}
            assert (await client.request("POST", "/chiipochi/payments/stripe", body, headers)).status == 200
            assert (await client.request("POST", "/chiipochi/payments/stripe", body, headers)).status == 200
            found = (await bot.donations())[0]
            assert (found.status, found.tx_id) == (Status.SUCCEEDED, "cs_1")
            assert (await client.get("/chiipochi/local-pay/cs_1")).status == 404
    first, second = stripe.received
    fields = parse_qs(first.body.decode())
    assert fields["line_items[0][price_data][currency]"] == ["jpy"]
    assert fields["line_items[0][price_data][unit_amount]"] == ["100"]
    assert first.headers["authorization"] == "Bearer sk"
    # The same key with the same parameters, or Stripe would refuse it.
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert first.body == second.body
    assert donation.status is Status.PENDING
