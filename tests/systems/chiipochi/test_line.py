"""The real ends, against servers that answer as LINE and Stripe document it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.http import Http
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi import SYSTEM
from sekkei_systems.chiipochi.line import Quota
from sekkei_systems.chiipochi.line_api import LineApi
from sekkei_systems.chiipochi.models import Outcome, Status
from sekkei_systems.chiipochi.payments import signed
from sekkei_systems.chiipochi.payments.port import BadCallback, RefundRefused
from sekkei_systems.chiipochi.payments.stripe import Stripe, StripeError
from tests.runtime.servers import CannedHttp, http_server
from tests.systems.chiipochi.conftest import AOI, Bot

OK: tuple[int, dict[str, str], Any] = (200, {"x-line-request-id": "r1"}, {"sentMessages": [{"id": "1"}]})


async def _talk(line: CannedHttp, clock: ManualClock, seconds_until_sent: float = 1) -> Bot:
    values = {"line_channel_secret": "s", "line_channel_token": "token", "line_api_url": line.url}
    async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
        bot = Bot(client, clock)
        await bot.deliver(bot.text("ピーナッツ"), sign=b"s")
        clock.advance(seconds_until_sent)
        for _ in range(3):
            await bot.work()
            clock.advance(30)
        bot.messages = await bot.sent()  # type: ignore[attr-defined]
        return bot


async def test_an_answer_is_a_reply_with_its_token_and_without_a_retry_key(clock: ManualClock) -> None:
    async with http_server(OK) as line:
        await _talk(line, clock)
    (request,) = line.received
    assert request.path == "/v2/bot/message/reply"
    assert request.headers["authorization"] == "Bearer token"
    assert "x-line-retry-key" not in request.headers
    assert set(request.json) == {"replyToken", "messages"}
    assert request.json["messages"][0]["type"] == "flex"


async def test_a_reply_token_that_is_not_taken_becomes_one_push(clock: ManualClock) -> None:
    async with http_server((400, {}, {"message": "Invalid reply token"}), OK) as line:
        bot = await _talk(line, clock)
    reply, push = line.received
    assert (reply.path, push.path) == ("/v2/bot/message/reply", "/v2/bot/message/push")
    assert push.json["to"] == AOI
    assert push.json["messages"] == reply.json["messages"]
    assert bot.messages[0].receipt == "r1"  # type: ignore[attr-defined]


async def test_a_reply_that_comes_too_late_is_pushed_at_once(clock: ManualClock) -> None:
    async with http_server(OK) as line:
        await _talk(line, clock, seconds_until_sent=55)
    assert [request.path for request in line.received] == ["/v2/bot/message/push"]


async def test_a_push_is_repeated_with_the_same_key_and_a_known_key_counts_as_sent(clock: ManualClock) -> None:
    known = (409, {"x-line-accepted-request-id": "r0"}, {"message": "The retry key is already accepted"})
    async with http_server((500, {}, {}), known) as line:
        bot = await _talk(line, clock, seconds_until_sent=55)
    first, second = line.received
    assert first.headers["x-line-retry-key"] == second.headers["x-line-retry-key"]
    assert bot.messages[0].receipt == "r0"  # type: ignore[attr-defined]


async def test_what_line_refuses_for_good_is_not_tried_again(clock: ManualClock) -> None:
    async with http_server((403, {}, {"message": "no"})) as line:
        bot = await _talk(line, clock, seconds_until_sent=55)
    assert len(line.received) == 1
    assert bot.messages[0].state.value == "failed"  # type: ignore[attr-defined]


async def test_a_month_without_pushes_left_is_not_tried_again_and_too_many_requests_are(clock: ManualClock) -> None:
    over = (429, {}, {"message": "You have reached your monthly limit."})
    async with http_server(over) as line:
        bot = await _talk(line, clock, seconds_until_sent=55)
    assert len(line.received) == 1
    assert bot.messages[0].state.value == "failed"  # type: ignore[attr-defined]
    async with http_server((429, {}, {"message": "The API rate limit has been exceeded."}), OK) as line:
        bot = await _talk(line, ManualClock(clock.now()), seconds_until_sent=55)
    assert len(line.received) == 2
    assert bot.messages[0].state.value == "sent"  # type: ignore[attr-defined]


async def test_a_new_friend_is_greeted_in_the_language_of_their_profile(clock: ManualClock) -> None:
    async with http_server((200, {}, {"displayName": "Ann", "language": "en-GB"}), OK) as line:
        values = {"line_channel_secret": "s", "line_channel_token": "token", "line_api_url": line.url}
        async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
            bot = Bot(client, clock)
            await bot.deliver(bot.event(type="follow", follow={"isUnblocked": False}), sign=b"s")
            assert "Hello, I am Chiipochi" in await bot.last_words()
    assert line.received[0].path == f"/v2/bot/profile/{AOI}"


async def test_a_profile_that_cannot_be_read_is_greeted_in_japanese(clock: ManualClock) -> None:
    async with http_server((404, {}, {"message": "Not found"})) as line:
        values = {"line_channel_secret": "s", "line_channel_token": "token", "line_api_url": line.url}
        async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
            bot = Bot(client, clock)
            await bot.deliver(bot.event(type="follow", follow={"isUnblocked": False}), sign=b"s")
            assert "はじめまして" in await bot.last_words()


async def test_what_else_line_is_asked(clock: ManualClock) -> None:
    answers = [
        (200, {}, {"type": "limited", "value": 1_000}),
        (200, {}, {"totalUsage": 950}),
        (200, {}, {}),
        (400, {}, {"message": "invalid", "details": [{"property": "messages[0].text", "message": "May not be empty"}]}),
        (202, {}, {}),
    ]
    async with http_server(*answers) as server:
        line = LineApi("token", Http(), clock, server.url)
        assert await line.quota() == Quota(1_000, 950)
        assert await line.validate([{"type": "text", "text": "x"}]) == ""
        assert await line.validate([{"type": "text", "text": ""}]) == "invalid; messages[0].text: May not be empty"
        await line.show_loading(AOI)
    assert [request.path for request in server.received] == [
        "/v2/bot/message/quota",
        "/v2/bot/message/quota/consumption",
        "/v2/bot/message/validate/push",
        "/v2/bot/message/validate/push",
        "/v2/bot/chat/loading/start",
    ]
    loading = server.received[-1].json
    assert loading["chatId"] == AOI
    assert loading["loadingSeconds"] in range(5, 61, 5)


SESSION = {
    "id": "cs_1",
    "url": "https://checkout.stripe.com/c/pay/cs_1",
    "currency": "jpy",
    "amount_total": 100,
    "status": "complete",
    "payment_status": "paid",
}


async def test_a_donation_paid_at_stripe(clock: ManualClock) -> None:
    async with http_server((200, {}, SESSION)) as stripe:
        values = {"stripe_secret_key": "sk", "stripe_webhook_secret": "whsec", "stripe_api_url": stripe.url}
        async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
            bot = Bot(client, clock)
            await bot.say("ピーナッツ", "はい")
            (donation,) = await bot.donations()
            url = orjson.loads((await bot.sent())[-1].body["messages"])[0]["contents"]["footer"]["contents"][0]
            path = url["action"]["uri"].partition("8000")[2]
            for _ in range(2):
                reply = await client.get(path)
                assert (reply.status, reply.location) == (303, SESSION["url"])
                await bot.say("English")  # the link is followed again in another language
            order_id = parse_qs(stripe.received[0].body.decode())["client_reference_id"][0]
            event = {
                "id": "evt_1",
                "type": "checkout.session.completed",
                "data": {"object": {**SESSION, "metadata": {"order_id": order_id}}},
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


@pytest.mark.parametrize(
    ("kind", "session", "outcome"),
    [
        ("checkout.session.completed", {"payment_status": "unpaid"}, Outcome.OPEN),
        ("checkout.session.async_payment_succeeded", {}, Outcome.PAID),
        ("checkout.session.async_payment_failed", {"payment_status": "unpaid"}, Outcome.FAILED),
        ("checkout.session.expired", {"payment_status": "unpaid", "status": "expired"}, Outcome.FAILED),
    ],
)
def test_what_stripe_says(clock: ManualClock, kind: str, session: dict[str, Any], outcome: Outcome) -> None:
    stripe = Stripe("sk", "whsec", Http(), clock)
    body = orjson.dumps({"id": "e", "type": kind, "data": {"object": {**SESSION, **session}}})
    found = stripe.verify(body, {"stripe-signature": signed.sign(b"whsec", clock.now(), body)})
    assert found is not None
    assert found.outcome is outcome


@pytest.mark.parametrize(
    "header", [None, "", "t=1", "v1=00", "t=x,v1=00", "t=1755666600,v1=00", "t=1755666600,t=1,v1=00", "t=-1,v1=00"]
)
def test_what_stripe_did_not_sign_is_refused(clock: ManualClock, header: str | None) -> None:
    stripe = Stripe("sk", "whsec", Http(), clock)
    with pytest.raises(BadCallback):
        stripe.verify(b"{}", {} if header is None else {"stripe-signature": header})
    without_secret = Stripe("sk", "", Http(), clock)
    with pytest.raises(BadCallback):
        without_secret.verify(b"{}", {"stripe-signature": signed.sign(b"", clock.now(), b"{}")})


async def test_stripe_gives_money_back_once(clock: ManualClock) -> None:
    paid = {**SESSION, "payment_intent": "pi_1"}
    done = (200, {}, {"id": "re_1", "status": "succeeded"})
    async with http_server((200, {}, paid), (500, {}, {}), (200, {}, paid), done) as server:
        stripe = Stripe("sk", "whsec", Http(), clock, server.url)
        with pytest.raises(StripeError):
            await stripe.refund("cs_1", "U1|x")
        assert await stripe.refund("cs_1", "U1|x") == "re_1"
    first, second = server.received[1], server.received[3]
    assert (first.path, first.headers["idempotency-key"]) == ("/v1/refunds", "refund|cs_1")
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert first.body == second.body
    assert parse_qs(first.body.decode())["payment_intent"] == ["pi_1"]


@pytest.mark.parametrize(
    ("answer", "refused"),
    [
        ((400, {}, {"error": {"code": "charge_disputed"}}), True),
        ((200, {}, {"id": "re_1", "status": "failed"}), True),
        ((400, {}, {"error": {"code": "charge_already_refunded"}}), False),
    ],
)
async def test_what_stripe_says_to_a_refund(clock: ManualClock, answer: Any, refused: bool) -> None:
    async with http_server((200, {}, {**SESSION, "payment_intent": "pi_1"}), answer) as server:
        stripe = Stripe("sk", "whsec", Http(), clock, server.url)
        if refused:
            with pytest.raises(RefundRefused):
                await stripe.refund("cs_1", "U1|x")
        else:
            assert await stripe.refund("cs_1", "U1|x") == "given back at Stripe"


async def test_a_checkout_without_a_payment_cannot_be_given_back(clock: ManualClock) -> None:
    async with http_server((404, {}, {}), (200, {}, SESSION)) as server:
        stripe = Stripe("sk", "whsec", Http(), clock, server.url)
        for _ in range(2):
            with pytest.raises(RefundRefused):
                await stripe.refund("cs_1", "U1|x")


async def test_stripe_is_asked_how_a_payment_stands(clock: ManualClock) -> None:
    expired = {**SESSION, "payment_status": "unpaid", "status": "expired"}
    async with http_server((200, {}, SESSION), (200, {}, expired), (404, {}, {}), (500, {}, {})) as server:
        stripe = Stripe("sk", "whsec", Http(), clock, server.url)
        outcomes = [found.outcome for found in [await stripe.fetch("cs_1"), await stripe.fetch("cs_1")] if found]
        assert outcomes == [Outcome.PAID, Outcome.FAILED]
        assert await stripe.fetch("cs_1") is None
        with pytest.raises(StripeError):
            await stripe.fetch("cs_1")
