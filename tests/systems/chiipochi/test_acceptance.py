"""The acceptance checks of the specification, on every store and in bad weather."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import orjson
import pytest

from sekkei.design import replace
from sekkei.runtime import days
from sekkei_systems.chiipochi.conversation import SESSION
from sekkei_systems.chiipochi.design import awards, donations, stamp_card
from sekkei_systems.chiipochi.line import Received, read_event
from sekkei_systems.chiipochi.links import order_id_of
from sekkei_systems.chiipochi.models import Award, Outcome, Status
from sekkei_systems.chiipochi.payments.local import LocalProvider
from sekkei_systems.chiipochi.payments.port import PaymentEvent
from sekkei_systems.chiipochi.settling import NotRefundable, UnknownOrder
from tests.systems.chiipochi.conftest import AOI, REN, Bot, utc

TODAY = date(2025, 8, 20)


async def test_from_a_speciality_to_a_stamp(bot: Bot) -> None:
    await bot.say("ピーナッツ")
    assert "千葉県" in await bot.last_words()
    donation = await bot.donate()
    assert (donation.prefecture, donation.amount, donation.status) == ("CHIBA", 100, Status.SUCCEEDED)
    assert donation.gsi1_pk == "DATE#2025-08-20"
    assert donation.gsi1_sk.startswith(f"USER#{AOI}#2025-08-20T05:1")
    assert {stamp.prefecture: stamp.count for stamp in await bot.db.all(stamp_card(AOI).consistent())} == {"CHIBA": 1}
    day = await bot.service.reports.day(TODAY, consistent=True)
    assert (day.amount, day.count) == (100, 1)
    assert len(await bot.sent("thanks/")) == 1


async def test_the_same_webhook_five_times_at_once_is_one_donation_and_one_reply(bot: Bot) -> None:
    await bot.say("ピーナッツ")
    yes = bot.text("はい")
    replies = await asyncio.gather(*(bot.deliver(yes) for _ in range(5)))
    assert [reply.status for reply in replies] == [200] * 5
    assert len(await bot.donations()) == 1
    assert len(await bot.sent(f"reply/{yes['webhookEventId']}")) == 1


async def test_yes_twice_fast_is_one_donation(bot: Bot) -> None:
    await bot.say("ピーナッツ")
    await asyncio.gather(bot.deliver(bot.text("はい")), bot.deliver(bot.text("はい")))
    assert len(await bot.donations()) == 1


async def test_yes_after_the_time_is_over_is_no_donation(bot: Bot) -> None:
    await bot.say("ピーナッツ")
    bot.clock.advance(SESSION.total_seconds())
    await bot.say("はい")
    assert await bot.donations() == []
    assert "時間（10分）が過ぎた" in await bot.last_words()


async def test_midnight_in_japan_divides_the_days(bot: Bot) -> None:
    moments = {AOI: "2025-08-20T23:59:59.999+09:00", REN: "2025-08-21T00:00:00.000+09:00"}
    for user, moment in moments.items():
        bot.clock.set(utc(moment).timestamp() - 5)
        await bot.say("ピーナッツ", user=user)
        bot.clock.set(utc(moment).timestamp())
        await bot.deliver(bot.text("はい", user))
        await bot.pay((await bot.donations(user))[-1])
        await bot.work()
    (before,), (after,) = await bot.donations(AOI), await bot.donations(REN)
    assert (before.gsi1_pk, after.gsi1_pk) == ("DATE#2025-08-20", "DATE#2025-08-21")
    for day in (TODAY, TODAY + timedelta(days=1)):
        found = await bot.service.reports.check(day)
        assert found.agrees
        assert found.stored.count == 1
    assert (await bot.service.reports.mine_today(AOI)).count == 0
    assert (await bot.service.reports.mine_today(REN)).count == 1


async def test_a_stream_told_again_from_the_beginning_changes_nothing(bot: Bot) -> None:
    await bot.donate()
    await bot.donate("ゴーヤ", REN)
    before = await bot.service.reports.check(TODAY)
    sent = len(await bot.sent())
    parts = bot.client.shell.deployment.systems["chiipochi"].parts
    records = await _records(bot)
    assert len(records) >= 4
    answer = await parts.reactions[0].handle({"Records": records})
    assert answer == {"batchItemFailures": []}
    assert await bot.service.reports.check(TODAY) == before
    assert before.agrees
    assert len(await bot.sent()) == sent
    assert len(await bot.db.all(awards.where(Award.user_id == AOI).consistent())) == 1


async def test_donations_of_many_days_and_one_that_nobody_understands_in_a_batch(quick_bot: Bot) -> None:
    """As after an import. Lambda gives a batch that raises back whole, so one bad record would keep all others back."""
    now = days.now(quick_bot.clock)
    for age in range(25):
        made = quick_bot.service.new_donation(AOI, "CHIBA", 100, now - timedelta(days=age), f"imported/{age}")
        await quick_bot.db.write(donations.create(replace(made, status=Status.SUCCEEDED)))
    *good, last = await _records(quick_bot)
    bad = orjson.loads(orjson.dumps(last))
    bad["dynamodb"]["NewImage"]["amount"] = {"S": "much"}
    reactions = quick_bot.client.shell.deployment.systems["chiipochi"].parts.reactions[0]
    answer = await reactions.handle({"Records": [*good, bad]})
    assert answer == {"batchItemFailures": [{"itemIdentifier": bad["dynamodb"]["SequenceNumber"]}]}
    assert await reactions.handle({"Records": [last]}) == {"batchItemFailures": []}
    assert await quick_bot.service.reports.stamps(AOI) == {"CHIBA": 25}


async def _records(bot: Bot) -> list[dict[str, object]]:
    """Everything in the stream of donations, as Lambda would be given it."""
    store = bot.db.store
    table = (await store.call("DescribeTable", {"TableName": "donation_history"}))["Table"]
    arn = table["LatestStreamArn"]
    stream = (await store.call("DescribeStream", {"StreamArn": arn}))["StreamDescription"]
    found = []
    for shard in stream["Shards"]:
        request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = (await store.call("GetShardIterator", request))["ShardIterator"]
        answer = await store.call("GetRecords", {"ShardIterator": iterator})
        found += [{**record, "eventSourceARN": arn} for record in answer["Records"]]
    return found


async def test_a_callback_before_the_donation_is_there_is_tried_again_and_applied(bot: Bot) -> None:
    created_at = utc("2025-08-20T14:10:01.000+09:00")
    order_id = order_id_of(AOI, created_at)
    provider = bot.service.settling.provider
    assert isinstance(provider, LocalProvider)
    checkout = await provider.create(order_id, 100, "", "", created_at)
    await bot.decide(checkout.tx_id, Outcome.PAID)
    await bot.client.work()
    assert await bot.donations() == []
    await bot.say("ピーナッツ", "はい")
    assert [donation.created_at for donation in await bot.donations()] == [created_at]
    bot.clock.advance(60)
    await bot.work()
    assert [donation.status for donation in await bot.donations()] == [Status.SUCCEEDED]
    assert len(await bot.sent("thanks/")) == 1


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
    assert await bot.service.settling.pending() == []


async def test_money_for_a_donation_that_was_given_up_is_owed_back(bot: Bot) -> None:
    await bot.say("ピーナッツ", "はい")
    (donation,) = await bot.donations()
    order_id = order_id_of(AOI, donation.created_at)
    await bot.service.settling.apply(PaymentEvent("evt_1", "tx_1", order_id, 100, Outcome.FAILED))
    late = PaymentEvent("evt_2", "tx_1", order_id, 100, Outcome.PAID)
    assert await bot.service.settling.apply(late) in ("late", "known")
    assert await bot.service.settling.apply(late) == "known"
    await bot.work()
    assert [found.created_at for found in await bot.service.settling.owed()] == [donation.created_at]
    assert (await bot.service.reports.day(TODAY)).count == 0
    await bot.service.settling.mark_refunded(AOI, donation.created_at, by="somebody")
    assert await bot.service.settling.owed() == []
    assert [found.refund_id for found in await bot.service.settling.given_back()] == ["by hand: somebody"]
    (donation,) = await bot.donations()
    assert donation.status is Status.FAILED


async def test_a_refund_leaves_the_totals_once_and_no_status_of_its_own(bot: Bot) -> None:
    donation = await bot.donate()
    await bot.donate("ゴーヤ", REN)
    settling = bot.service.settling
    for _ in range(2):
        await settling.refund(AOI, donation.created_at, by="demo-ren")
    await bot.work()
    found = (await bot.donations())[0]
    assert (found.status, found.refund_asked_by, found.refund_pk) == (Status.SUCCEEDED, "demo-ren", "DONE")
    assert found.refund_id == f"re_{donation.tx_id}"
    assert (await settling.owed(), len(await settling.given_back())) == ([], 1)
    check = await bot.service.reports.check(TODAY)
    assert check.agrees
    assert (check.stored.amount, check.stored.count, set(check.stored.prefectures)) == (100, 1, {"OKINAWA"})
    assert (await bot.service.reports.mine_today(AOI)).amount == 0
    assert (await bot.service.reports.year(AOI, 2025)).count == 0
    assert len(await bot.sent("refunded/")) == 1
    # Told again from the beginning, or written down by hand as well: nothing moves.
    await settling.mark_refunded(AOI, donation.created_at, by="demo-ren")
    parts = bot.client.shell.deployment.systems["chiipochi"].parts
    assert await parts.reactions[0].handle({"Records": await _records(bot)}) == {"batchItemFailures": []}
    assert await bot.service.reports.check(TODAY) == check
    assert await bot.service.reports.stamps(AOI) == {"CHIBA": 1}, "a stamp stays with whoever got it"


async def test_only_money_that_came_can_be_given_back(bot: Bot) -> None:
    await bot.say("ピーナッツ", "はい")
    (waiting,) = await bot.donations()
    for give in (bot.service.settling.refund, bot.service.settling.mark_refunded):
        with pytest.raises(NotRefundable):
            await give(AOI, waiting.created_at, by="demo-ren")
    with pytest.raises(UnknownOrder):
        await bot.service.settling.refund(REN, waiting.created_at, by="demo-ren")
    assert (await bot.donations()) == [waiting]


async def test_silent_payments_are_asked_for_and_forgotten_ones_given_up(bot: Bot) -> None:
    await bot.say("ピーナッツ", "はい")
    await bot.say("ゴーヤ", "はい", user=REN)
    (paid,), (forgotten,) = await bot.donations(AOI), await bot.donations(REN)
    token = bot.service.links.order_token(order_id_of(AOI, paid.created_at))
    tx_id = (await bot.service.settling.start(token)).rpartition("/")[2]
    provider = bot.service.settling.provider
    assert isinstance(provider, LocalProvider)
    await provider.decide(tx_id, Outcome.PAID)  # and its notice is lost
    bot.clock.advance(31 * 60)
    done = await bot.service.settling.reconcile()
    assert (done.settled, done.open, done.given_up) == (1, 1, 0)
    bot.clock.advance(24 * 3600)
    done = await bot.service.settling.reconcile()
    assert (done.settled, done.open, done.given_up) == (0, 0, 1)
    assert (await bot.donations(AOI))[0].status is Status.SUCCEEDED
    assert (await bot.donations(REN))[0].status is Status.FAILED
    assert forgotten.status is Status.PENDING


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


async def test_two_donations_in_one_millisecond_are_two(bot: Bot) -> None:
    for user in (AOI, REN):
        await bot.say("ピーナッツ", user=user)
    moment = bot.clock.now()
    for _ in range(2):
        await bot.deliver(bot.text("はい"))
        bot.clock.set(moment)
        await bot.deliver(bot.text("ピーナッツ"))
    await bot.deliver(bot.text("はい"))
    found = await bot.donations()
    assert len({donation.created_at for donation in found}) == len(found) == 3


async def test_totals_that_went_wrong_are_repaired_from_the_donations(bot: Bot) -> None:
    from sekkei_systems.chiipochi.design import day_totals, prefecture_totals
    from sekkei_systems.chiipochi.models import DayTotal, PrefectureTotal

    await bot.donate()
    await bot.db.write(day_totals.upsert(TODAY).add(DayTotal.amount, 400))
    await bot.db.write(prefecture_totals.upsert(TODAY, "OSAKA").add(PrefectureTotal.amount, 400))
    assert not (await bot.service.reports.check(TODAY)).agrees
    assert (await bot.service.reports.repair(TODAY)).agrees
    day = await bot.service.reports.day(TODAY, consistent=True)
    assert (day.amount, day.count, list(day.prefectures)) == (100, 1, ["CHIBA"])


async def test_an_unknown_order_changes_nothing(bot: Bot) -> None:
    try:
        await bot.service.settling.apply(PaymentEvent("evt", "tx", f"{AOI}|2025-08-20T00:00:00.000Z", 1, Outcome.PAID))
        raise AssertionError("it was taken")
    except UnknownOrder:
        pass
    assert await bot.donations() == []
    assert orjson.dumps(await bot.service.reports.donors_on(TODAY)) == b"[]"
