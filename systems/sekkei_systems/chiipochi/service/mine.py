"""One donor's own donations, stamps and years; the proof says whose."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from sekkei.clock import Clock
from sekkei.design import Database, Page
from sekkei_systems import days
from sekkei_systems.chiipochi.design import donations, donations_of_user_between, history_of_user, pledges, stamp_card
from sekkei_systems.chiipochi.design.models import Donation, Pledge, Status
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES, Prefecture, recipient_of
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.reports import Sum

LATE = timedelta(days=61)
"""A convenience store takes money for sixty days at most."""
STREAK_MAX = 120
"""Months; whoever has given for longer is said to have given for so long."""


@dataclass(frozen=True, slots=True)
class Year:
    year: int
    amount: int
    count: int
    prefectures: dict[str, int]
    months: list[int]
    names: dict[str, Prefecture] = field(default_factory=dict)

    @property
    def favourites(self) -> list[tuple[str, int]]:
        """Prefecture codes with their yen, the most first."""
        return sorted(self.prefectures.items(), key=lambda found: (-found[1], found[0]))


@dataclass(frozen=True, slots=True)
class Overview:
    year: Year
    today: Sum
    streak: int


def _add_up(found: Iterable[Donation], day: date) -> Sum:
    """What came on a day and stayed, and what still waits."""
    amount = count = pending = 0
    for donation in found:
        if donation.counts and donation.paid_day == day:
            amount, count = amount + donation.kept, count + 1
        elif donation.status is Status.PENDING:
            pending += donation.amount
    return Sum(amount, count, pending)


def _year(found: Iterable[Donation], year: int) -> Year:
    prefectures: Counter[str] = Counter()
    months = [0] * 12
    count = 0
    names: dict[str, Prefecture] = {}
    for donation in found:
        if donation.counts and donation.paid_day.year == year:
            names[donation.prefecture] = recipient_of(donation)
            prefectures[donation.prefecture] += donation.kept
            months[donation.paid_day.month - 1] += donation.kept
            count += 1
    return Year(year, sum(months), count, dict(prefectures), months, names)


@dataclass
class Mine:
    db: Database
    clock: Clock

    async def today(self, donor: Donor) -> Sum:
        """Money that came today, also for a donation of last week."""
        today = days.today(self.clock)
        found = await self.db.all(donations_of_user_between(donor.user_id, today - LATE, today).consistent())
        return _add_up(found, today)

    async def history(self, donor: Donor, after: str | None = None, size: int = 20) -> Page[Donation]:
        return await self.db.page(history_of_user(donor.user_id), size=size, after=after)

    async def stamps(self, donor: Donor) -> dict[str, int]:
        found = await self.db.all(stamp_card(donor.user_id))
        return {stamp.prefecture: stamp.count for stamp in found if stamp.count > 0 and stamp.prefecture in PREFECTURES}

    async def year(self, donor: Donor, year: int) -> Year:
        """What somebody gave in one year (Japan's calendar)."""
        query = donations_of_user_between(donor.user_id, date(year, 1, 1) - LATE, date(year, 12, 31))
        return _year(await self.db.all(query), year)

    async def overview(self, donor: Donor) -> Overview:
        """This year, today and the months in a row, out of one look at the donations."""
        today = days.today(self.clock)
        query = donations_of_user_between(donor.user_id, date(today.year, 1, 1) - LATE, today)
        found = await self.db.all(query.consistent())
        year = _year(found, today.year)
        return Overview(year, _add_up(found, today), await self._streak(donor, {today.year: year.months}))

    async def streak(self, donor: Donor) -> int:
        """For how many months in a row somebody has given; this month need not have come to it yet."""
        return await self._streak(donor, {})

    async def _streak(self, donor: Donor, years: dict[int, list[int]]) -> int:
        """`years` are the months that are known already."""

        async def gave(month: int) -> bool:
            year, place = divmod(month, 12)
            if year not in years:
                years[year] = (await self.year(donor, year)).months
            return years[year][place] > 0

        today = days.today(self.clock)
        last = today.year * 12 + today.month - 1
        if not await gave(last):
            last -= 1
        count = 0
        while count < STREAK_MAX and await gave(last - count):
            count += 1
        return count

    async def receipt(self, donor: Donor, created_at: datetime) -> Donation | None:
        """The donation a receipt can be written for."""
        found = await self.db.get(donations(donor.user_id, created_at))
        return found if found is not None and found.status is Status.SUCCEEDED else None

    async def all(self, donor: Donor) -> AsyncIterator[Donation]:
        async for donation in self.db.each(history_of_user(donor.user_id)):
            yield donation

    async def pledge(self, donor: Donor) -> Pledge | None:
        return await self.db.get(pledges(donor.user_id))
