"""LINE on the way out, against a server that answers as LINE documents it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sekkei.clock import ManualClock
from sekkei.runtime.http import Http
from sekkei.runtime.transports.line import LineApi, Quota
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.system import SYSTEM
from tests.runtime.servers import CannedHttp, http_server
from tests.systems.chiipochi.conftest import AOI, Bot

OK: tuple[int, dict[str, str], Any] = (200, {"x-line-request-id": "r1"}, {"sentMessages": [{"id": "1"}]})

CONFIRMED = ("ピーナッツ", "はい")
"""Ends with a way to pay, which is worth a push."""


async def _talk(
    line: CannedHttp, clock: ManualClock, seconds_until_sent: float = 1, says: Sequence[str] = ("ピーナッツ",)
) -> Bot:
    values = {"line_channel_secret": "s", "line_channel_token": "token", "line_api_url": line.url}
    async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
        bot = Bot(client, clock)
        for words in says[:-1]:
            await bot.deliver(bot.text(words), sign=b"s")
            await bot.work()
            clock.advance(1)
        await bot.deliver(bot.text(says[-1]), sign=b"s")
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


async def test_a_reply_token_that_is_not_taken_becomes_a_push_only_for_what_is_worth_one(clock: ManualClock) -> None:
    async with http_server((400, {}, {"message": "Invalid reply token"}), OK) as line:
        bot = await _talk(line, clock)
    assert [request.path for request in line.received] == ["/v2/bot/message/reply"], "whoever asked can ask again"
    assert bot.messages[0].receipt == "not sent: it is not worth a push"  # type: ignore[attr-defined]
    dead = (400, {}, {"message": "Invalid reply token"})
    async with http_server(OK, dead, OK) as line:
        bot = await _talk(line, ManualClock(clock.now()), says=("ピーナッツ", "はい"))
    _, reply, push = line.received
    assert (reply.path, push.path) == ("/v2/bot/message/reply", "/v2/bot/message/push")
    assert push.json["to"] == AOI
    assert push.json["messages"] == reply.json["messages"]
    assert bot.messages[1].receipt == "r1"  # type: ignore[attr-defined]


async def test_a_reply_that_comes_too_late_is_pushed_at_once(clock: ManualClock) -> None:
    async with http_server(OK) as line:
        await _talk(line, clock, seconds_until_sent=55, says=CONFIRMED)
    assert [request.path for request in line.received] == ["/v2/bot/message/reply", "/v2/bot/message/push"]


async def test_a_push_is_repeated_with_the_same_key_and_a_known_key_counts_as_sent(clock: ManualClock) -> None:
    known = (409, {"x-line-accepted-request-id": "r0"}, {"message": "The retry key is already accepted"})
    async with http_server(OK, (500, {}, {}), known) as line:
        bot = await _talk(line, clock, seconds_until_sent=55, says=CONFIRMED)
    _, first, second = line.received
    assert first.headers["x-line-retry-key"] == second.headers["x-line-retry-key"]
    assert bot.messages[1].receipt == "r0"  # type: ignore[attr-defined]


async def test_what_line_refuses_for_good_is_not_tried_again(clock: ManualClock) -> None:
    async with http_server(OK, (400, {}, {"message": "no"})) as line:
        bot = await _talk(line, clock, seconds_until_sent=55, says=CONFIRMED)
    assert len(line.received) == 2
    assert bot.messages[1].state.value == "failed"  # type: ignore[attr-defined]


async def test_messages_are_kept_while_line_does_not_know_our_token(clock: ManualClock) -> None:
    async with http_server(OK, (401, {}, {"message": "no"})) as line:
        bot = await _talk(line, clock, seconds_until_sent=55, says=CONFIRMED)
    assert (bot.messages[1].state.value, bot.messages[1].attempts) == ("queued", 0)  # type: ignore[attr-defined]


async def test_a_month_without_pushes_left_is_not_tried_again_and_too_many_requests_are(clock: ManualClock) -> None:
    over = (429, {}, {"message": "You have reached your monthly limit."})
    async with http_server(OK, over) as line:
        bot = await _talk(line, clock, seconds_until_sent=55, says=CONFIRMED)
    assert len(line.received) == 2
    assert bot.messages[1].state.value == "failed"  # type: ignore[attr-defined]
    async with http_server(OK, (429, {}, {"message": "The API rate limit has been exceeded."}), OK) as line:
        bot = await _talk(line, ManualClock(clock.now()), seconds_until_sent=55, says=CONFIRMED)
    assert len(line.received) == 3
    assert bot.messages[1].state.value == "sent"  # type: ignore[attr-defined]


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


async def test_a_token_that_was_changed_keeps_the_messages_and_tells_the_operator(clock: ManualClock) -> None:
    no = (401, {}, {"message": "Authentication failed. Confirm that the access token is valid."})
    async with http_server(no) as line:
        values = {"line_channel_secret": "s", "line_channel_token": "old", "line_api_url": line.url}
        async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
            bot = Bot(client, clock)
            await bot.deliver(bot.text("ピーナッツ"), sign=b"s")
            await bot.work()
            (message,) = await bot.sent()
            assert message.state.value == "queued", "not lost: it waits for the new token"
            await client.sign_in("demo-aoi")
            assert "SEKKEI_LINE_CHANNEL_TOKEN" in (await client.get("/chiipochi/operator")).text
            line.answers = [OK]
            for _ in range(3):
                clock.advance(60)
                await bot.work()
            assert (await bot.sent())[0].state.value == "sent"
