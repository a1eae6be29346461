"""Receipts: issued on request, one for a donation or one for a year, numbered without gaps.

Each yen is on one valid receipt at most: a year's receipt replaces those of single donations. When money goes back, the
receipt is cancelled; whoever asks again gets one for what is left, under the next number.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.design import Check, ConditionFailed, Database, TransactionFailed
from sekkei.kit.text import name_line
from sekkei.runtime.refusals import Conflict, NotThere
from sekkei.runtime.sealed_texts import SealedTexts
from sekkei.runtime.settings import Settings
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    LAST,
    cancel_receipt,
    details_of,
    donations,
    donations_of_user_between,
    donor_details,
    issue_receipt,
    keep_details,
    last_number,
    receipt_in_force,
    receipt_of,
    receipts,
    receipts_for,
    receipts_of_user,
    register_of,
)
from sekkei_systems.chiipochi.design.models import FIRST, Donation, DonorDetails, Receipt, is_forgotten, receipt_key
from sekkei_systems.chiipochi.refusals import DetailsMissing, InYearsReceipt, NoOrganisation, NothingToReceipt
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.donations import donation_key, order_id_of, pseudonym
from sekkei_systems.chiipochi.service.mine import LATE

NAME_MAX, ADDRESS_MAX = 100, 300


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a receipt is for."""

    name: str
    address: str


@dataclass
class Details:
    """Names and addresses for receipts: sealed in the store, bound to their donor, removable at any time."""

    db: Database
    clock: Clock
    settings: Settings

    @cached_property
    def _texts(self) -> SealedTexts:
        return SealedTexts(*self.settings.secrets.keys("chiipochi/details"))

    async def of(self, donor: Donor) -> Person | None:
        found = await self.db.get(details_of(donor.user_id))
        return None if found is None else self.opened(found.sealed, donor.user_id)

    async def keep(self, donor: Donor, name: str, address: str) -> None:
        name, address = name_line(name)[:NAME_MAX], name_line(address)[:ADDRESS_MAX]
        for field, text in (("name", name), ("address", address)):
            if not text:
                raise DetailsMissing(field=field)
        sealed = self.sealed(Person(name, address), donor.user_id)
        now = days.now(self.clock)
        await self.db.write(keep_details(DonorDetails(user_id=donor.user_id, sealed=sealed, updated_at=now)))

    async def forget(self, donor: Donor) -> None:
        await self.db.write(donor_details.delete(donor.user_id))

    def sealed(self, person: Person, user_id: str) -> str:
        return self._texts.close(orjson.dumps(asdict(person)), user_id)

    def opened(self, sealed: str, user_id: str) -> Person | None:
        """None where SEKKEI_SECRET is not the one that it was sealed with."""
        text = self._texts.open(sealed, user_id)
        return None if text is None else Person(**orjson.loads(text))


TRIES_MAX = 8
FIRST_YEAR = 2025
"""Before that there was no ちいポチ."""
_REPLACED_MAX = 90
"""Single receipts that a year's can replace at once; a transaction takes a hundred."""
CHECKED_MAX = 90
"""Of these and of the donations themselves, together."""

log = logging.getLogger("sekkei_systems.chiipochi.receipts")


@dataclass(frozen=True, slots=True)
class Issued:
    """A receipt with the person it is for."""

    receipt: Receipt
    person: Person | None


def _of_year(year: int) -> str:
    return f"YEAR-{year}"


def _of_donation(donation: Donation) -> str:
    return f"DONATION-{_time_of(donation)}"


def _time_of(donation: Donation) -> str:
    """What tells one of a donor's donations from the others."""
    return order_id_of(donation.user_id, donation.created_at).partition("|")[2]


