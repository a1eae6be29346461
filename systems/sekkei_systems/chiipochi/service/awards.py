"""What follows from a donation's money: stamp, totals of the day and thanks; less of it when money goes back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sekkei.design import Action, Database, TransactionFailed
from sekkei.runtime.outbox import Outbox
from sekkei_systems.chiipochi.design import award_stamps, awards, correct_award, donations, stamp_card
from sekkei_systems.chiipochi.design.models import Award, Donation
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.access import Links
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.service.letters import Readers
from sekkei_systems.chiipochi.service.reports import counted_yen

TRIES_MAX = 5


@dataclass
class Awards:
    db: Database
    outbox: Outbox
    readers: Readers
    links: Links

    async def give(self, some: Sequence[Donation]) -> bool:
        """Stamps, totals and thanks in one transaction; False when any of these donations has had them."""
        transaction = award_stamps(some)
        # A record that is told again long after must not count a donation that has been moved away since.
        still_there = [donations.must_exist(found.user_id, found.created_at) for found in some]
        thanks = await self._thanks(some)
        try:
            await self.db.transact(*still_there, *transaction.actions, *thanks)
        except TransactionFailed as failed:
            known = [*still_there, *transaction.actions[: len(some)]]
            if any(failed.failed(action) for action in known):
                return False
            raise
        return True

    async def bring_in_line(self, told: Donation) -> None:
        """Make totals and stamps what the donation says now, whatever it said when it was told of."""
        for _ in range(TRIES_MAX):
            donation = await self.db.get(donations(told.user_id, told.created_at).consistent())
            if donation is None:
                return  # moved; under its new name it is told again
            award = await self.db.get(awards(told.user_id, told.created_at).consistent())
            if award is None:
                if not donation.counts or await self.give([donation]):
                    return
            elif await self._corrected(donation, award):
                return
        raise ConnectionError("somebody else counts this donation again and again")

    async def _corrected(self, donation: Donation, award: Award) -> bool:
        """False when somebody was quicker."""
        counted = await counted_yen(self.db, donation, award)
        if counted == donation.kept:
            return True
        correction = correct_award(donation, award, counted)
        try:
            await self.db.transact(correction)
        except TransactionFailed as failed:
            if not failed.failed(correction.actions[0]):
                raise
            return False
        return True

    async def _stamps(self, user_id: str) -> dict[str, int]:
        found = await self.db.all(stamp_card(user_id))
        return {stamp.prefecture: stamp.count for stamp in found if stamp.count > 0}

    async def _thanks(self, some: Sequence[Donation]) -> list[Action[Any, Any]]:
        """A message for each who can be written to; it counts the stamps as they will be then."""
        languages = await self.readers.of([donation.user_id for donation in some])
        stamps = await asyncio.gather(*(self._stamps(person) for person in languages))
        cards = dict(zip(languages, stamps, strict=True))
        found: list[Action[Any, Any]] = []
        for donation in some:
            user_id, code = donation.user_id, donation.prefecture
            if user_id not in languages:
                continue
            cards[user_id][code] = cards[user_id].get(code, 0) + 1
            place, url, language = recipient_of(donation), self.links.mine(user_id), languages[user_id]
            said = messages.thanks_letter(place, donation.amount, cards[user_id], url, language)
            id = f"thanks/{order_id_of(user_id, donation.created_at)}"
            found.append(self.outbox.message("line", user_id, messages.body(said, "thanks"), id=id))
        return found
