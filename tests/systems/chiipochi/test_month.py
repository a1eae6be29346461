"""A month of money: every way to pay and everything that goes wrong. The books end as the provider's ledger says, and
nobody has been told anything false: each sentence is judged against the ledger (tests/systems/chiipochi/hearing.py)."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei_fakes import served
from sekkei_fakes.line import LineCounterpart, Sent
from sekkei_fakes.stripe import balance
from sekkei_fakes.stripe.errors import Refused
from sekkei_systems.chiipochi.design.models import Status
from sekkei_systems.chiipochi.service.access import Donor, Operator
from tests.systems.chiipochi.conftest import TODAY, WEBHOOK_SECRET, StripeBot, at_stripe
from tests.systems.chiipochi.hearing import Checkout, Hearing

WORDS = {
    "ピーナッツ 500": ("CHIBA", 500),
    "ゴーヤ 300円": ("OKINAWA", 300),
    "1,000円を沖縄へ": ("OKINAWA", 1_000),
    "牛タン": ("MIYAGI", 100),
    "横浜 千円": ("KANAGAWA", 1_000),
    "たこ焼き 700円お願いします": ("OSAKA", 700),
    "peanuts 300": ("CHIBA", 300),
}
QUESTIONS = ("今日の合計", "みんなの合計", "ランキング", "履歴", "スタンプ", "年間まとめ")
OPERATOR = Operator("aoi")
SECRET, TOKEN = "line-secret", "line-token"
PAY = re.compile(rb"/chiipochi/pay/[\w.=|-]+")

log = logging.getLogger("sekkei.month")


class Month:
    def __init__(self, bot: StripeBot, line: LineCounterpart, outside: served.Served, people: int) -> None:
        self.bot, self.line, self.outside, self.ledger = bot, line, outside, bot.ledger
        self.dice = random.Random(11)
        self.people = [f"U{number:032x}" for number in range(people)]
        self.hearing = Hearing(line, bot.ledger)
        self.late: list[Any] = []
        self.lost: list[Any] = []
        """Not taken while it was new; Stripe tells it at last when everything else is over."""

    async def live(self, days: int, each: int) -> None:
        for number, person in enumerate(self.people):
            await self.deliver(self.line.befriend(person, "en" if number % 3 == 2 else "ja"))
        for day in range(days):
            for _ in range(each):
                await self.donate(self.dice.choice(self.people))
                self.bot.clock.advance(self.dice.randrange(60, 7_200) * 4 / each)
            await self.end_of_day()
            log.info("day %d: %d donations, %d sentences", day + 1, len(self.hearing.checkouts), len(self.line.sent))
        self.bot.clock.advance(10 * 24 * 3600)
        await self.settle_down()
        await self.last_questions()

    # Donors

    async def deliver(self, event: dict[str, Any]) -> None:
        """Some webhooks come twice, and one of them says so."""
        for again in (False, True)[: 1 + (self.dice.random() < 0.1)]:
            body, headers = self.line.webhook([event], SECRET, again=again)
            assert (await self.bot.client.request("POST", "/chiipochi/webhook", body, headers)).status == 200
        await self.bot.service.inbox.finish()
        await self.bot.client.work()
        self.hearing.listen()

    async def donate(self, person: str) -> None:
        words = self.dice.choice(list(WORDS))
        place, amount = self.hearing.asked[person] = WORDS[words]
        await self.deliver(self.line.text(person, words))
        await self.deliver(self.line.text(person, "はい"))
        self.bot.clock.advance(1)
        sent = next(one for one in reversed(self.line.sent) if one.to == person)
        assert (await self.bot.client.get(_link(sent))).status == 303
        session = list(self.ledger.sessions.values())[-1]
        self.hearing.made(Checkout(person, place, amount, session))
        lot = self.dice.random()
        if lot < 0.5:
            self.ledger.pay_by_card(session)
        elif lot < 0.8 and amount >= 120:
            self.ledger.choose_konbini(session)

    async def ask(self, person: str, words: str) -> None:
        await self.deliver(self.line.text(person, words))

    # Shops, banks, and the post

    async def end_of_day(self) -> None:
        for one in self.hearing.checkouts:
            self.meddle(one.session)
        await self.tell()
        self.outside.faults.down = self.dice.random() < 0.1
        self.bot.stripe.faults.down = self.dice.random() < 0.2
        await self.bot.service.reconciliation.run()
        await self.bot.work()
        self.bot.stripe.faults.down = self.outside.faults.down = False
        for person in self.dice.sample(self.people, 3):
            await self.ask(person, self.dice.choice(QUESTIONS))

    def meddle(self, session: dict[str, Any]) -> None:
        """Days later: slips are paid, money goes back, banks complain, refunds fail."""
        intent = self.ledger.intents.get(str(session["payment_intent"]))
        if intent is None:
            return
        charge = self.ledger.charges.get(str(intent["latest_charge"]))
        try:
            if intent["status"] == "requires_action" and self.dice.random() < 0.3:
                self.ledger.pay_later(session)
            elif charge and self.dice.random() < 0.06:
                refund = self.ledger.refund(charge, self.dice.choice((None, 50)))
                if self.dice.random() < 0.3:
                    self.ledger.fail_refund(refund)
            elif charge and not charge["disputed"] and self.dice.random() < 0.04:
                dispute = self.ledger.dispute(charge)
                if self.dice.random() < 0.6:
                    self.ledger.close_dispute(dispute, won=self.dice.random() < 0.5)
        except Refused:
            pass  # what Stripe does not allow does not happen

    async def tell(self) -> None:
        """News: some twice, some not for weeks, some of it days later, in any order."""
        self.ledger.pass_time()
        for event in self.ledger.events[self.ledger._told :]:
            self.ledger._told += 1
            lot = self.dice.random()
            if lot < 0.15:
                self.late.append(event)
            elif lot < 0.95:
                for _ in range(1 + (lot < 0.3)):
                    await self.post(event)
            else:
                self.lost.append(event)
        self.dice.shuffle(self.late)
        for event in self.late[: len(self.late) // 4]:
            await self.post(event)
        del self.late[: len(self.late) // 4]

    async def post(self, event: dict[str, Any]) -> None:
        assert (await self.bot.post(*self.ledger.signed(event, WEBHOOK_SECRET))).status == 200

    async def settle_down(self) -> None:
        """What was not told is told now, and much of the rest once more; then nothing moves any more."""
        self.ledger.pass_time()
        again = self.dice.sample(self.ledger.events, len(self.ledger.events) // 5)
        for event in [*self.late, *self.lost, *self.ledger.events[self.ledger._told :], *again]:
            await self.post(event)
        self.ledger._told = len(self.ledger.events)
        for _ in range(8):
            await self.bot.service.reconciliation.run()
            await self.bot.work()
            self.bot.clock.advance(3_600)
        self.hearing.listen()

    async def last_questions(self) -> None:
        """When everything has been told, what people ask for equals the ledger; today, too."""
        for person in self.people[:8]:
            await self.donate(person)
        await self.tell_all()
        self.hearing.exact = True
        for person in self.people[:100]:
            for words in QUESTIONS:
                await self.ask(person, words)
        self.hearing.exact = False
        self.bot.clock.advance(5 * 24 * 3600)  # slips have run out
        await self.tell_all()

    async def tell_all(self) -> None:
        await self.bot.tell()
        await self.bot.service.reconciliation.run()
        await self.bot.work()
        self.hearing.listen()


def _link(sent: Sent) -> str:
    found = PAY.search(orjson.dumps(sent.messages))
    assert found is not None, sent.messages
    return found[0].decode()


@asynccontextmanager
async def a_month(clock: ManualClock, people: int) -> AsyncIterator[Month]:
    line = LineCounterpart(clock, TOKEN)
    async with served.serve(line) as outside:
        given = {"line_channel_secret": SECRET, "line_channel_token": TOKEN, "line_api_url": outside.url}
        async with at_stripe(clock, **given) as bot:
            bot.stripe.end.seconds = 0.0
            yield Month(bot, line, outside, people)


async def test_a_month_of_money_ends_as_the_ledger_says(clock: ManualClock) -> None:
    """Short: twelve days of four donations each."""
    async with a_month(clock, people=8) as month:
        await month.live(days=12, each=4)
        await compare(month, days=12)
        await compare_books(month)


@pytest.mark.torture
@pytest.mark.timeout(14400)
async def test_a_month_of_twenty_thousand_donations(clock: ManualClock, caplog: pytest.LogCaptureFixture) -> None:
    """About an hour; `--log-cli-level=INFO` tells of each day."""
    caplog.set_level(logging.WARNING)
    caplog.set_level(logging.INFO, "sekkei.month")
    async with a_month(clock, people=500) as month:
        await month.live(days=30, each=667)
        log.info("judged: %s", dict(month.hearing.counts))
        await compare(month, days=30)
        await compare_books(month)


async def compare(month: Month, days: int) -> None:
    """Donations, thanks, refusals, totals and stamps, beside the ledger."""
    bot, hearing = month.bot, month.hearing
    rows = {one.tx_id: one for person in month.people for one in await bot.donations(person)}
    kept_in_all = counted = 0
    for one in hearing.checkouts:
        found, charge = rows[one.session["id"]], hearing._charge(one)
        kept = bot.ledger.kept(charge) if charge else 0
        assert found.status is (Status.SUCCEEDED if charge else Status.FAILED), one
        assert found.kept == kept
        kept_in_all, counted = kept_in_all + kept, counted + (kept > 0)
    told = month.hearing.counts
    paid = sum(hearing._charge(one) is not None for one in hearing.checkouts)
    assert told["thanks.alt"] <= paid, "nobody is thanked for nothing"
    assert told["refunded"] > 0
    checks = [await bot.service.reports.check(TODAY + timedelta(days=age)) for age in range(days + 20)]
    assert [check.stored.day for check in checks if not check.agrees] == []
    assert sum(check.stored.amount for check in checks) == kept_in_all
    stamps = [await bot.service.mine.stamps(Donor(person)) for person in month.people]
    assert sum(sum(card.values()) for card in stamps) == counted


async def compare_books(month: Month) -> None:
    """Books, payouts, receipts and rankings, beside what Stripe itself adds up."""
    bot, service, ledger = month.bot, month.bot.service, month.ledger
    await service.books.take_over()
    moved = balance.listed(ledger.movements.values(), ledger.now())
    months = [await service.books.month(OPERATOR, f"2025-{number:02d}") for number in (8, 9, 10)]
    assert sum(found.total.net for found in months) == sum(one["net"] for one in moved if one["type"] != "payout")
    assert sum(found.total.fees for found in months) == sum(one["fee"] for one in moved)
    assert sum(found.paid_out for found in months) == -sum(one["amount"] for one in moved if one["type"] == "payout")
    assert all(payout.parts_net == -payout.amount for found in months for payout in found.payouts)
    mark = months[0].mark
    assert mark is not None
    assert mark.booked == mark.balance == sum(one["net"] for one in moved)
    await service.rankings.roll_up()
    kept = sum(ledger.kept(charge) for charge in ledger.charges.values())
    assert (await service.rankings.of("all")).amount == kept
    for person in month.people:
        donor = Donor(person)
        given = (await bot.service.mine.year(donor, 2025)).amount
        await service.details.keep(donor, "青木 葵", "千葉市")
        assert given == 0 or (await service.receipts.issue_year(donor, 2025)).amount == given
