"""Receipts: issued on request, one for a donation or one for a year, numbered without gaps.

Each yen is on one valid receipt at most: a year's receipt replaces those of single donations. When money goes back, the
receipt is cancelled; whoever asks again gets one for what is left, under the next number.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sekkei.design import ConditionFailed, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.refusals import Conflict, NotThere
from sekkei.runtime.system import Context
from sekkei_systems.chiipochi.design import (
    LAST,
    cancel_receipt,
    donations,
    donations_of_user_between,
    issue_receipt,
    last_number,
    receipt_in_force,
    receipt_of,
    receipts,
    receipts_for,
    receipts_of_user,
    register_of,
)
from sekkei_systems.chiipochi.design.models import Donation
from sekkei_systems.chiipochi.design.models_books import FIRST, Receipt, receipt_key
from sekkei_systems.chiipochi.refusals import DetailsMissing, InYearsReceipt, NoOrganisation, NothingToReceipt
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.details import Details, Person
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.mine import LATE

TRIES_MAX = 8
FIRST_YEAR = 2025
"""Before that there was no ちいポチ."""
REPLACED_MAX = 90
"""Single receipts that a year's can replace at once; a transaction takes a hundred."""

log = logging.getLogger("sekkei_systems.chiipochi.receipts")


@dataclass(frozen=True, slots=True)
class Issued:
    """A receipt with the person it is for."""

    receipt: Receipt
    person: Person | None


def of_year(year: int) -> str:
    return f"YEAR-{year}"


def of_donation(donation: Donation) -> str:
    return f"DONATION-{order_id_of(donation.user_id, donation.created_at).partition('|')[2]}"


