"""LINE's counterpart, judged by LINE's own SDK."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from linebot.v3 import WebhookParser
from linebot.v3.messaging import (
    ApiClient,
    Configuration,
    MessagingApi,
    PushMessageRequest,
    ReplyMessageRequest,
    TextMessage,
)
from linebot.v3.messaging.exceptions import ApiException

from sekkei.clock import ManualClock
from sekkei_fakes import served
from sekkei_fakes.line import LineCounterpart

AOI = "U" + "a" * 32
KEY = "123e4567-e89b-12d3-a456-426614174000"
HELLO = TextMessage(text="こんにちは", quickReply=None, quoteToken=None)


@pytest.fixture
def line() -> LineCounterpart:
    found = LineCounterpart(ManualClock(), quota=2)
    found.befriend(AOI)
    return found


@pytest.fixture
async def bot(line: LineCounterpart) -> Iterator[MessagingApi]:  # type: ignore[misc]
    async with served.serve(line) as end:
        with ApiClient(Configuration(host=end.url, access_token="line-token")) as client:
            yield MessagingApi(client)


async def _push(bot: MessagingApi, key: str | None = None, to: str = AOI) -> object:
    wanted = PushMessageRequest(to=to, messages=[HELLO], notificationDisabled=False, customAggregationUnits=None)
    return await asyncio.to_thread(bot.push_message, wanted, key)


async def _reply(bot: MessagingApi, token: str) -> object:
    wanted = ReplyMessageRequest(replyToken=token, messages=[HELLO], notificationDisabled=False)
    return await asyncio.to_thread(bot.reply_message, wanted)


async def _refused(call: object) -> ApiException:
    with pytest.raises(ApiException) as caught:
        await call  # type: ignore[misc]
    return caught.value


async def test_a_reply_token_is_good_once_and_for_a_minute(line: LineCounterpart, bot: MessagingApi) -> None:
    event = line.text(AOI, "ピーナッツ")
    await _reply(bot, event["replyToken"])
    assert (await _refused(_reply(bot, event["replyToken"]))).status == 400
    late = line.text(AOI, "りんご")
    line._clock.advance(61)  # type: ignore[attr-defined]
    found = await _refused(_reply(bot, late["replyToken"]))
    assert "Invalid reply token" in str(found.body)
    assert [one.way for one in line.received(AOI)] == ["reply"]
    assert line.used == 0  # replies are free


async def test_a_push_happens_once_for_its_key(line: LineCounterpart, bot: MessagingApi) -> None:
    await _push(bot, KEY)
    found = await _refused(_push(bot, KEY))
    assert found.status == 409
    assert found.headers is not None
    assert found.headers["x-line-accepted-request-id"] == line.sent[0].request_id
    line._clock.advance(24 * 3600 + 1)  # type: ignore[attr-defined]
    await _push(bot, KEY)  # a key lives for a day
    assert len(line.received(AOI)) == 2


async def test_a_key_that_was_accepted_answers_with_what_was_sent(line: LineCounterpart, bot: MessagingApi) -> None:
    first = await _push(bot, KEY)
    again = await _refused(_push(bot, KEY))
    assert [one["id"] for one in json.loads(str(again.body))["sentMessages"]] == [
        one.id
        for one in first.sent_messages  # type: ignore[attr-defined]
    ]


async def test_a_key_lives_for_a_day_from_its_first_request(line: LineCounterpart, bot: MessagingApi) -> None:
    """That one was refused, because the month's pushes were used up."""
    line.used = 2
    assert (await _refused(_push(bot, KEY))).status == 429
    line._clock.advance(20 * 3600)  # type: ignore[attr-defined]
    line.quota = None
    await _push(bot, KEY)
    assert (await _refused(_push(bot, KEY))).status == 409
    line._clock.advance(4 * 3600)  # type: ignore[attr-defined]
    await _push(bot, KEY)
    assert len(line.received(AOI)) == 2


