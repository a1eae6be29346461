"""What comes in from outside: refused if it is not of LINE, ignored if it is nothing to us, handled once otherwise."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.errors import InternalServerError
from sekkei.runtime.transports.line import signature
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi import SYSTEM
from sekkei_systems.chiipochi.design import line_events, state
from sekkei_systems.chiipochi.line import local_secret, read_event, read_events
from sekkei_systems.chiipochi.links import donation_key, order_id_of
from sekkei_systems.chiipochi.models import Status
from sekkei_systems.chiipochi.payments import signed
from sekkei_systems.chiipochi.payments.local import HEADER
from tests.systems.chiipochi.conftest import AOI, REN, Bot


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


async def test_the_header_may_be_written_in_any_case(quick_bot: Bot) -> None:
    body = orjson.dumps({"destination": "U", "events": [quick_bot.text("ピーナッツ")]})
    proof = signature(local_secret(quick_bot.client.shell.settings), body)
    reply = await quick_bot.client.request("POST", "/chiipochi/webhook", body, {"X-Line-Signature": proof})
    assert reply.status == 200


async def test_while_a_secret_is_changed_both_are_taken(clock: ManualClock) -> None:
    values = {"line_channel_secret": "new", "line_channel_secret_previous": "old"}
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


ODD: list[dict[str, Any]] = [
    {"type": "message", "message": {"type": "sticker", "stickerId": "1"}},
    {"type": "message", "message": {"type": "text"}},
    {"type": "message"},
    {"type": "postback"},
    {"type": "unsend"},
    {"type": "unsend", "unsend": {"messageId": 1}},
    {"type": "module", "module": {}},
    {"type": "something of next year"},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "mode": "standby"},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "source": None},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "source": {"type": "user"}},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "source": {"userId": "x#y"}},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "webhookEventId": None},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "timestamp": "yesterday"},
]


@pytest.mark.parametrize("fields", ODD)
async def test_events_that_are_nothing_to_us_are_accepted_and_ignored(quick_bot: Bot, fields: dict[str, Any]) -> None:
    event = quick_bot.event(**fields)
    assert read_event(event) is None
    assert (await quick_bot.deliver(event, quick_bot.text("ピーナッツ", REN))).status == 200
    sent = await quick_bot.sent()
    assert [message.to for message in sent] == [REN]


async def test_two_events_of_one_delivery_happen_in_their_order(quick_bot: Bot) -> None:
    ask, yes = quick_bot.text("ピーナッツ"), quick_bot.text("はい")
    yes["timestamp"] += 1_000
    await quick_bot.deliver(yes, ask)
    assert len(await quick_bot.donations()) == 1


async def test_an_older_answer_does_not_confirm_a_newer_question(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ")
    answer = quick_bot.text("はい")
    quick_bot.clock.advance(5)
    await quick_bot.say("ゴーヤ")
    await quick_bot.deliver(answer)
    assert await quick_bot.donations() == []
    found = await quick_bot.db.need(state(AOI))
    assert found.awaiting_confirmation == "OKINAWA_pending"


async def test_another_users_button_confirms_nothing(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ", user=REN)
    await quick_bot.say("ゴーヤ", user=AOI)
    theirs = await quick_bot.db.need(state(REN))
    await quick_bot.deliver(quick_bot.tap(f"v=1&a=yes&n={theirs.confirm_nonce}", AOI))
    assert await quick_bot.donations(AOI) == []
    assert await quick_bot.donations(REN) == []
    assert "古くなっています" in await quick_bot.last_words()


async def test_whoever_leaves_is_not_written_to(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ", "はい")
    (donation,) = await quick_bot.donations()
    await quick_bot.deliver(quick_bot.event(type="unfollow"))
    await quick_bot.pay(donation)
    await quick_bot.work()
    assert (await quick_bot.donations())[0].status is Status.SUCCEEDED
    assert await quick_bot.sent("thanks/") == []
    quick_bot.clock.advance(1)
    await quick_bot.deliver(quick_bot.event(type="follow", follow={"isUnblocked": True}))
    assert "はじめまして" in await quick_bot.last_words()
    assert (await quick_bot.db.need(state(AOI))).unfollowed_at is None


async def test_a_slow_store_does_not_keep_line_waiting(quick_bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi import webhook

    monkeypatch.setattr(webhook, "ANSWER_SECONDS", 0.01)
    gate = asyncio.Event()
    handle = quick_bot.service.handle_event

    async def slowly(incoming: Any) -> None:
        await gate.wait()
        await handle(incoming)

    monkeypatch.setattr(quick_bot.service.inbox, "_handle", slowly)
    event = quick_bot.text("ピーナッツ")
    body = orjson.dumps({"destination": "U", "events": [event]})
    proof = signature(local_secret(quick_bot.client.shell.settings), body)
    loading: list[str] = []

    async def note(user_id: str) -> None:
        loading.append(user_id)

    monkeypatch.setattr(quick_bot.service._line, "show_loading", note)
    reply = await quick_bot.client.request("POST", "/chiipochi/webhook", body, {"x-line-signature": proof})
    assert reply.status == 200
    assert await quick_bot.sent() == []
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
        patch.setattr(quick_bot.service.inbox, "_handle", fail)
        assert (await quick_bot.deliver(quick_bot.text("ピーナッツ"))).status == 200
    assert await quick_bot.sent() == []
    quick_bot.clock.advance(31)
    assert await quick_bot.service.inbox.handle_left_over() == 1
    assert len(await quick_bot.sent()) == 1


async def test_a_store_that_takes_nothing_is_no_delivery_that_arrived(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        async def call(self, operation: str, request: Any) -> Any:
            raise InternalServerError("Internal server error")

    with monkeypatch.context() as patch:
        patch.setattr(quick_bot.db, "store", Broken())
        assert (await quick_bot.deliver(quick_bot.text("ピーナッツ"))).status >= 500
    assert await quick_bot.sent() == []


async def test_a_message_that_is_taken_back_takes_its_question_along(quick_bot: Bot) -> None:
    ask = quick_bot.text("ピーナッツ")
    await quick_bot.deliver(ask)
    quick_bot.clock.advance(1)
    await quick_bot.deliver(quick_bot.event(type="unsend", unsend={"messageId": ask["message"]["id"]}))
    found = await quick_bot.db.need(state(AOI))
    assert (found.awaiting_confirmation, found.confirm_nonce, found.asked_by) == (None, None, None)
    sent = len(await quick_bot.sent())
    await quick_bot.say("はい")
    assert await quick_bot.donations() == []
    assert len(await quick_bot.sent()) == sent + 1


async def test_a_message_taken_back_does_not_take_along_a_question_of_that_moment(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = quick_bot.text("ピーナッツ")
    await quick_bot.deliver(ask)
    quick_bot.clock.advance(2)
    newer = quick_bot.text("ゴーヤ", timestamp=int(quick_bot.clock.now() * 1000) - 1000)
    reads = quick_bot.service.readers.standing

    async def overtaken(user_id: str) -> Any:
        monkeypatch.undo()
        found = await reads(user_id)
        await quick_bot.service.inbox.take(read_events(orjson.dumps({"events": [newer]})), 5)
        return found

    monkeypatch.setattr(quick_bot.service.readers, "standing", overtaken)
    await quick_bot.deliver(quick_bot.event(type="unsend", unsend={"messageId": ask["message"]["id"]}))
    await quick_bot.say("はい")
    assert [one.prefecture for one in await quick_bot.donations()] == ["OKINAWA"]


class Lossy:
    """A store whose next transaction happens, and whose answer is lost; nobody tries again by itself."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.armed = False

    async def call(self, operation: str, request: Any) -> Any:
        answer = await self._store.call(operation, request)
        if self.armed and operation == "TransactWriteItems":
            self.armed = False
            raise InternalServerError("Internal server error")
        return answer