class Receipts:
    def __init__(self, context: Context, organisation: Organisation, details: Details) -> None:
        self._db, self._clock, self._details = context.db, context.clock, details
        self._organisation, self._sample = organisation, context.settings.demo

    # Issuing

    async def issue(self, donor: Donor, created_at: datetime) -> Receipt:
        """For one donation."""

        async def given() -> list[Donation]:
            found = await self._db.get(donations(donor.user_id, created_at).consistent())
            if found is None:
                raise NotThere()
            return [found]

        (donation,) = await given()
        whole = await self._valid(donor, of_year(donation.paid_day.year))
        if whole is not None and _covers(whole, donation):
            raise InYearsReceipt()
        return await self._issue(donor, of_donation(donation), given)

    async def issue_year(self, donor: Donor, year: int) -> Receipt:
        """For everything that came in a year."""
        query = donations_of_user_between(donor.user_id, date(year, 1, 1) - LATE, date(year, 12, 31)).consistent()

        async def given() -> list[Donation]:
            return [donation for donation in await self._db.all(query) if donation.paid_day.year == year]

        return await self._issue(donor, of_year(year), given)

    async def _issue(self, donor: Donor, what: str, read: Callable[[], Awaitable[list[Donation]]]) -> Receipt:
        """Looked at again after it was written: money that went back meanwhile has found no receipt to cancel."""
        given = _counting(await read())
        for _ in range(TRIES_MAX):
            issued = await self._next(donor, what, given, await self._person(donor, given))
            before, given = given, _counting(await read())
            if issued is not None and _lines(given) == _lines(before):
                return issued
            if issued is not None and not given:
                await self._cancel(issued)
        raise Conflict()

    async def _person(self, donor: Donor, given: Sequence[Donation]) -> Person:
        """Whom a receipt can be made out to, if there is anything to make it out for."""
        if not given:
            raise NothingToReceipt()
        person = await self._details.of(donor)
        if person is None:
            raise DetailsMissing(field="name")
        if not self._organisation.name and not self._sample:
            raise NoOrganisation()
        return person

    async def _next(self, donor: Donor, what: str, given: Sequence[Donation], person: Person) -> Receipt | None:
        """None when somebody was quicker."""
        current = await self._valid(donor, what)
        amount, lines = sum(one.kept for one in given), _lines(given)
        if current is not None and (current.amount, current.lines, self.person(current)) == (amount, lines, person):
            return current
        now, before = days.now(self._clock), await self._db.get(receipt_in_force(donor.user_id, LAST))
        year = days.today(self._clock).year
        counter = await self._db.get(last_number(year))
        receipt = Receipt(
            year=year,
            number=(counter.last if counter else 0) + 1,
            user_id=donor.user_id,
            what=what,
            amount=amount,
            lines=lines,
            paid_from=min(one.paid_day for one in given),
            paid_to=max(one.paid_day for one in given),
            sender=self._organisation.facts,
            sealed=self._details.sealed(person, donor.user_id),
            issued_at=now,
            before=before.code if before else FIRST,
        )
        replaced = [*([current] if current else []), *await self._singles(donor, what, given)]
        try:
            cancelled = [cancel_receipt(found, now, receipt.code) for found in replaced]
            await self._db.transact(issue_receipt(receipt, before), *cancelled)
        except TransactionFailed:
            return None
        return receipt

    async def _singles(self, donor: Donor, what: str, given: Sequence[Donation]) -> list[Receipt]:
        """Receipts of single donations that a year's replaces."""
        if not what.startswith("YEAR-"):
            return []
        names = {of_donation(donation) for donation in given}
        found = [one for one in await self.mine(donor) if one.what in names and one.cancelled_at is None]
        if len(found) > REPLACED_MAX:
            raise Conflict()
        return found

    # Looking

    async def mine(self, donor: Donor) -> list[Receipt]:
        """The newest receipt of each thing, the newest first."""
        rows = [row for row in await self._db.all(receipts_of_user(donor.user_id).consistent()) if row.what != LAST]
        found = await self._db.get_many([receipt_of(row.year, row.number) for row in rows])
        return sorted((one for one in found if one), key=lambda one: (one.year, one.number), reverse=True)

    async def get(self, donor: Donor, code: str) -> Issued:
        """One receipt of this donor's, also a cancelled one."""
        year, _, number = code.partition("-")
        if not (code.isascii() and year.isdigit() and number.isdigit() and len(code) <= 20):
            raise NotThere()
        found = await self._db.get(receipt_of(int(year), int(number)))
        if found is None or found.user_id != donor.user_id:
            raise NotThere()
        return Issued(found, self.person(found))

    def person(self, receipt: Receipt) -> Person | None:
        return None if receipt.sealed is None else self._details.opened(receipt.sealed, receipt.user_id)

    async def register(self, operator: Operator, year: int) -> list[Issued]:
        """Every receipt of a year, by number."""
        return [Issued(one, self.person(one)) for one in await self._db.all(register_of(year))]

    async def _valid(self, donor: Donor, what: str) -> Receipt | None:
        row = await self._db.get(receipt_in_force(donor.user_id, what))
        found = None if row is None else await self._db.get(receipt_of(row.year, row.number))
        return found if found is not None and found.cancelled_at is None else None

    # When money goes back, and when a donor does

    async def correct(self, donation: Donation) -> None:
        """Cancel what says more than was kept."""
        donor = Donor(donation.user_id)
        for what in (of_donation(donation), of_year(donation.paid_day.year)):
            found = await self._valid(donor, what)
            if found is not None and _covers(found, donation):
                await self._cancel(found)

    async def _cancel(self, found: Receipt) -> None:
        try:
            await self._db.write(cancel_receipt(found, days.now(self._clock), None))
        except ConditionFailed:
            return  # cancelled before
        log.warning("a receipt was cancelled", extra={"receipt": found.code})

    async def forget(self, donor: Donor, pseudonym: str) -> None:
        """The register keeps numbers and sums, for the books; it no longer says whose they are."""
        newest = await self._db.get(receipt_in_force(donor.user_id, LAST))
        code = newest.code if newest else FIRST
        while code != FIRST:
            found = await self._db.get(receipt_of(*receipt_key(code)))
            if found is None or found.before is None:  # of an earlier version
                await self._rename_in_registers(donor, pseudonym, receipt_key(code)[0])
                break
            await self._rename(found, pseudonym)
            code = found.before
        for row in await self._db.all(receipts_of_user(donor.user_id).consistent()):
            await self._db.write(receipts_for.delete(donor.user_id, row.what))
        await self._details.forget(donor)

    async def _rename_in_registers(self, donor: Donor, pseudonym: str, last: int) -> None:
        for year in range(FIRST_YEAR, last + 1):
            for found in await self._db.all(register_of(year).consistent()):
                if found.user_id == donor.user_id:
                    await self._rename(found, pseudonym)

    async def _rename(self, found: Receipt, to: str) -> None:
        renamed = receipts.update(found.year, found.number).set(Receipt.user_id, to)
        await self._db.write(renamed.remove(Receipt.sealed))


def _counting(found: Iterable[Donation]) -> list[Donation]:
    return [donation for donation in found if donation.counts]


def _covers(receipt: Receipt, donation: Donation) -> bool:
    return donation.paid_at is None or receipt.issued_at >= donation.paid_at


def _lines(given: Iterable[Donation]) -> list[dict[str, Any]]:
    yen: Counter[str] = Counter()
    count: Counter[str] = Counter()
    names: dict[str, dict[str, str]] = {}
    for donation in given:
        yen[donation.prefecture] += donation.kept
        if donation.recipient_ja is not None:
            names[donation.prefecture] = {"ja": donation.recipient_ja, "en": donation.recipient_en or ""}
        count[donation.prefecture] += 1
    return [{"to": code, "yen": yen[code], "count": count[code], **names.get(code, {})} for code in sorted(yen)]
