"""The Stripe that people click through is the strict one, kept in the store."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.chiipochi.design import local_payments
from sekkei_systems.chiipochi.design.models import Status
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.donations import order_id_of
from tests.systems.chiipochi.conftest import AOI, Bot


async def _checkout(bot: Bot, word: str = "ピーナッツ 500") -> str:
    await bot.say(word, "はい")
    donation = (await bot.donations())[-1]
    token = bot.service.links.order_token(order_id_of(AOI, donation.created_at))
    return (await bot.client.get(f"/chiipochi/pay/{token}")).location.rpartition("/")[2]


async def _click(bot: Bot, tx_id: str, decision: str) -> None:
    reply = await bot.client.post(f"/chiipochi/local-pay/{tx_id}", {"decision": decision})
    assert reply.status == 303


async def test_a_slip_is_paid_two_days_later(bot: Bot) -> None:
    tx_id = await _checkout(bot)
    await _click(bot, tx_id, "store")
    await bot.work()
    (donation,) = await bot.donations()
    assert (donation.standing, donation.waiting_for) == ("waiting", "konbini")
    assert donation.pay_by is not None
    bot.clock.advance(2 * 24 * 3600)
    await bot.work()
    assert (await bot.donations())[0].standing == "waiting"
    assert "コンビニで支払った" in (await bot.client.get(f"/chiipochi/local-pay/{tx_id}")).text
    await _click(bot, tx_id, "approve")
    await bot.work()
    (donation,) = await bot.donations()
    assert donation.status is Status.SUCCEEDED
    assert donation.paid_at is not None
    assert donation.paid_at - donation.created_at >= timedelta(days=2)


async def test_what_runs_out_is_told_without_anybody_asking(quick_bot: Bot) -> None:
    slip, abandoned = await _checkout(quick_bot), await _checkout(quick_bot, "ゴーヤ 300")
    await _click(quick_bot, slip, "store")
    await quick_bot.work()
    for _ in range(2):
        quick_bot.clock.advance(3 * 24 * 3600)
        await quick_bot.client.work()
        await quick_bot.client.work()
    assert [donation.status for donation in await quick_bot.donations()] == [Status.FAILED] * 2
    for tx_id in (slip, abandoned):
        assert "期限切れ" in (await quick_bot.client.get(f"/chiipochi/local-pay/{tx_id}")).text
        await _click(quick_bot, tx_id, "approve")
    await quick_bot.work()
    assert [donation.paid_late_at for donation in await quick_bot.donations()] == [None, None], "over is over"


async def test_a_sum_that_no_store_takes_is_not_offered_there(quick_bot: Bot) -> None:
    tx_id = await _checkout(quick_bot, "ピーナッツ 100")
    assert 'value="store"' not in (await quick_bot.client.get(f"/chiipochi/local-pay/{tx_id}")).text
    await _click(quick_bot, tx_id, "store")
    await quick_bot.work()
    assert (await quick_bot.donations())[0].standing == "pending"


async def test_the_link_leads_to_one_checkout_however_often_it_is_followed(quick_bot: Bot) -> None:
    tx_id = await _checkout(quick_bot)
    (donation,) = await quick_bot.donations()
    token = quick_bot.service.links.order_token(order_id_of(AOI, donation.created_at))
    assert (await quick_bot.client.get(f"/chiipochi/pay/{token}")).location.endswith(tx_id)
    for decision in ("approve", "approve", "store", "decline"):
        await _click(quick_bot, tx_id, decision)
    await quick_bot.work()
    found = await quick_bot.account.session(tx_id)
    assert found is not None
    assert [event["type"] for event in found[1].events] == ["checkout.session.completed"]
    assert len(found[1].charges) == 1


async def test_nothing_of_a_forgotten_donor_is_left_in_the_ledger(quick_bot: Bot) -> None:
    donation = await quick_bot.donate()
    await quick_bot.service.refunds.refund(Operator("aoi"), AOI, donation.created_at)
    await quick_bot.work()
    token = quick_bot.service.links.my_token(AOI)
    await quick_bot.client.post(f"/chiipochi/u/{token}/forget", {})
    await quick_bot.work()
    row = await quick_bot.db.need(local_payments(donation.tx_id or ""))
    assert row.account is not None
    assert AOI not in row.account
