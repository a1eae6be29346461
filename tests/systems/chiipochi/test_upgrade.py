"""Rows of 0.1: they count for the day they were made on, before and after they are brought up to date."""

from __future__ import annotations

from datetime import date

from sekkei.design import replace
from sekkei.runtime.jobs import Progress
from sekkei_systems.chiipochi.design import awards, donations, paid_donations, paid_row, returns
from sekkei_systems.chiipochi.design.models import Award, Dispute, Donation, Return
from sekkei_systems.chiipochi.service.access import Donor, Operator
from tests.systems.chiipochi.conftest import AOI, REN, TODAY, Bot, StripeBot, utc


async def _as_before(bot: Bot, user: str, *, refunded: bool) -> None:
    """A donation that was made, paid and perhaps refunded by 0.1."""
    (donation,) = await bot.donations(user)
    row = paid_row(donation)
    old = replace(donation, paid_at=None, payment_ref=None, refunded_amount=None)
    old = replace(old, refunded_at=donation.created_at, refund_id="re_old") if refunded else old
    await bot.db.write(donations.put(old))
    await bot.db.write(paid_donations.delete(row.day, row.shard, row.user_id, row.created_at))
    await bot.db.write(awards.put(Award(user_id=user, donated_at=donation.created_at, prefecture=donation.prefecture)))
    if refunded:
        await bot.db.write(returns.put(Return(user_id=user, donated_at=donation.created_at)))


async def test_donations_of_before_count_as_they_did_and_then_say_so(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    donation = await quick_bot.donate("ゴーヤ 300", REN)
    await quick_bot.service.refunds.refund(Operator("aoi"), REN, donation.created_at)
    await quick_bot.work()
    before = await quick_bot.service.reports.check(TODAY)
    await _as_before(quick_bot, AOI, refunded=False)
    await _as_before(quick_bot, REN, refunded=True)
    await quick_bot.work()
    assert await quick_bot.service.reports.check(TODAY) == before, "they are understood as they are"
    assert (await quick_bot.service.mine.year(Donor(AOI), 2025)).amount == 500
    opened = quick_bot.client.shell.deployment.systems["chiipochi"]
    assert "paid-at" in opened.parts.once
    for time in range(2):
        await opened.context.jobs.start("paid-at", {}, id=f"test/{time}")
        await quick_bot.work()
    assert await quick_bot.service.reports.check(TODAY) == before
    (mine,), (theirs,) = await quick_bot.donations(AOI), await quick_bot.donations(REN)
    assert (mine.paid_at, theirs.paid_at) == (mine.created_at, theirs.created_at)
    assert [(await quick_bot.db.need(awards(one.user_id, one.created_at))).amount for one in (mine, theirs)] == [500, 0]
    assert (await quick_bot.db.need(paid_donations(TODAY, 0, AOI, mine.created_at))).day == TODAY


async def test_the_job_goes_on_where_it_was_cut_off(quick_bot: Bot) -> None:
    await quick_bot.donate()
    await _as_before(quick_bot, AOI, refunded=False)
    ((_, step),) = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["paid-at"].steps
    done, cursor = 0, None
    for _ in range(12):
        progress: Progress = await step({}, cursor)
        again: Progress = await step({}, cursor)
        done, cursor = done + progress.done, progress.cursor
        assert (again.cursor, again.done) == (progress.cursor, 0), "a step bears being repeated"
        if cursor is None:
            break
    assert (done, cursor) == (1, None)


async def test_a_donation_of_new_years_eve_that_is_paid_in_january_is_januarys(quick_bot: Bot) -> None:
    quick_bot.clock.set(utc("2025-12-31T23:50:00+09:00").timestamp())
    await quick_bot.say("ピーナッツ 500", "はい")
    (donation,) = await quick_bot.donations()
    quick_bot.clock.set(utc("2026-01-01T00:10:00+09:00").timestamp())
    await quick_bot.pay(donation)
    await quick_bot.work()
    (paid,) = await quick_bot.donations()
    assert paid.gsi1_pk == "DATE#2025-12-31", "the document's keys stay what they are"
    assert paid.paid_at == utc("2026-01-01T00:10:00+09:00")
    mine = quick_bot.service.mine
    assert ((await mine.year(Donor(AOI), 2025)).amount, (await mine.year(Donor(AOI), 2026)).amount) == (0, 500)
    assert (await mine.today(Donor(AOI))).amount == 500
    for day, amount in ((date(2025, 12, 31), 0), (date(2026, 1, 1), 500)):
        check = await quick_bot.service.reports.check(day)
        assert check.agrees
        assert check.stored.amount == amount
    token = quick_bot.service.links.my_token(AOI)
    receipt = await quick_bot.client.get(f"/chiipochi/u/{token}/receipt/2025-12-31T14:50:01.000Z")
    assert "2026" in receipt.text


async def test_refunds_of_before_are_listed_as_today(stripe_bot: StripeBot) -> None:
    """What a bank had taken was owed, and a part that was given back hid that all was asked for."""
    bot, operator = stripe_bot, Operator("aoi")
    made = []
    for word in ("ピーナッツ 500", "ゴーヤ 500"):
        donation, session = await bot.checkout(word)
        bot.ledger.pay_by_card(session)
        await bot.tell()
        made.append(await bot.now(donation))
    lost, hidden = made
    now = utc("2025-08-20T06:00:00Z")
    await bot.db.write(donations.put(replace(lost, refund_failed_at=now, dispute=Dispute.LOST)))
    asked = replace(hidden, refund_asked_at=lost.created_at, refunded_at=now, refunded_amount=200)
    await bot.db.write(donations.put(asked))
    for one, listed in ((lost, "OWED"), (hidden, "DONE")):
        await _listed_before(bot, one, listed)
    assert [one.created_at for one in await bot.service.refunds.owed(operator)] == [lost.created_at]
    opened = bot.client.shell.deployment.systems["chiipochi"]
    assert "refunds" in opened.parts.once
    for time in range(2):
        await opened.context.jobs.start("refunds", {}, id=f"test/{time}")
        await bot.work()
        assert [one.created_at for one in await bot.service.refunds.owed(operator)] == [hidden.created_at]


async def _listed_before(bot: Bot, donation: Donation, listed: str) -> None:
    names, values = {"#pk": "refund_pk"}, {":pk": {"S": listed}}
    request = {"TableName": "donation_history", "Key": donations(donation.user_id, donation.created_at).key}
    request |= {"UpdateExpression": "SET #pk = :pk", "ExpressionAttributeNames": names}
    await bot.db.store.call("UpdateItem", {**request, "ExpressionAttributeValues": values})