@dataclass
class Receipts:
    settings: Settings
    db: Database
    clock: Clock
    details: Details
    organisation: Organisation

    # Issuing

    async def issue(self, donor: Donor, created_at: datetime) -> Receipt:
        """For one donation."""

        async def given() -> list[Donation]:
            found = await self.db.get(donations(donor.user_id, created_at).consistent())
            if found is None:
                raise NotThere()
            return [found]

        (donation,) = await given()
        return await self._issue(donor, _of_donation(donation), given)

    async def issue_year(self, donor: Donor, year: int) -> Receipt:
        """For everything that came in a year."""
        query = donations_of_user_between(donor.user_id, date(year, 1, 1) - LATE, date(year, 12, 31)).consistent()

        async def given() -> list[Donation]:
            return [donation for donation in await self.db.all(query) if donation.paid_day.year == year]

        return await self._issue(donor, _of_year(year), given)

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
        person = await self.details.of(donor)
        if person is None:
            raise DetailsMissing(field="name")
        if not self.organisation.name and not self.settings.demo:
            raise NoOrganisation()
        return person

    async def _next(self, donor: Donor, what: str, given: Sequence[Donation], person: Person) -> Receipt | None:
        """None when somebody was quicker. The donor's newest is looked at first: one that is issued after that look
        makes this one fail."""
        before = await self.db.get(receipt_in_force(donor.user_id, LAST))
        await self._check_years(donor, what, given)
        current = await self._valid(donor, what)
        amount, lines = sum(one.kept for one in given), _lines(given)
        if (
            current is not None
            and all(_covers(current, one) for one in given)
            and (current.amount, current.lines, self.person(current)) == (amount, lines, person)
        ):
            return current
        now, year = days.now(self.clock), days.today(self.clock).year
        counter = await self.db.get(last_number(year))
        receipt = Receipt(
            year=year,
            number=(counter.last if counter else 0) + 1,
            user_id=donor.user_id,
            what=what,
            amount=amount,
            lines=lines,
            given=[_time_of(one) for one in given],
            paid_from=min(one.paid_day for one in given),
            paid_to=max(one.paid_day for one in given),
            sender=self.organisation.facts,
            sealed=self.details.sealed(person, donor.user_id),
            issued_at=now,
            before=before.code if before else FIRST,
        )
        replaced = [*([current] if current else []), *await self._singles(donor, what, given)]
        try:
            cancelled = [cancel_receipt(found, now, receipt.code) for found in replaced]
            # Where there is room; for more of them it is looked at again afterwards.
            same = [_unchanged(one) for one in given] if len(given) + len(replaced) <= CHECKED_MAX else []
            await self.db.transact(issue_receipt(receipt, before), *cancelled, *same)
        except TransactionFailed:
            return None
        return receipt

    async def _check_years(self, donor: Donor, what: str, given: Sequence[Donation]) -> None:
        """What is on its year's receipt gets none of its own."""
        if what.startswith("YEAR-"):
            return
        (donation,) = given
        whole = await self._valid(donor, _of_year(donation.paid_day.year))
        if whole is not None and _covers(whole, donation):
            raise InYearsReceipt()

    async def _singles(self, donor: Donor, what: str, given: Sequence[Donation]) -> list[Receipt]:
        """Receipts of single donations that a year's replaces."""
        if not what.startswith("YEAR-"):
            return []
        names = {_of_donation(donation) for donation in given}
        found = [one for one in await self.mine(donor) if one.what in names and one.cancelled_at is None]
        if len(found) > _REPLACED_MAX:
            raise Conflict()
        return found

    # Looking

    async def mine(self, donor: Donor) -> list[Receipt]:
        """The newest receipt of each thing, the newest first."""
        rows = [row for row in await self.db.all(receipts_of_user(donor.user_id).consistent()) if row.what != LAST]
        found = await self.db.get_many([receipt_of(row.year, row.number) for row in rows])
        return sorted((one for one in found if one), key=lambda one: (one.year, one.number), reverse=True)

    async def get(self, donor: Donor, code: str) -> Issued:
        """One receipt of this donor's, also a cancelled one."""
        year, _, number = code.partition("-")
        if not (code.isascii() and year.isdigit() and number.isdigit() and len(code) <= 20):
            raise NotThere()
        found = await self.db.get(receipt_of(int(year), int(number)))
        if found is None or found.user_id != donor.user_id:
            raise NotThere()
        return Issued(found, self.person(found))

    def person(self, receipt: Receipt) -> Person | None:
        return None if receipt.sealed is None else self.details.opened(receipt.sealed, receipt.user_id)

    async def register(self, operator: Operator, year: int) -> list[Issued]:
        """Every receipt of a year, by number."""
        return [Issued(one, self.person(one)) for one in await self.db.all(register_of(year))]

    async def _valid(self, donor: Donor, what: str) -> Receipt | None:
        row = await self.db.get(receipt_in_force(donor.user_id, what))
        found = None if row is None else await self.db.get(receipt_of(row.year, row.number))
        return found if found is not None and found.cancelled_at is None else None

    # When money goes back, and when a donor does

    async def correct(self, donation: Donation, *, changed: bool = True) -> None:
        """Cancel what says something else than was kept. What an earlier version issued does not say of which
        donations it speaks: it is cancelled if this one has `changed`."""
        for found in await self._of(donation):
            is_in_force = found.cancelled_at is None and _covers(found, donation)
            if is_in_force and not await self._holds(found, otherwise=not changed):
                await self._cancel(found)

    async def _holds(self, receipt: Receipt, otherwise: bool) -> bool:
        """Does it say what is kept now? Its donations may be on their way to a forgotten name."""
        if receipt.given is None:
            return otherwise
        user_id = receipt.user_id
        names = [user_id] if is_forgotten(user_id) else [user_id, pseudonym(self.settings, user_id)]
        keys = [donation_key(f"{name}|{time}") for name in names for time in receipt.given]
        found = await self.db.get_many(donations(*key).consistent() for key in keys if key is not None)
        return sum(one.kept for one in found if one is not None) == receipt.amount

    async def _of(self, donation: Donation) -> list[Receipt]:
        """Receipts that may name it, also where its donor has been forgotten since."""
        names = _of_donation(donation), _of_year(donation.paid_day.year)
        found = [await self._valid(Donor(donation.user_id), name) for name in names]
        valid = [one for one in found if one is not None]
        if valid or await self._stands(donation):
            return valid
        return await self._in_registers(donation)

    async def _stands(self, donation: Donation) -> bool:
        """Is it under its donor's own name?"""
        key = donation.user_id, donation.created_at
        return not is_forgotten(donation.user_id) and await self.db.get(donations(*key).consistent()) is not None

    async def _in_registers(self, donation: Donation) -> list[Receipt]:
        """Nothing else leads to the receipts of somebody who was forgotten."""
        name = donation.user_id if is_forgotten(donation.user_id) else pseudonym(self.settings, donation.user_id)
        years = range(donation.paid_day.year, days.today(self.clock).year + 1)
        registers = [one for year in years for one in await self.db.all(register_of(year).consistent())]
        return [one for one in registers if one.user_id == name]

    async def _cancel(self, found: Receipt) -> None:
        try:
            await self.db.write(cancel_receipt(found, days.now(self.clock), None))
        except ConditionFailed:
            return  # cancelled before
        log.warning("a receipt was cancelled", extra={"receipt": found.code})

    async def forget(self, donor: Donor, pseudonym: str) -> None:
        """The register keeps numbers and sums, for the books; it no longer says whose they are."""
        newest = await self.db.get(receipt_in_force(donor.user_id, LAST))
        code = newest.code if newest else FIRST
        while code != FIRST:
            found = await self.db.get(receipt_of(*receipt_key(code)))
            if found is None or found.before is None:  # of an earlier version
                await self._rename_in_registers(donor, pseudonym, receipt_key(code)[0])
                break
            await self._rename(found, pseudonym)
            code = found.before
        for row in await self.db.all(receipts_of_user(donor.user_id).consistent()):
            await self.db.write(receipts_for.delete(donor.user_id, row.what))
        await self.details.forget(donor)

    async def _rename_in_registers(self, donor: Donor, pseudonym: str, last: int) -> None:
        for year in range(FIRST_YEAR, last + 1):
            for found in await self.db.all(register_of(year).consistent()):
                if found.user_id == donor.user_id:
                    await self._rename(found, pseudonym)

    async def _rename(self, found: Receipt, to: str) -> None:
        renamed = receipts.update(found.year, found.number).set(Receipt.user_id, to)
        await self.db.write(renamed.remove(Receipt.sealed))


def _counting(found: Iterable[Donation]) -> list[Donation]:
    return [donation for donation in found if donation.counts]


def _covers(receipt: Receipt, donation: Donation) -> bool:
    """Receipts of an earlier version do not say which donations they are for."""
    if receipt.given is not None:
        return _time_of(donation) in receipt.given
    return donation.paid_at is None or receipt.issued_at >= donation.paid_at


def _unchanged(donation: Donation) -> Check[Donation]:
    """Nothing of it has gone back or was taken since it was read."""
    there = donations.must_exist(donation.user_id, donation.created_at)
    return there.when(Donation.answers == donation.answers)


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
