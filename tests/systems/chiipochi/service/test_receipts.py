"""Receipts: no gap, no number twice, no yen on two of them, and none that says more than was kept."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sekkei.runtime import days
from sekkei.runtime.refusals import NotThere
from sekkei_systems.chiipochi.design import details_of, donations, receipt_of, receipts_of_user, register_of
from sekkei_systems.chiipochi.design import receipts as receipts_table
from sekkei_systems.chiipochi.design.models import Donation, Receipt
from sekkei_systems.chiipochi.jobs import pseudonym
from sekkei_systems.chiipochi.refusals import DetailsMissing, InYearsReceipt, NothingToReceipt
from sekkei_systems.chiipochi.service import receipts as receipts_module
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.receipts import ADDRESS_MAX, NAME_MAX, Person
from tests.systems.chiipochi.conftest import AOI, REN, Bot, StripeBot, utc

AOIS, RENS = Donor(AOI), Donor(REN)


async def _named(bot: Bot, *donors: Donor) -> None:
    for donor in donors:
        await bot.service.details.keep(donor, " 青木  葵 ", "千葉県千葉市中央区市場町1-1")


async def test_a_receipt_needs_a_name_and_money_that_was_kept(quick_bot: Bot) -> None:
    receipts = quick_bot.service.receipts
    with pytest.raises(NothingToReceipt):
        await receipts.issue_year(AOIS, 2025)
    donation = await quick_bot.donate("ピーナッツ 500")
    with pytest.raises(DetailsMissing):
        await receipts.issue(AOIS, donation.created_at)
    with pytest.raises(DetailsMissing):
        await quick_bot.service.details.keep(AOIS, "  ", "x")
    await _named(quick_bot, AOIS)
    found = await receipts.issue(AOIS, donation.created_at)
    assert (found.code, found.amount) == ("2025-000001", 500)
    assert (await receipts.issue(AOIS, donation.created_at)).code == "2025-000001", "asking twice is asking once"
    assert (await receipts.get(AOIS, found.code)).person == Person("青木 葵", "千葉県千葉市中央区市場町1-1")
    for code in ("2025-000002", "2025-1x", "x", "2025-"):
        with pytest.raises(NotThere):
            await receipts.get(AOIS, code)
    with pytest.raises(NotThere):
        await receipts.get(RENS, found.code)
    scanned = await quick_bot.db.store.call("Scan", {"TableName": "receipts"})
    assert "青木" not in str(scanned), "sealed in the store"


async def test_numbers_have_no_gap_when_everybody_asks_at_once(bot: Bot) -> None:
    people = [f"U{number:032x}" for number in range(4)]
    for person in people:
        await bot.donate("ピーナッツ 500", person)
        await _named(bot, Donor(person))
    asked = [bot.service.receipts.issue_year(Donor(person), 2025) for person in people]
    found = await asyncio.gather(*asked)
    register = await bot.db.all(register_of(2025))
    assert [one.number for one in register] == [1, 2, 3, 4]
    assert sorted(one.number for one in found) == [1, 2, 3, 4]


async def test_a_years_receipt_replaces_those_of_single_donations(quick_bot: Bot) -> None:
    receipts = quick_bot.service.receipts
    first, second = await quick_bot.donate("ピーナッツ 500"), await quick_bot.donate("ゴーヤ 300")
    await _named(quick_bot, AOIS)
    single = await receipts.issue(AOIS, first.created_at)
    year = await receipts.issue_year(AOIS, 2025)
    assert (year.code, year.amount, [line["to"] for line in year.lines]) == ("2025-000002", 800, ["CHIBA", "OKINAWA"])
    cancelled = (await receipts.get(AOIS, single.code)).receipt
    assert (cancelled.cancelled_at is not None, cancelled.replaced_by) == (True, "2025-000002")
    with pytest.raises(InYearsReceipt):
        await receipts.issue(AOIS, second.created_at)
    await quick_bot.donate("りんご 青森 100")
    await quick_bot.donate("牛タン 100")
    again = await receipts.issue_year(AOIS, 2025)
    assert (again.code, again.amount) == ("2025-000003", 900)
    valid = [one.code for one in await quick_bot.db.all(register_of(2025)) if one.cancelled_at is None]
    assert valid == ["2025-000003"], "no yen is on two of them"


async def test_money_that_goes_back_cancels_the_receipt_and_the_next_says_what_is_left(stripe_bot: StripeBot) -> None:
    bot, receipts = stripe_bot, stripe_bot.service.receipts
    donation, session = await bot.checkout()
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    await _named(bot, AOIS)
    await receipts.issue(AOIS, donation.created_at)
    await receipts.issue_year(AOIS, 2025)
    bot.ledger.refund(charge, 200)
    await bot.tell()
    assert [one.cancelled_at is None for one in await bot.db.all(register_of(2025))] == [False, False]
    corrected = await receipts.issue(AOIS, donation.created_at)
    assert (corrected.code, corrected.amount) == ("2025-000003", 300)
    bot.ledger.refund(charge)
    await bot.tell()
    with pytest.raises(NothingToReceipt):
        await receipts.issue(AOIS, donation.created_at)
    assert [one.number for one in await bot.db.all(register_of(2025))] == [1, 2, 3], "no number comes twice"


async def test_numbers_begin_anew_with_the_year(quick_bot: Bot) -> None:
    donation = await quick_bot.donate("ピーナッツ 500")
    await _named(quick_bot, AOIS)
    assert (await quick_bot.service.receipts.issue(AOIS, donation.created_at)).code == "2025-000001"
    quick_bot.clock.set(utc("2026-01-05T12:00:00+09:00").timestamp())
    assert (await quick_bot.service.receipts.issue_year(AOIS, 2025)).code == "2026-000001"


async def test_whoever_is_forgotten_leaves_numbers_and_sums_alone(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await _named(quick_bot, AOIS)
    await quick_bot.service.receipts.issue_year(AOIS, 2025)
    token = quick_bot.service.links.my_token(AOI)
    await quick_bot.client.post(f"/chiipochi/u/{token}/forget", {})
    await quick_bot.work()
    (left,) = await quick_bot.service.receipts.register(Operator("aoi"), 2025)
    context = quick_bot.client.shell.deployment.systems["chiipochi"].context
    assert (left.receipt.user_id, left.receipt.amount, left.person) == (pseudonym(context.settings, AOI), 500, None)
    assert await quick_bot.db.get(details_of(AOI)) is None
    assert await quick_bot.db.all(receipts_of_user(AOI)) == []


async def test_nothing_of_a_donor_is_left_in_the_register_of_an_earlier_year(stripe_bot: StripeBot) -> None:
    """A receipt that was cancelled and issued anew in the next year, where nothing but its number leads to it."""
    bot, receipts = stripe_bot, stripe_bot.service.receipts
    donation, session = await bot.checkout("ピーナッツ 1,000円")
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    await _named(bot, AOIS)
    first = await receipts.issue(AOIS, donation.created_at)
    bot.clock.set(utc("2026-01-05T12:00:00+09:00").timestamp())
    bot.ledger.refund(charge, 400)
    await bot.tell()
    second = await receipts.issue(AOIS, donation.created_at)
    assert (first.code, second.code, second.before) == ("2025-000001", "2026-000001", "2025-000001")
    await receipts.forget(AOIS, "FORGOTTEN-x")
    left = [await bot.db.get(receipt_of(year, 1)) for year in (2025, 2026)]
    assert [(one.user_id, one.sealed) for one in left if one] == [("FORGOTTEN-x", None)] * 2
    assert await bot.db.all(receipts_of_user(AOI)) == []


async def test_whoever_is_forgotten_is_found_by_keys_and_in_the_registers_of_before(
    stripe_bot: StripeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, receipts = stripe_bot, stripe_bot.service.receipts
    read: list[int] = []
    monkeypatch.setattr(receipts_module, "register_of", lambda year: read.append(year) or register_of(year))
    for user, of_before in ((AOI, False), (REN, True)):
        donation, session = await bot.checkout("ピーナッツ 500", user)
        bot.ledger.pay_by_card(session)
        await bot.tell()
        await _named(bot, Donor(user))
        found = await receipts.issue(Donor(user), donation.created_at)
        if of_before:  # as it was written until receipts knew the one before
            await bot.db.write(receipts_table.update(found.year, found.number).remove(Receipt.before))
        await receipts.forget(Donor(user), f"FORGOTTEN-{user}")
        left = await bot.db.get(receipt_of(found.year, found.number))
        assert left is not None
        assert (left.user_id, left.sealed, read) == (f"FORGOTTEN-{user}", None, [2025] if of_before else [])


@pytest.mark.parametrize(("checked", "numbers"), [(receipts_module.CHECKED_MAX, [1]), (0, [1, 2, 3])])
async def test_money_that_goes_back_while_a_receipt_is_written_is_not_on_it(
    stripe_bot: StripeBot, monkeypatch: pytest.MonkeyPatch, checked: int, numbers: list[int]
) -> None:
    """Where there are too many donations to look at them in the same moment, it is looked at again."""
    monkeypatch.setattr(receipts_module, "CHECKED_MAX", checked)
    bot, receipts = stripe_bot, stripe_bot.service.receipts
    donation, session = await bot.checkout("ピーナッツ 500")
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    await _named(bot, AOIS)
    write = receipts._next
    back = iter((200, 300))

    async def slowly(*given: Any) -> Receipt | None:
        bot.ledger.refund(charge, next(back))
        await bot.tell()
        monkeypatch.setattr(receipts, "_next", write)
        return await write(*given)

    monkeypatch.setattr(receipts, "_next", slowly)
    assert (await receipts.issue(AOIS, donation.created_at)).amount == 300
    monkeypatch.setattr(receipts, "_next", slowly)
    with pytest.raises(NothingToReceipt):
        await receipts.issue_year(AOIS, 2025)
    register = await bot.db.all(register_of(2025))
    assert [one.number for one in register if one.cancelled_at is None] == []
    assert [one.number for one in register] == numbers


async def test_a_single_receipt_gives_way_to_its_years_that_is_just_issued(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tabs: each yen is on one valid receipt."""
    bot, receipts = quick_bot, quick_bot.service.receipts
    donation = await bot.donate("ピーナッツ 500")
    await _named(bot, AOIS)
    person = receipts._person

    async def slowly(*given: Any) -> Person:
        monkeypatch.setattr(receipts, "_person", person)
        await receipts.issue_year(AOIS, 2025)
        return await person(*given)

    monkeypatch.setattr(receipts, "_person", slowly)
    with pytest.raises(InYearsReceipt):
        await receipts.issue(AOIS, donation.created_at)
    assert [one.what for one in await bot.db.all(register_of(2025)) if one.cancelled_at is None] == ["YEAR-2025"]


