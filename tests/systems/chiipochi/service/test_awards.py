"""What follows from a donation's money is brought in line with it, whoever asks for that and how often."""

from __future__ import annotations

from sekkei.design import replace
from sekkei_systems.chiipochi.design import donations
from sekkei_systems.chiipochi.design.models import Donation, Status
from sekkei_systems.chiipochi.service.access import Donor
from tests import calls
from tests.systems.chiipochi.conftest import AOI, TODAY, Bot, StripeBot


async def _total(bot: Bot) -> tuple[int, int]:
    check = await bot.service.reports.check(TODAY)
    assert check.agrees, check
    return check.stored.amount, check.stored.count


async def _in_line(bot: Bot, donation: Donation) -> None:
    with calls.working("work"):
        for _ in range(2):
            await bot.service.awards.bring_in_line(donation)


async def _paid(bot: Bot) -> Donation:
    """The stream has told nobody."""
    await bot.say("ピーナッツ 500", "はい")
    (waiting,) = await bot.donations()
    paid = replace(waiting, status=Status.SUCCEEDED)
    await bot.db.write(donations.put(paid))
    return paid


async def test_a_donation_counts_once_and_is_thanked_for_once(quick_bot: Bot) -> None:
    await _in_line(quick_bot, await _paid(quick_bot))
    await quick_bot.work()
    assert await _total(quick_bot) == (500, 1)
    assert await quick_bot.service.mine.stamps(Donor(AOI)) == {"CHIBA": 1}
    assert len(await quick_bot.sent("thanks/")) == 1


async def test_one_that_has_not_been_paid_counts_for_nothing(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ 500", "はい")
    (waiting,) = await quick_bot.donations()
    await _in_line(quick_bot, waiting)
    assert await _total(quick_bot) == (0, 0)


async def test_what_it_says_now_counts_and_not_what_it_said(quick_bot: Bot) -> None:
    paid = await _paid(quick_bot)
    await _in_line(quick_bot, paid)
    await quick_bot.db.write(donations.put(replace(paid, refunded_amount=200)))
    await _in_line(quick_bot, paid)
    assert await _total(quick_bot) == (300, 1)


async def test_totals_follow_a_dispute_that_no_stream_tells_of(stripe_bot: StripeBot) -> None:
    """And come back when it is won."""
    bot = stripe_bot
    _, session = await bot.checkout("ピーナッツ 500")
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    dispute = bot.ledger.dispute(charge)
    await bot.service.later.look(charge["payment_intent"])
    assert await _total(bot) == (0, 0)
    bot.ledger.close_dispute(dispute, won=True)
    await bot.service.later.look(charge["payment_intent"])
    assert await _total(bot) == (500, 1)
