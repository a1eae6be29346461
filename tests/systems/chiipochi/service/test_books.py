"""The books equal the provider's ledger, and a month that is closed stays as it is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sekkei.runtime import days
from sekkei_systems.chiipochi.design import SYNC, book, book_mark, books_table, entries_of
from sekkei_systems.chiipochi.design.models import BookEntry, BookMonth
from sekkei_systems.chiipochi.refusals import MonthNotOver
from sekkei_systems.chiipochi.service.access import Donor, Operator
from tests.systems.chiipochi.conftest import AOI, REN, Bot, StripeBot, utc

AOIS = Operator("aoi")


async def test_a_month_by_prefecture_with_fees_refunds_disputes_and_payouts(stripe_bot: StripeBot) -> None:
    bot, books = stripe_bot, stripe_bot.service.books
    charges = []
    for word, user in (("ピーナッツ 1,000円", AOI), ("ピーナッツ 500円", REN), ("ゴーヤ 2,000円", REN)):
        _, session = await bot.checkout(word, user)
        charges.append(bot.ledger.pay_by_card(session))
        await bot.tell()
    bot.ledger.refund(charges[0], 300)
    bot.ledger.dispute(charges[2])
    bot.ledger.other_program()
    await bot.tell()
    assert await books.take_over() == 5
    assert await books.take_over() == 0, "each movement once"
    found = await books.month(AOIS, "2025-08")
    sums = {line.recipient: (line.gross, line.fees, line.refunds, line.disputes, line.net) for line in found.lines}
    assert sums == {"CHIBA": (1500, 54, -300, 0, 1146), "OKINAWA": (2000, 72 + 1500, 0, -2000, -1572)}
    assert (found.total.net, found.payouts) == (-426, [])
    bot.ledger.close_dispute(next(iter(bot.ledger.disputes.values())), won=True)
    bot.clock.advance(timedelta(days=9).total_seconds())
    assert await books.take_over() == 2, "the dispute that was won, and a payout"
    found = await books.month(AOIS, "2025-08")
    (payout,) = found.payouts
    assert (payout.amount, payout.parts_net) == (-1574, 1574), "a payout is the sum of its parts"
    assert found.mark is not None
    assert (found.mark.balance, found.mark.booked) == (await stripe_bot.service.settling.provider.balance(), 0)


async def test_hours_in_which_nothing_moves_are_written_down_once_a_day(stripe_bot: StripeBot) -> None:
    bot, books = stripe_bot, stripe_bot.service.books
    noted = []
    for _ in range(26):
        await books.take_over()
        noted.append((await bot.db.need(book_mark(SYNC))).through)
        bot.clock.advance(3600)
    assert len(set(noted)) == 2, "the first hour, and a day later"
    _, session = await bot.checkout("ピーナッツ 1,000円")
    bot.ledger.pay_by_card(session)
    assert await books.take_over() == 1
    mark = await bot.db.need(book_mark(SYNC))
    assert mark.through == days.now(bot.clock)
    assert mark.balance == mark.booked


async def test_a_month_that_is_closed_stays_as_it_is(stripe_bot: StripeBot) -> None:
    bot, books = stripe_bot, stripe_bot.service.books
    _, session = await bot.checkout("ピーナッツ 1,000円")
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    with pytest.raises(MonthNotOver):
        await books.close(AOIS, "2025-08")
    bot.clock.set(utc("2025-09-02T12:00:00+09:00").timestamp())
    for _ in range(2):
        await books.close(AOIS, "2025-08")
    before = await bot.db.all(entries_of("2025-08"))
    charge_of_august = bot.ledger._book("charge", charge, 700, 25)
    bot.ledger.movements[charge_of_august]["created"] = int(utc("2025-08-31T23:00:00+09:00").timestamp())
    bot.ledger.refund(charge, 400)
    await bot.tell()
    assert await books.take_over() == 2
    assert await bot.db.all(entries_of("2025-08")) == before
    september = (await books.month(AOIS, "2025-09")).total
    assert (september.gross, september.refunds) == (700, -400), "later news fall into the month that is open"
    found = await books.month(AOIS, "2025-08")
    assert found.closed is not None
    assert (found.closed.closed_by, found.total.net) == ("aoi", 964)


async def test_a_month_that_was_closed_with_its_sums_opens_as_it_is(stripe_bot: StripeBot) -> None:
    """Earlier rows carry `lines`, empty where the process died while it closed the month; entries say the rest."""
    bot, books = stripe_bot, stripe_bot.service.books
    _, session = await bot.checkout("ピーナッツ 1,000円")
    bot.ledger.pay_by_card(session)
    await bot.tell()
    bot.clock.set(utc("2025-09-02T12:00:00+09:00").timestamp())
    await books.close(AOIS, "2025-08")
    table = bot.db.table_name(books_table)
    rows = (await bot.db.store.call("Scan", {"TableName": table}))["Items"]
    (row,) = [row for row in rows if "closed_by" in row]
    assert "lines" not in row
    await bot.db.store.call("PutItem", {"TableName": table, "Item": {**row, "lines": {"L": []}}})
    found = await books.month(AOIS, "2025-08")
    assert found.closed is not None
    assert [line.net for line in found.lines] == [964]


async def test_what_is_booked_while_a_month_is_closed_is_among_its_sums_or_in_the_next(
    stripe_bot: StripeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, books = stripe_bot, stripe_bot.service.books
    _, session = await bot.checkout("ピーナッツ 1,000円")
    bot.ledger.pay_by_card(session)
    await bot.tell()
    bot.clock.set(utc("2025-09-02T12:00:00+09:00").timestamp())
    write = books.db.write

    async def crossing(action: Any) -> Any:
        """Another process books something of August in the moment before."""
        if isinstance(getattr(action, "instance", None), BookMonth):
            monkeypatch.setattr(books.db, "write", write)
            at = utc("2025-08-31T23:00:00+09:00")
            late = {"month": "2025-08", "at": at, "movement": "txn_late", "kind": "charge", "recipient": "CHIBA"}
            await bot.db.transact(book(BookEntry(**late, amount=700, fee=25)))
        return await write(action)

    monkeypatch.setattr(books.db, "write", crossing)
    await books.close(AOIS, "2025-08")
    assert (await books.month(AOIS, "2025-08")).total.gross == 1700


async def test_postings_have_their_donor_until_the_donor_is_forgotten(quick_bot: Bot) -> None:
    """Of the local Stripe, which people click through."""
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.service.details.keep(Donor(AOI), "青木 葵", "千葉市")
    assert await quick_bot.service.books.take_over() == 1
    (posting,) = [found async for found in quick_bot.service.books.postings(AOIS, "2025-08")]
    assert posting.donation is not None
    assert (posting.donation.user_id, posting.name, posting.entry.net) == (AOI, "青木 葵", 482)
    token = quick_bot.service.links.my_token(AOI)
    await quick_bot.client.post(f"/chiipochi/u/{token}/forget", {})
    await quick_bot.work()
    (posting,) = [found async for found in quick_bot.service.books.postings(AOIS, "2025-08")]
    assert posting.donation is not None
    assert posting.donation.user_id.startswith("FORGOTTEN-")
    assert posting.name == ""