async def test_a_lost_answer_after_the_write_does_not_donate_twice(quick_bot: Bot) -> None:
    lossy = Lossy(quick_bot.db.store)
    quick_bot.db.store = lossy  # type: ignore[assignment]
    await quick_bot.say("ピーナッツ")
    yes = quick_bot.text("はい")
    lossy.armed = True
    assert (await quick_bot.deliver(yes)).status == 200
    assert not lossy.armed, "the answer was lost"
    await quick_bot.deliver({**yes, "deliveryContext": {"isRedelivery": True}})
    quick_bot.clock.advance(60)
    await quick_bot.service.inbox.handle_left_over()
    assert len(await quick_bot.donations()) == 1
    assert len(await quick_bot.sent(f"reply/{yes['webhookEventId']}")) == 1


class Meeting:
    """A store whose two readers of a state get it together, a moment apart."""

    def __init__(self, store: Any, clock: ManualClock) -> None:
        self._store, self._clock = store, clock
        self._both = asyncio.Event()
        self.waiting = 0

    async def call(self, operation: str, request: Any) -> Any:
        answer = await self._store.call(operation, request)
        if operation == "GetItem" and self.waiting < 2:
            self.waiting += 1
            if self.waiting == 2:
                self._both.set()
            else:
                await self._both.wait()
                self._clock.advance(0.005)
        return answer


async def test_two_deliveries_at_one_moment_are_one_donation_and_no_error(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await quick_bot.say("ピーナッツ")
    yes = quick_bot.text("はい")
    meeting = Meeting(quick_bot.db.store, quick_bot.clock)
    with monkeypatch.context() as patch:
        patch.setattr(quick_bot.db, "store", meeting)
        await asyncio.gather(quick_bot.deliver(yes), quick_bot.deliver(yes))
    assert meeting.waiting == 2, "both read the state before either wrote"
    assert len(await quick_bot.donations()) == 1
    assert len(await quick_bot.sent(f"reply/{yes['webhookEventId']}")) == 1
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


# Payments


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
    assert await _callback(quick_bot, {**paid, "order_id": "nonsense"}) == 404
    assert await _callback(quick_bot, {**paid, "amount": 1}) == 409
    assert await _callback(quick_bot, {"id": "e1"}) == 400
    assert await _callback(quick_bot, "text") == 400
    reply = await quick_bot.client.request("POST", "/chiipochi/payments/stripe", b"{}", {})
    assert reply.status == 404
    assert (await quick_bot.donations())[0].status is Status.PENDING
    assert await _callback(quick_bot, paid) == 200
    assert (await quick_bot.donations())[0].status is Status.SUCCEEDED


@pytest.mark.parametrize(
    "order",
    ["", "U1", "|2025-08-20T05:10:00Z", "U1|", "U1|x", "U1|2025-08-20T05:10:00", "U1|0001-01-01T00:00:00+14:00"],
)
def test_what_is_no_order_of_ours(order: str) -> None:
    assert donation_key(order) is None


def test_an_order_names_its_donation() -> None:
    at = datetime(2025, 8, 20, 5, 10, 0, 123_000, tzinfo=UTC)
    assert donation_key(order_id_of("U1", at)) == ("U1", at)
