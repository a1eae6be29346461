"""Totals, rankings and histories: what people ask for, and the recount that proves the totals right."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

from sekkei.clock import Clock
from sekkei.design import Condition, ConditionFailed, Database, Field
from sekkei_systems.chiipochi.design import (
    awards,
    day_totals,
    donations,
    donations_on,
    donations_on_shard,
    paid_on,
    prefecture_totals,
    returns,
    total_of_day,
    totals_by_prefecture,
)
from sekkei_systems.chiipochi.design.models import Award, DayTotal, Donation, PrefectureTotal, Status
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from sekkei_systems.chiipochi.service.donations import Donations

REPAIRS_MAX = 5
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Sum:
    """Donations added up; only money that arrived and stayed counts, what waits stands beside it."""

    amount: int = 0
    count: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True)
class Day:
    """One day's totals."""

    day: date
    amount: int
    count: int
    prefectures: dict[str, Sum] = field(default_factory=dict)

    @property
    def ranking(self) -> list[tuple[str, Sum]]:
        """Prefecture codes, the most generous first; appeals are not among them."""
        found = [(code, total) for code, total in self.prefectures.items() if code in PREFECTURES]
        return sorted(found, key=lambda found: (-found[1].amount, -found[1].count, found[0]))


@dataclass(frozen=True, slots=True)
class Check:
    """A day's totals beside a recount of its donations."""

    stored: Day
    counted: Day
    donors: int = 0

    @property
    def agrees(self) -> bool:
        return self.stored == self.counted


@dataclass
class Reports:
    db: Database
    clock: Clock
    donations: Donations

    async def day(self, day: date, *, consistent: bool = False) -> Day:
        """A day's totals as they are kept."""
        whole, each = total_of_day(day), totals_by_prefecture(day)
        if consistent:
            whole, each = whole.consistent(), each.consistent()
        total = await self.db.get(whole) or DayTotal(day=day)
        rows = await self.db.all(each)
        # What was given back can leave a row of nothing.
        given = {row.prefecture: Sum(row.amount, row.count) for row in rows if row.count or row.amount}
        return Day(day, total.amount, total.count, given)

    async def amounts(self, wanted: Sequence[date]) -> list[tuple[date, int]]:
        """The totals of several days."""
        found = await self.db.get_many([total_of_day(day) for day in wanted])
        return [(day, 0 if total is None else total.amount) for day, total in zip(wanted, found, strict=True)]

    async def donations_on(self, day: date) -> AsyncIterator[Donation]:
        """Every donation of a day, read through GSI1."""
        async for donation in self.db.each(donations_on(day)):
            yield donation
        for shard in range(self.donations.day_shards):
            async for donation in self.db.each(donations_on_shard(day, shard)):
                yield donation

    async def paid_on(self, day: date) -> AsyncIterator[Donation]:
        """Every donation whose money came on a day. Rows of before, which do not say when, count for the day they
        were made on."""
        for shard in range(max(1, self.donations.day_shards)):
            rows = await self.db.all(paid_on(day, shard).consistent())
            found = await self.db.get_many([donations(row.user_id, row.created_at).consistent() for row in rows])
            for donation in found:
                if donation is not None and donation.paid_day == day:
                    yield donation
        async for donation in self.donations_on(day):
            if donation.status is Status.SUCCEEDED and donation.paid_at is None:
                yield donation

    async def recount(self, day: date) -> Day:
        """The same totals, counted from the donations themselves."""
        return (await self._counted(day))[0]

    async def _counted(self, day: date) -> tuple[Day, int]:
        return _added_up(day, [(donation, donation.kept) async for donation in self.paid_on(day)])

    async def _awarded(self, day: date) -> tuple[Day, int]:
        """What the stream has added to a day's totals so far. A donation that it has yet to tell of is not in them."""
        found = [donation async for donation in self.paid_on(day)]
        there = await self.db.get_many([awards(one.user_id, one.created_at).consistent() for one in found])
        pairs = zip(found, there, strict=True)
        yen = [(one, 0 if award is None else await counted_yen(self.db, one, award)) for one, award in pairs]
        return _added_up(day, yen)

    async def check(self, day: date) -> Check:
        counted, donors = await self._counted(day)
        return Check(await self.day(day, consistent=True), counted, donors)

    async def repair(self, day: date) -> Check:
        """Make a day's totals what the awards say, unless they change meanwhile; then count again. Not what the
        donations say: one that the stream has not told of yet would be counted twice."""
        for _ in range(REPAIRS_MAX):
            counted, donors = await self._awarded(day)
            found = Check(await self.day(day, consistent=True), counted, donors)
            if found.agrees:
                break
            await self._repair(found)
        return await self.check(day)

    async def _repair(self, found: Check) -> None:
        day, stored, counted = found.stored.day, found.stored, found.counted
        whole = day_totals.upsert(day).set(DayTotal.amount, counted.amount).set(DayTotal.count, counted.count)
        try:
            await self.db.write(whole.when(_still(DayTotal.amount, stored.amount)))
            for code in sorted(stored.prefectures.keys() | counted.prefectures.keys()):
                old, new = stored.prefectures.get(code, Sum()), counted.prefectures.get(code, Sum())
                if new.count == 0:
                    await self.db.write(
                        prefecture_totals.delete(day, code).when(_still(PrefectureTotal.amount, old.amount))
                    )
                elif old != new:
                    await self.db.write(
                        prefecture_totals.upsert(day, code)
                        .set(PrefectureTotal.amount, new.amount)
                        .set(PrefectureTotal.count, new.count)
                        .when(_still(PrefectureTotal.amount, old.amount))
                    )
        except ConditionFailed:
            return  # somebody donated meanwhile; the next count sees it


def _added_up(day: date, found: Sequence[tuple[Donation, int]]) -> tuple[Day, int]:
    """A day of donations with the yen that count of each; and how many donors."""
    amounts: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    donors: set[str] = set()
    for donation, yen in found:
        if yen > 0:
            amounts[donation.prefecture] += yen
            counts[donation.prefecture] += 1
            donors.add(donation.user_id)
    rows = {code: Sum(amounts[code], counts[code]) for code in counts}
    return Day(day, sum(amounts.values()), sum(counts.values()), rows), len(donors)


async def counted_yen(db: Database, donation: Donation, award: Award) -> int:
    """What an award stands for. One of before does not say: all of it, unless its refund left the totals."""
    if award.amount is not None:
        return award.amount
    gone = await db.get(returns(donation.user_id, donation.created_at).consistent())
    return donation.amount if gone is None else 0


def _still(amount: Field[M, int], value: int) -> Condition[M]:
    """The total is what it was when it was read; a row that is not there counts as nothing."""
    return (amount == value) if value else (amount.absent() | (amount == 0))
