"""Prefectures by week, month, year and all time.

Every night the days are added up into months, and months into years. What is shown is that, and the days since.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime.jobs import Progress
from sekkei.runtime.system import Payload
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    added_up,
    months_to_add_up,
    period_totals,
    totals_by_prefecture,
    totals_of_period,
)
from sekkei_systems.chiipochi.design.models import PeriodTotal, PrefectureTotal
from sekkei_systems.chiipochi.service.reports import Day, Sum

Period = Literal["day", "week", "month", "year", "all"]
ALL = "all"
WHOLE = "ALL"
"""The row of a period that stands for all prefectures, and says how far it is added up even when nobody gave."""
FIRST = date(2025, 1, 1)
"""Before that there was no ちいポチ."""
MONTHS_AGAIN = 2
"""The month that goes on, and the one before, of which news can still come; changes of older ones are marked."""
DAYS_ADDED_MAX = 31

log = logging.getLogger("sekkei_systems.chiipochi.rankings")


@dataclass
class Rankings:
    db: Database
    clock: Clock

    async def of(self, period: Period) -> Day:
        """The totals of a period up to this moment."""
        today = days.today(self.clock)
        if period in ("day", "week"):
            first = today if period == "day" else today - timedelta(days=today.weekday())
            return _added_up(today, await self._days(first, today))
        name = {"month": f"{today:%Y-%m}", "year": f"{today:%Y}", "all": ALL}[period]
        rows = await self.db.all(totals_of_period(name))
        since = max((row.through + timedelta(days=1) for row in rows), default=today.replace(day=1))
        fresh = await self._days(max(since, today - timedelta(days=DAYS_ADDED_MAX)), today)
        return _added_up(today, [*rows, *fresh])

    async def _days(self, first: date, last: date) -> list[PrefectureTotal]:
        wanted = [first + timedelta(days=age) for age in range((last - first).days + 1)]
        found = await asyncio.gather(*(self.db.all(totals_by_prefecture(day)) for day in wanted))
        return [row for rows in found for row in rows]

    # By the clock

    async def roll_up(self) -> None:
        """The last months anew and any that has changed since, then their years, and all of them."""
        stale = await self.db.all(months_to_add_up().consistent())
        months = {found.month for found in stale} | set(self._last_months())
        for month in sorted(months):
            await self._month(month)
        await self._years(min(months).year)
        for found in stale:
            try:
                await self.db.write(added_up(found))
            except ConditionFailed:
                log.info("a month changed while it was added up", extra={"month": f"{found.month}"})

    def _last_months(self) -> Iterator[date]:
        month = days.today(self.clock).replace(day=1)
        for _ in range(MONTHS_AGAIN):
            yield month
            month = (month - timedelta(days=1)).replace(day=1)

    async def step(self, payload: Payload, cursor: str | None) -> Progress:
        """One month of a job that adds up everything from the beginning."""
        month = date.fromisoformat(cursor) if cursor else FIRST
        await self._month(month)
        following = (month + timedelta(days=31)).replace(day=1)
        if following <= days.today(self.clock):
            return Progress(1, f"{following}")
        await self._years(FIRST.year)
        return Progress(1)

    async def _month(self, first: date) -> None:
        """The days of a month that are over."""
        last = min((first + timedelta(days=31)).replace(day=1), days.today(self.clock)) - timedelta(days=1)
        if first >= FIRST and last >= first:
            await self._write(f"{first:%Y-%m}", await self._days(first, last), last)

    async def _years(self, first: int) -> None:
        through = days.today(self.clock) - timedelta(days=1)
        for year in range(max(first, FIRST.year), through.year + 1):
            months = [f"{year}-{month:02d}" for month in range(1, 13)]
            await self._write(f"{year}", await self._periods(months), min(through, date(year, 12, 31)))
        years = [f"{year}" for year in range(FIRST.year, through.year + 1)]
        await self._write(ALL, await self._periods(years), through)

    async def _periods(self, names: Iterable[str]) -> list[PeriodTotal]:
        found = await asyncio.gather(*(self.db.all(totals_of_period(name).consistent()) for name in names))
        return [row for rows in found for row in rows]

    async def _write(self, period: str, rows: Iterable[PrefectureTotal | PeriodTotal], through: date) -> None:
        """Also for prefectures whose money has all gone back since: they stay, with nothing."""
        found = _added_up(through, rows)
        sums = {**found.prefectures, WHOLE: Sum(found.amount, found.count)}
        before = {row.prefecture for row in await self.db.all(totals_of_period(period).consistent())}
        await self.db.write_many(
            period_totals.put(
                PeriodTotal(
                    period=period,
                    prefecture=code,
                    amount=sums.get(code, Sum()).amount,
                    count=sums.get(code, Sum()).count,
                    through=through,
                )
            )
            for code in sorted(before | sums.keys())
        )


def _added_up(day: date, rows: Iterable[PrefectureTotal | PeriodTotal]) -> Day:
    amounts: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for row in rows:
        if row.prefecture == WHOLE:
            continue
        amounts[row.prefecture] += row.amount
        counts[row.prefecture] += row.count
    found = {code: Sum(amounts[code], counts[code]) for code in amounts if counts[code] or amounts[code]}
    return Day(day, sum(amounts.values()), sum(counts.values()), found)
