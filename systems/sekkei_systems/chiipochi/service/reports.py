"""Totals, rankings and histories: what people ask for, and the recount that proves the totals right."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TypeVar

from sekkei.clock import Clock
from sekkei.design import Condition, ConditionFailed, Database, Field, Page
from sekkei.runtime import days
from sekkei_systems.chiipochi.design import (
    day_totals,
    donations,
    donations_of_user_on,
    donations_on,
    donations_on_shard,
    history_of_user,
    prefecture_totals,
    stamp_card,
    total_of_day,
    totals_by_prefecture,
)
from sekkei_systems.chiipochi.design.models import DayTotal, Donation, PrefectureTotal, Status

REPAIRS_MAX = 5
STREAK_MAX = 120
"""Months; whoever has given for longer is said to have given for so long."""
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
        """Prefecture codes, the most generous first."""
        return sorted(self.prefectures.items(), key=lambda found: (-found[1].amount, -found[1].count, found[0]))


@dataclass(frozen=True, slots=True)
class Check:
    """A day's totals beside a recount of its donations."""

    stored: Day
    counted: Day

    @property
    def agrees(self) -> bool:
        return self.stored == self.counted


@dataclass(frozen=True, slots=True)
class Year:
    year: int
    amount: int
    count: int
    prefectures: dict[str, int]
    months: list[int]

    @property
    def favourites(self) -> list[tuple[str, int]]:
        """Prefecture codes with their yen, the most first."""
        return sorted(self.prefectures.items(), key=lambda found: (-found[1], found[0]))


def add_up(found: Iterable[Donation]) -> Sum:
    amount = count = pending = 0
    for donation in found:
        if donation.counts:
            amount, count = amount + donation.amount, count + 1
        elif donation.status is Status.PENDING:
            pending += donation.amount
    return Sum(amount, count, pending)


class Reports:
    """`day_shards`: over how many partitions a day's donations are spread; 0 is the document's single one."""

    def __init__(self, db: Database, clock: Clock, day_shards: int = 0) -> None:
        self._db, self._clock, self._day_shards = db, clock, day_shards

    # One person

    async def mine_today(self, user_id: str) -> Sum:
        return add_up(await self._db.all(donations_of_user_on(user_id, days.today(self._clock)).consistent()))

    async def history(self, user_id: str, after: str | None = None, size: int = 20) -> Page[Donation]:
        return await self._db.page(history_of_user(user_id), size=size, after=after)

    async def stamps(self, user_id: str) -> dict[str, int]:
        return {stamp.prefecture: stamp.count for stamp in await self._db.all(stamp_card(user_id))}

    async def year(self, user_id: str, year: int) -> Year:
        """What somebody gave in one year (Japan's calendar)."""
        first, last = days.start_of(date(year, 1, 1)), days.start_of(date(year + 1, 1, 1))
        query = donations.where(
            Donation.user_id == user_id, Donation.created_at.between(first, last - timedelta(milliseconds=1))
        )
        prefectures: Counter[str] = Counter()
        months = [0] * 12
        count = 0
        async for donation in self._db.each(query):
            if donation.counts:
                prefectures[donation.prefecture] += donation.amount
                months[days.day_of(donation.created_at).month - 1] += donation.amount
                count += 1
        return Year(year, sum(months), count, dict(prefectures), months)

    async def streak(self, user_id: str) -> int:
        """For how many months in a row somebody has given; this month need not have come to it yet."""
        years: dict[int, list[int]] = {}

        async def gave(month: int) -> bool:
            year, place = divmod(month, 12)
            if year not in years:
                years[year] = (await self.year(user_id, year)).months
            return years[year][place] > 0

        today = days.today(self._clock)
        last = today.year * 12 + today.month - 1
        if not await gave(last):
            last -= 1
        count = 0
        while count < STREAK_MAX and await gave(last - count):
            count += 1
        return count

    async def receipt(self, user_id: str, created_at: datetime) -> Donation | None:
        """The donation a receipt can be written for."""
        found = await self._db.get(donations(user_id, created_at))
        return found if found is not None and found.status is Status.SUCCEEDED else None

    async def all_of(self, user_id: str) -> AsyncIterator[Donation]:
        async for donation in self._db.each(history_of_user(user_id)):
            yield donation

    # Everybody

    async def day(self, day: date, *, consistent: bool = False) -> Day:
        """A day's totals as they are kept."""
        whole, each = total_of_day(day), totals_by_prefecture(day)
        if consistent:
            whole, each = whole.consistent(), each.consistent()
        total = await self._db.get(whole) or DayTotal(day=day)
        rows = await self._db.all(each)
        # What was given back can leave a row of nothing.
        given = {row.prefecture: Sum(row.amount, row.count) for row in rows if row.count or row.amount}
        return Day(day, total.amount, total.count, given)

    async def amounts(self, wanted: Sequence[date]) -> list[tuple[date, int]]:
        """The totals of several days."""
        found = await self._db.get_many([total_of_day(day) for day in wanted])
        return [(day, 0 if total is None else total.amount) for day, total in zip(wanted, found, strict=True)]

    async def donations_on(self, day: date) -> AsyncIterator[Donation]:
        """Every donation of a day, read through GSI1."""
        async for donation in self._db.each(donations_on(day)):
            yield donation
        for shard in range(self._day_shards):
            async for donation in self._db.each(donations_on_shard(day, shard)):
                yield donation

    async def donors_on(self, day: date) -> list[str]:
        """Who donated on a day, each once."""
        return sorted({found.user_id async for found in self.donations_on(day) if found.counts})

    async def recount(self, day: date) -> Day:
        """The same totals, counted from the donations themselves."""
        amounts: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        async for donation in self.donations_on(day):
            if donation.counts:
                amounts[donation.prefecture] += donation.amount
                counts[donation.prefecture] += 1
        rows = {code: Sum(amounts[code], counts[code]) for code in counts}
        return Day(day, sum(amounts.values()), sum(counts.values()), rows)

    async def check(self, day: date) -> Check:
        return Check(await self.day(day, consistent=True), await self.recount(day))

    async def repair(self, day: date) -> Check:
        """Make a day's totals what the recount says, unless they change meanwhile; then count again."""
        found = await self.check(day)
        for _ in range(REPAIRS_MAX):
            if found.agrees:
                break
            await self._repair(found)
            found = await self.check(day)
        return found

    async def _repair(self, found: Check) -> None:
        day, stored, counted = found.stored.day, found.stored, found.counted
        whole = day_totals.upsert(day).set(DayTotal.amount, counted.amount).set(DayTotal.count, counted.count)
        try:
            await self._db.write(whole.when(_still(DayTotal.amount, stored.amount)))
            for code in stored.prefectures.keys() | counted.prefectures.keys():
                old, new = stored.prefectures.get(code, Sum()), counted.prefectures.get(code, Sum())
                if new.count == 0:
                    await self._db.write(
                        prefecture_totals.delete(day, code).when(_still(PrefectureTotal.amount, old.amount))
                    )
                elif old != new:
                    await self._db.write(
                        prefecture_totals.upsert(day, code)
                        .set(PrefectureTotal.amount, new.amount)
                        .set(PrefectureTotal.count, new.count)
                        .when(_still(PrefectureTotal.amount, old.amount))
                    )
        except ConditionFailed:
            return  # somebody donated meanwhile; the next count sees it


def _still(amount: Field[M, int], value: int) -> Condition[M]:
    """The total is what it was when it was read; a row that is not there counts as nothing."""
    return (amount == value) if value else (amount.absent() | (amount == 0))
