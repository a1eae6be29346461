"""Events change what they mean to, whatever happens beside them."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from sekkei.runtime.wakeups import watched
from sekkei_systems.chiipochi.design import state, user_states
from sekkei_systems.chiipochi.design.models import Outcome, UserState
from sekkei_systems.chiipochi.ports.payments import PaymentEvent
from sekkei_systems.chiipochi.rules.events import read_events
from sekkei_systems.chiipochi.service.donations import order_id_of
from tests.lost import answer_lost
from tests.scripted_store import ScriptedStore
from tests.systems.chiipochi.conftest import AOI, REN, Bot


async def test_each_step_to_a_donation_takes_a_look_and_a_transaction(quick_bot: Bot) -> None:
    """A burst is as fast as that is short: word, yes, and the provider's callback."""
    store = watched(quick_bot.db.store)
    await quick_bot.say("ピーナッツ")  # greets a stranger: settings, appeals and wordings are read, too
    for words in ("ゴーヤ", "はい"):
        store.calls.clear()
        event = quick_bot.text(words)
        assert (await quick_bot.deliver(event)).status == 200
        assert store.calls == {"GetItem": 1, "TransactWriteItems": 1}, words
    (donation,) = await quick_bot.donations()
    paid = PaymentEvent("evt_1", "cs_1", order_id_of(AOI, donation.created_at), donation.amount, Outcome.PAID)
    store.calls.clear()
    assert await quick_bot.service.settling.apply(paid) == "settled"
    assert store.calls == {"GetItem": 1, "TransactWriteItems": 1}


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


async def test_a_lost_answer_after_the_write_does_not_donate_twice(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ")
    yes = quick_bot.text("はい")
    with answer_lost(quick_bot.db, operations=["TransactWriteItems"], tried_again=False):
        assert (await quick_bot.deliver(yes)).status == 200
    await quick_bot.deliver({**yes, "deliveryContext": {"isRedelivery": True}})
    quick_bot.clock.advance(60)
    await quick_bot.service.inbox.handle_left_over()
    assert len(await quick_bot.donations()) == 1
    assert len(await quick_bot.sent(f"reply/{yes['webhookEventId']}")) == 1


async def test_two_deliveries_at_one_moment_are_one_donation_and_no_error(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await quick_bot.say("ピーナッツ")
    yes = quick_bot.text("はい")
    both, waiting = asyncio.Event(), 0

    async def meet(operation: str, request: Any, answer: Any) -> None:
        """Two readers of a state get it together, a moment apart."""
        nonlocal waiting
        if operation == "GetItem" and waiting < 2:
            waiting += 1
            if waiting == 2:
                both.set()
            else:
                await both.wait()
                quick_bot.clock.advance(0.005)

    meeting = ScriptedStore(quick_bot.db.store, after=meet)
    with monkeypatch.context() as patch:
        patch.setattr(quick_bot.db, "store", meeting)
        await asyncio.gather(quick_bot.deliver(yes), quick_bot.deliver(yes))
    assert waiting == 2, "both read the state before either wrote"
    assert len(await quick_bot.donations()) == 1
    assert len(await quick_bot.sent(f"reply/{yes['webhookEventId']}")) == 1
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_time_ahead_of_our_clock_silences_nobody(quick_bot: Bot) -> None:
    """LINE's clock is wrong once, or somebody who knows the secret says so: what follows is heard all the same."""
    ahead = quick_bot.text("ピーナッツ")
    ahead["timestamp"] += 400 * 24 * 3600 * 1000
    await quick_bot.deliver(ahead)
    quick_bot.clock.advance(1)
    await quick_bot.say("はい")
    assert len(await quick_bot.donations()) == 1
    left = await quick_bot.db.get(state(AOI))
    assert left is not None
    assert (left.last_event_ts or 0) <= quick_bot.clock.now() * 1000


async def test_whoever_was_silenced_by_such_a_time_before_is_heard_again(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ")
    later = int((quick_bot.clock.now() + 10**8) * 1000)
    await quick_bot.db.write(user_states.update(AOI).set(UserState.last_event_ts, later))
    await quick_bot.say("はい")
    assert len(await quick_bot.donations()) == 1


async def test_a_clock_of_ours_that_is_behind_makes_nobody_late(quick_bot: Bot) -> None:
    """One process asks, and another, whose clock is behind LINE's, hears the yes of a moment later."""
    await quick_bot.say("ピーナッツ")
    yes = quick_bot.text("はい")
    yes["timestamp"] += 500
    quick_bot.clock.advance(-1.5)
    await quick_bot.deliver(yes)
    assert len(await quick_bot.donations()) == 1


# What the bot looks up.


async def test_the_bot_tells_totals_rankings_history_and_stamps(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.say("ゴーヤ", "はい")
    expected = {
        "今日の合計": ["1件・500円", "お支払い待ち 100円"],
        "みんなの合計": ["1件・500円"],
        "ランキング": ["千葉県　500円"],
        "履歴": ["✅ 08/20 千葉県 500円", "⏳ 08/20 沖縄県 100円"],
        "スタンプ": ["1 / 47", "千葉×1"],
        "年間まとめ": ["2025年", "1件・500円", "1の都道府県"],
        "友だちに教える": ["/chiipochi/"],
        "ヘルプ": ["使い方"],
    }
    for words, answers in expected.items():
        await quick_bot.say(words)
        told = await quick_bot.last_words()
        assert all(answer in told for answer in answers), (words, told)