@pytest.mark.parametrize("seconds", [-2, 2])
async def test_what_is_on_a_years_receipt_does_not_depend_on_clocks(stripe_bot: StripeBot, seconds: int) -> None:
    """Stripe's clock may be ahead of ours; then a payment is later than the receipt that names it."""
    bot, receipts = stripe_bot, stripe_bot.service.receipts
    donation, session = await bot.checkout("ピーナッツ 500")
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    await _named(bot, AOIS)
    bot.clock.advance(seconds)
    await receipts.issue_year(AOIS, 2025)
    with pytest.raises(InYearsReceipt):
        await receipts.issue(AOIS, donation.created_at)
    bot.ledger.refund(charge, 200)
    await bot.tell()
    assert [one.cancelled_at is None for one in await bot.db.all(register_of(2025))] == [False]


async def test_money_that_is_heard_of_after_a_years_receipt_gets_its_own(stripe_bot: StripeBot) -> None:
    """It had been paid before the receipt was issued, and nobody knew of it yet."""
    bot, receipts = stripe_bot, stripe_bot.service.receipts
    first, session = await bot.checkout("ピーナッツ 500")
    bot.ledger.pay_by_card(session)
    await bot.tell()
    second, session = await bot.checkout("ゴーヤ 300")
    bot.ledger.pay_by_card(session)
    await _named(bot, AOIS)
    bot.clock.advance(1)
    year = await receipts.issue_year(AOIS, 2025)
    await bot.tell()
    single = await receipts.issue(AOIS, second.created_at)
    assert (year.amount, single.amount) == (500, 300)
    assert first.created_at != second.created_at


