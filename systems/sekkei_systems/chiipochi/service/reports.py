"""Totals, rankings, histories and files of donations, and the recount that proves the totals right."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import orjson

from sekkei import private
from sekkei.clock import Clock
from sekkei.design import Condition, ConditionFailed, Database, Field
from sekkei.kit.sheets import write
from sekkei.runtime.jobs import Progress
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import Payload
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    added_up,
    awards,
    day_totals,
    donations,
    donations_on,
    donations_on_shard,
    months_to_add_up,
    paid_on,
    period_totals,
    prefecture_totals,
    returns,
    total_of_day,
    totals_by_prefecture,
    totals_of_period,
)
from sekkei_systems.chiipochi.design.models import Award, DayTotal, Donation, PeriodTotal, PrefectureTotal, Status
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES, recipient_of
from sekkei_systems.chiipochi.service.donations import Donations
from sekkei_systems.chiipochi.texts import say
from sekkei_systems.days import JST

_REPAIRS_MAX = 5
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
        for _ in range(_REPAIRS_MAX):
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


# Donations as files for analysis: one folder a day, as Athena and DuckDB read them.
#
# exports/chiipochi/ndjson/dt=2025-08-20/donations.ndjson
#
# duckdb -c "SELECT dt, prefecture, sum(amount) FROM read_json_auto('data/exports/chiipochi/ndjson/*/*.ndjson',
#            hive_partitioning=true) WHERE status = 'SUCCEEDED' AND refunded_at IS NULL GROUP BY ALL ORDER BY 3 DESC"


_SPREADSHEET = ("when", "prefecture", "yen", "status", "payment", "refunded")
"""What people get; the heads stand in the texts' [csv]."""


def row(donation: Donation, key: bytes) -> dict[str, Any]:
    """A donation for analysis; the donor is a pseudonym, the same in every file."""
    return {
        "donor": hashlib.blake2b(donation.user_id.encode(), key=key, digest_size=8).hexdigest(),
        "created_at": _iso(donation.created_at),
        "dt": f"{donation.day}",
        "amount": donation.amount,
        "prefecture": donation.prefecture,
        "prefecture_iso": recipient_of(donation).iso,
        "status": donation.status.value,
        "tx_id": donation.tx_id,
        "refunded_at": _iso(donation.refunded_at) if donation.refunded_at is not None else None,
        "paid_at": _iso(donation.paid_at) if donation.paid_at is not None else None,
        "kept": donation.kept,
    }


def _iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


@dataclass
class Exports:
    settings: Settings
    reports: Reports

    @cached_property
    def folder(self) -> Path:
        return self.settings.data / "exports" / "chiipochi"

    @cached_property
    def key(self) -> bytes:
        return self.settings.secrets.key("chiipochi/exports")

    async def lines(self, day: date) -> AsyncIterator[bytes]:
        """A day's donations as NDJSON."""
        async for donation in self.reports.donations_on(day):
            yield orjson.dumps(row(donation, self.key)) + b"\n"

    async def write(self, day: date) -> Path:
        """Write a day's file anew; a reader sees the old one or the new one, never half of it."""
        path = self.folder / "ndjson" / f"dt={day}" / "donations.ndjson"
        await asyncio.to_thread(_replace, path, b"".join([line async for line in self.lines(day)]))
        return path

    def written(self) -> list[tuple[str, int]]:
        """Return the last 31 days that have files, newest first, with their sizes in bytes."""
        paths = sorted(self.folder.glob("ndjson/dt=*/donations.ndjson"), reverse=True)[:31]
        return [(path.parent.name.removeprefix("dt="), path.stat().st_size) for path in paths]


def _replace(path: Path, body: bytes) -> None:
    private.make_folder(path.parent)
    draft = path.with_suffix(".draft")
    draft.write_bytes(body)
    os.replace(draft, path)


def as_csv(donations: Iterable[Donation], language: str) -> bytes:
    """For people: a spreadsheet opens it, Japanese included."""
    heads = [say(language, f"csv.{column}") for column in _SPREADSHEET]
    return write([heads, *(_cells(donation, language) for donation in donations)])


def _cells(donation: Donation, language: str) -> list[object]:
    return [
        _local(donation.created_at),
        recipient_of(donation).name(language),
        donation.amount,
        donation.status.value,
        donation.tx_id,
        _local(donation.refunded_at) if donation.refunded_at is not None else None,
    ]


def _local(moment: datetime) -> str:
    return f"{moment.astimezone(JST):%Y-%m-%d %H:%M:%S}"


Period = Literal["day", "week", "month", "year", "all"]
ALL = "all"
WHOLE = "ALL"
"""The row of a period that stands for all prefectures, and says how far it is added up even when nobody gave."""
FIRST = date(2025, 1, 1)
"""Before that there was no ちいポチ."""
_MONTHS_AGAIN = 2
"""The month that goes on, and the one before, of which news can still come; changes of older ones are marked."""
_DAYS_ADDED_MAX = 31

log = logging.getLogger("sekkei_systems.chiipochi.rankings")


@dataclass
class Rankings:
    """Prefectures by week, month, year and all time.

    Every night the days are added up into months, and months into years. What is shown is that, and the days since.
    """

    db: Database
    clock: Clock

    async def of(self, period: Period) -> Day:
        """The totals of a period up to this moment."""
        today = days.today(self.clock)
        if period in ("day", "week"):
            first = today if period == "day" else today - timedelta(days=today.weekday())
            return _of_rows(today, await self._days(first, today))
        name = {"month": f"{today:%Y-%m}", "year": f"{today:%Y}", "all": ALL}[period]
        rows = await self.db.all(totals_of_period(name))
        since = max((row.through + timedelta(days=1) for row in rows), default=today.replace(day=1))
        fresh = await self._days(max(since, today - timedelta(days=_DAYS_ADDED_MAX)), today)
        return _of_rows(today, [*rows, *fresh])

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
        for _ in range(_MONTHS_AGAIN):
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
        found = _of_rows(through, rows)
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


def _of_rows(day: date, rows: Iterable[PrefectureTotal | PeriodTotal]) -> Day:
    amounts: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for row in rows:
        if row.prefecture == WHOLE:
            continue
        amounts[row.prefecture] += row.amount
        counts[row.prefecture] += row.count
    found = {code: Sum(amounts[code], counts[code]) for code in amounts if counts[code] or amounts[code]}
    return Day(day, sum(amounts.values()), sum(counts.values()), found)
