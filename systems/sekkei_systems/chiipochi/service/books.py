"""The books: what moved in the account at the provider, by month and by whom it was given to.

A job takes every movement over once. A month that is closed is frozen: what the provider tells of it afterwards, or
what goes back later, is booked in the first month that is open. Payouts and the balance are compared with the
provider's.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed, replace
from sekkei.runtime.refusals import Conflict
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    SYNC,
    book,
    book_mark,
    book_marks,
    book_together,
    close_month,
    closed_months,
    donations,
    entries_of,
    is_booked,
    order_of_payment,
)
from sekkei_systems.chiipochi.design.models import JST, BookEntry, BookMark, BookMonth, Donation
from sekkei_systems.chiipochi.ports.payments import Movement, Provider
from sekkei_systems.chiipochi.refusals import MonthNotOver
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.donations import donation_key
from sekkei_systems.chiipochi.service.receipts import Details

_BEGINNING = datetime(2025, 1, 1, tzinfo=UTC)
OVERLAP = timedelta(days=2)
"""Looked at again: a movement may be told a little late."""
MARKED = timedelta(days=1)
"""So often it is written down how far the books are, while nothing moves."""
OTHER = "OTHER"
_MONTHS_TRIED = 24
TOGETHER = 40
"""Two items each, and a transaction takes a hundred."""

log = logging.getLogger("sekkei_systems.chiipochi.books")


@dataclass(slots=True)
class Line:
    """The sums of one recipient in a month."""

    recipient: str
    gross: int = 0
    fees: int = 0
    refunds: int = 0
    disputes: int = 0
    count: int = 0

    @property
    def net(self) -> int:
        return self.gross + self.refunds + self.disputes - self.fees

    def add(self, entry: BookEntry) -> None:
        self.fees += entry.fee
        match entry.kind:
            case "charge":
                self.gross, self.count = self.gross + entry.amount, self.count + 1
            case "refund":
                self.refunds += entry.amount
            case "dispute":
                self.disputes += entry.amount
            case _:
                self.gross += entry.amount


@dataclass(frozen=True, slots=True)
class Month:
    month: str
    lines: list[Line]
    payouts: list[BookEntry]
    closed: BookMonth | None = None
    mark: BookMark | None = None

    @property
    def total(self) -> Line:
        found = Line("")
        for line in self.lines:
            found.gross, found.fees, found.count = (
                found.gross + line.gross,
                found.fees + line.fees,
                found.count + line.count,
            )
            found.refunds, found.disputes = found.refunds + line.refunds, found.disputes + line.disputes
        return found

    @property
    def paid_out(self) -> int:
        return -sum(entry.amount for entry in self.payouts)


@dataclass(frozen=True, slots=True)
class Posting:
    """An entry with its donor, for the accountant."""

    entry: BookEntry
    donation: Donation | None
    name: str = field(default="")


def month_of(moment: datetime) -> str:
    return f"{moment.astimezone(JST):%Y-%m}"


@dataclass
class Books:
    db: Database
    clock: Clock
    provider: Provider
    details: Details

    # Taking over

    async def take_over(self) -> int:
        """Book what has moved since the last time; how many movements were new."""
        now = days.now(self.clock)
        mark = await self.db.get(book_mark(SYNC))
        since = mark.through - OVERLAP if mark and mark.through else _BEGINNING
        found = [movement async for movement in self.provider.movements(since, now + timedelta(seconds=1))]
        fresh = 0
        for kind in (False, True):  # payouts last: by then their parts are in the books
            some = sorted((one for one in found if (one.kind == "payout") is kind), key=lambda one: (one.at, one.id))
            for start in range(0, len(some), TOGETHER):
                fresh += await self._take(some[start : start + TOGETHER])
        balance = await self.provider.balance()
        if mark is None or mark.through is None or fresh or mark.balance != balance or now - mark.through >= MARKED:
            through = book_marks.upsert(SYNC).set(BookMark.through, now).set(BookMark.balance, balance)
            mark = await self.db.write(through)
        if mark.booked != balance:
            log.warning("the books differ from the provider's balance", extra={"balance": balance, "ours": mark.booked})
        return fresh

    async def _take(self, some: Sequence[Movement]) -> int:
        """Several in a transaction; where that fails (a month is closed, somebody was quicker), each alone."""
        known = await self.db.get_many([is_booked(one.id) for one in some])
        new = [one for one, mark in zip(some, known, strict=True) if mark is None]
        entries = await self._entries(new)
        done = 0
        for month in sorted({entry.month for entry in entries}):
            of_month = [entry for entry in entries if entry.month == month]
            try:
                await self.db.transact(book_together(of_month))
                done += len(of_month)
            except TransactionFailed:
                done += sum([await self._book(entry) for entry in of_month])
        return done

    async def _book(self, entry: BookEntry) -> bool:
        for month in _months_from(entry.month):
            action = book(replace(entry, month=month))
            try:
                await self.db.transact(action)
            except TransactionFailed as failed:
                if failed.failed(action.actions[0]):
                    return False  # somebody else was quicker
                continue  # this month is closed
            return True
        raise Conflict()

    async def _entries(self, new: Sequence[Movement]) -> list[BookEntry]:
        given = await self._donations([(one.payment_ref, one.order_id) for one in new])
        return [
            BookEntry(
                month=month_of(one.at),
                at=one.at,
                movement=one.id,
                kind=one.kind,
                recipient=donation.prefecture if donation is not None else OTHER,
                amount=one.amount,
                fee=one.fee,
                payment_ref=one.payment_ref,
                payout_id=one.payout_id or None,
                parts_net=await self._parts(one) if one.payout_id else None,
            )
            for one, donation in zip(new, given, strict=True)
        ]

    async def _donations(self, wanted: Sequence[tuple[str | None, str]]) -> list[Donation | None]:
        """By the payment; by our order where the provider told of the money before we wrote it down."""
        refs = sorted({ref for ref, _ in wanted if ref})
        orders = dict(zip(refs, await self.db.get_many([order_of_payment(ref) for ref in refs]), strict=True))
        keys: list[tuple[str, datetime] | None] = []
        for ref, order_id in wanted:
            order = orders.get(ref) if ref else None
            keys.append(donation_key(order_id) if order is None else (order.user_id, order.created_at))
        some = sorted({key for key in keys if key})
        found = dict(zip(some, await self.db.get_many([donations(*key).consistent() for key in some]), strict=True))
        return [found.get(key) if key else None for key in keys]

    async def _parts(self, payout: Movement) -> int:
        """What the parts of a payout add up to in our books; the provider says the same, or somebody must look."""
        names = await self.provider.parts_of(payout.payout_id)
        found = await self.db.get_many([is_booked(name) for name in names])
        return sum(one.net for one in found if one is not None)

    # Looking

    async def month(self, operator: Operator, month: str) -> Month:
        entries = await self.db.all(entries_of(month))
        closed = {found.month: found for found in await self.db.all(closed_months())}
        payouts = [entry for entry in entries if entry.kind == "payout"]
        return Month(month, added_up(entries), payouts, closed.get(month), await self.db.get(book_mark(SYNC)))

    async def postings(self, operator: Operator, month: str) -> AsyncIterator[Posting]:
        """Every entry of a month with its donor; names where a donor has given one."""
        names: dict[str, str] = {}
        entries = await self.db.all(entries_of(month))
        given = await self._donations([(entry.payment_ref, "") for entry in entries])
        for entry, donation in zip(entries, given, strict=True):
            if donation is not None and donation.user_id not in names:
                person = await self.details.of(Donor(donation.user_id))
                names[donation.user_id] = person.name if person else ""
            yield Posting(entry, donation, names[donation.user_id] if donation else "")

    # Closing

    async def close(self, operator: Operator, month: str) -> None:
        """Freeze a month that is over and wholly taken over; closing it twice is closing it once."""
        await self.take_over()
        if month >= month_of(days.now(self.clock)):
            raise MonthNotOver()
        closed = BookMonth(month=month, closed_at=days.now(self.clock), closed_by=operator.id)
        try:
            await self.db.write(close_month(closed))
            log.warning("a month was closed", extra={"month": month, "by": operator.id})
        except ConditionFailed:
            log.info("a month was closed before", extra={"month": month})


def added_up(entries: Iterable[BookEntry]) -> list[Line]:
    """By recipient; payouts stand apart."""
    found: dict[str, Line] = {}
    for entry in entries:
        if entry.kind != "payout":
            found.setdefault(entry.recipient, Line(entry.recipient)).add(entry)
    return sorted(found.values(), key=lambda line: (-line.net, line.recipient))


def _months_from(month: str) -> Sequence[str]:
    """This month and those after it; the first that is open takes an entry."""
    day, found = date.fromisoformat(f"{month}-01"), []
    for _ in range(_MONTHS_TRIED):
        found.append(f"{day:%Y-%m}")
        day = (day + timedelta(days=31)).replace(day=1)
    return found