@pytest.mark.parametrize(
    "path", ["message/validate/push", "message/validate/reply", "message/reply", "chat/loading/start"]
)
async def test_a_retry_key_is_for_pushes_alone(line: LineCounterpart, path: str) -> None:
    headers = {"authorization": "Bearer line-token", "content-type": "application/json"}
    content = {"messages": [{"type": "text", "text": "x"}], "chatId": AOI, "loadingSeconds": 5}
    content["replyToken"] = line.text(AOI, "x")["replyToken"]
    for more, status in (({"x-line-retry-key": KEY}, 400), ({}, 202 if path.endswith("start") else 200)):
        answer = await line.answer("POST", f"/v2/bot/{path}", headers | more, json.dumps(content).encode())
        assert answer.status == status


async def test_the_months_pushes_run_out(line: LineCounterpart, bot: MessagingApi) -> None:
    await _push(bot)
    await _push(bot)
    found = await _refused(_push(bot))
    assert (found.status, "monthly limit" in str(found.body)) == (429, True)
    assert (await asyncio.to_thread(bot.get_message_quota)).value == 2
    assert (await asyncio.to_thread(bot.get_message_quota_consumption)).total_usage == 2


async def test_strangers_and_wrong_tokens_are_refused(line: LineCounterpart, bot: MessagingApi) -> None:
    assert (await _refused(_push(bot, to="U" + "b" * 32))).status == 400
    assert (await _refused(_push(bot, to="somebody"))).status == 400
    bot.api_client.configuration.access_token = "another"
    assert (await _refused(_push(bot))).status == 401


async def test_whoever_blocks_the_channel_gets_nothing_and_line_does_not_say(
    line: LineCounterpart, bot: MessagingApi
) -> None:
    line.block(AOI)
    await _push(bot)
    assert line.received(AOI) == []
    assert line.used == 0
    assert (await _refused(asyncio.to_thread(bot.get_profile, AOI))).status == 404


def test_webhooks_are_signed_and_say_when_they_come_again(line: LineCounterpart) -> None:
    parser = WebhookParser("secret")
    for again in (False, True):
        body, headers = line.webhook([line.text(AOI, "はい")], "secret", again=again)
        (event,) = parser.parse(body.decode(), headers["x-line-signature"])
        assert event.delivery_context.is_redelivery is again
        assert event.source.user_id == AOI


async def test_a_served_counterpart_has_the_faults_of_a_network(line: LineCounterpart) -> None:
    async with served.serve(line) as end:
        end.faults.down = True
        with ApiClient(Configuration(host=end.url, access_token="line-token")) as client:
            assert (await _refused(asyncio.to_thread(MessagingApi(client).get_bot_info))).status == 503
        assert end.requests == [("GET", "/v2/bot/info")]


async def test_the_openid_provider_refuses_what_a_real_one_would() -> None:
    from sekkei_fakes.openid import OpenIdCounterpart, Refused

    clock = ManualClock()
    provider = OpenIdCounterpart(clock, "https://id.example", "client", "secret", ["https://site.example/back"])
    asked = {"client_id": "client", "redirect_uri": "https://site.example/back", "response_type": "code"}
    asked |= {"scope": "openid", "state": "s", "code_challenge_method": "S256", "code_challenge": "x"}
    for wrong in ({"client_id": "other"}, {"redirect_uri": "https://evil.example"}):
        with pytest.raises(Refused):
            provider.approve(f"/authorize?{urlencode(asked | wrong)}")
    for wrong in ({"code_challenge_method": "plain"}, {"scope": "email"}, {"response_type": "token"}):
        assert "error=invalid_request" in provider.approve(f"/authorize?{urlencode(asked | wrong)}")
    code = parse_qs(urlsplit(provider.approve(f"/authorize?{urlencode(asked)}")).query)["code"][0]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": asked["redirect_uri"]}
    basic = {"authorization": "Basic " + base64.b64encode(b"client:secret").decode()}
    for headers, given, error in (
        ({}, form, b"invalid_client"),
        (basic, {**form, "grant_type": "password"}, b"unsupported_grant_type"),
        (basic, {**form, "code_verifier": "not it"}, b"invalid_grant"),
        (basic, form, b"invalid_grant"),
    ):
        answer = await provider.answer("POST", "/token", headers, urlencode(given).encode())
        assert error in answer.body