async def test_whoever_dies_after_writing_a_receipt_leaves_none_that_says_too_much(
    stripe_bot: StripeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Money goes back while the receipt is written, and nobody looks again."""
    bot, receipts = stripe_bot, stripe_bot.service.receipts
    donation, session = await bot.checkout("ピーナッツ 500")
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    await _named(bot, AOIS)
    singles = receipts._singles

    async def slowly(*given: Any) -> list[Receipt]:
        monkeypatch.setattr(receipts, "_singles", singles)
        bot.ledger.refund(charge, 200)
        await bot.tell()
        return await singles(*given)

    monkeypatch.setattr(receipts, "_singles", slowly)
    given = [await bot.now(donation)]
    assert await receipts._next(AOIS, "YEAR-2025", given, await receipts._person(AOIS, given)) is None
    assert await bot.db.all(register_of(2025)) == []


@pytest.mark.parametrize("late", [False, True])
async def test_money_that_goes_back_cancels_the_receipt_of_somebody_forgotten(
    stripe_bot: StripeBot, late: bool
) -> None:
    """Also where it went back before, and the stream tells of it after they were forgotten."""
    bot, receipts = stripe_bot, stripe_bot.service.receipts
    donation, session = await bot.checkout("ピーナッツ 500")
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    await _named(bot, AOIS)
    await receipts.issue(AOIS, donation.created_at)
    await bot.client.post(f"/chiipochi/u/{bot.service.links.my_token(AOI)}/forget", {})
    await bot.work()
    context = bot.client.shell.deployment.systems["chiipochi"].context
    moved = donations.update(pseudonym(context.settings, AOI), donation.created_at)
    if late:
        await bot.db.write(moved.set(Donation.refunded_amount, 200))
        await receipts.correct(donation)
    else:
        bot.ledger.refund(charge, 200)
        await bot.tell()
    assert [one.cancelled_at is None for one in await bot.db.all(register_of(2025))] == [False]


async def test_a_receipt_is_cancelled_although_the_stream_forgot_the_refund(stripe_bot: StripeBot) -> None:
    """Nothing ran for longer than a day. One that says what is left is not touched, however often it is looked at."""
    bot, receipts = stripe_bot, stripe_bot.service.receipts
    donation, session = await bot.checkout("ピーナッツ 500")
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    await _named(bot, AOIS)
    await receipts.issue_year(AOIS, 2025)
    bot.ledger.refund(charge, 200)
    now = days.now(bot.clock)
    refund = donations.update(AOI, donation.created_at).set(Donation.refunded_amount, 200)
    await bot.db.write(refund.set(Donation.refunded_at, now).set(Donation.answers, 1))
    check = bot.client.shell.deployment.systems["chiipochi"].parts.scheduled["check-totals"]
    await check({})
    assert [one.cancelled_at is None for one in await bot.db.all(register_of(2025))] == [False]
    assert (await receipts.issue_year(AOIS, 2025)).amount == 300
    await check({})
    await receipts.correct(await bot.now(donation))
    assert [one.cancelled_at is None for one in await bot.db.all(register_of(2025))] == [False, True]


# Name and address are sealed, belong to their donor, and can be removed.


async def test_what_is_kept_can_be_read_by_us_alone_and_removed(quick_bot: Bot) -> None:
    details = quick_bot.service.details
    assert await details.of(Donor(AOI)) is None
    await details.keep(Donor(AOI), "青木 葵" * 99, "千葉市" * 199)
    found = await details.of(Donor(AOI))
    assert found == Person(("青木 葵" * 99)[:NAME_MAX], ("千葉市" * 199)[:ADDRESS_MAX])
    row = await quick_bot.db.need(details_of(AOI))
    assert "青木" not in row.sealed
    assert details.opened(row.sealed, REN) is None, "copied to another donor it does not open"
    await details.forget(Donor(AOI))
    assert await details.of(Donor(AOI)) is None


async def test_a_name_reads_as_it_is(quick_bot: Bot) -> None:
    details = quick_bot.service.details
    await details.keep(Donor(AOI), "\u202e葵\x00 \n青木\u2066 👨\u200d👩", " 千葉市\u200f ")
    assert await details.of(Donor(AOI)) == Person("葵 青木 👨\u200d👩", "千葉市")
    with pytest.raises(DetailsMissing):
        await details.keep(Donor(AOI), "\u202e\x00", "千葉市")
