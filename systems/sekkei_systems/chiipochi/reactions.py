"""What follows from a donation's money: a stamp, the day's totals, a word of thanks; less of it when money goes back.

Records come in batches. Those of one batch are rewarded several in a transaction, because under a burst they all add to
the same totals; where that fails (some of them were told before), each is looked at alone. Looking at one means: read
the donation and its award as they are now, and make the award, the totals and the stamp what the donation says. That
bears any record twice, late or in any order.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from sekkei.design import Action, Change, Reactions, Table, TransactionFailed
from sekkei.design.streams import OnFailure, Record, decode_record
from sekkei.runtime.system import Context
from sekkei_systems.chiipochi.design import (
    award_stamps,
    awards,
    correct_award,
    design,
    donations,
    stamp_card,
)
from sekkei_systems.chiipochi.design.models import Award, Donation, Status
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.reports import counted_yen

LIVE_TOPIC = "chiipochi/day"
TRIES_MAX = 5
TOGETHER = 18
"""Five items each, the totals of up to three days and the sums of appeals: a transaction takes a hundred."""

log = logging.getLogger("sekkei_systems.chiipochi.reactions")


class Rewards(Reactions):
    def __init__(self, context: Context, service: Service) -> None:
        super().__init__(design, env=context.settings.env)
        self._context, self._service = context, service
        self._rewarded: set[str] = set()
        self.on(donations)(self._react)

    async def dispatch(self, table: Table, records: Sequence[Record], failed: OnFailure | None = None) -> str | None:
        """Several at once first; then record by record, in order, whatever is left."""
        self._rewarded = set()
        try:
            await self._reward_together(table, records)
        except Exception as error:  # of one of them; looked at alone, that one fails and no other
            log.warning("several donations could not be rewarded together", extra={"error": repr(error)})
        return await super().dispatch(table, records, failed)

    async def _reward_together(self, table: Table, records: Sequence[Record]) -> None:
        waiting = [found for found in (_succeeded(decode_record(table, record)) for record in records) if found]
        for start in range(0, len(waiting), TOGETHER):
            some = waiting[start : start + TOGETHER]
            if len(some) > 1 and await give_stamps(self._context, self._service, some):
                self._rewarded.update(_key(donation) for donation in some)

    async def _react(self, change: Change[Donation]) -> None:
        donation = change.new
        if donation is None:
            return
        done = _succeeded(change) is not None and _key(donation) in self._rewarded
        if _matters(change) and not done:
            await bring_in_line(self._context, self._service, donation)
            if change.old is not None and change.old.counts:
                await self._service.receipts.correct(donation)
        news = {"day": f"{donation.paid_day}", "status": donation.status.value}
        self._context.live.publish(LIVE_TOPIC, "changed", news)


def _key(donation: Donation) -> str:
    return order_id_of(donation.user_id, donation.created_at)


def _succeeded(change: Change[Donation]) -> Donation | None:
    """The donation, where this is its step to SUCCEEDED; a change of one that has succeeded before is none."""
    before = change.old.status if change.old is not None else None
    return change.new if change.new is not None and change.new.counts and before is not Status.SUCCEEDED else None


def _matters(change: Change[Donation]) -> bool:
    """Does this change what is kept of the money?"""
    before = change.old.kept if change.old is not None else 0
    return change.new is not None and change.new.kept != before


async def give_stamps(context: Context, service: Service, some: Sequence[Donation]) -> bool:
    """Stamps, totals and thanks in one transaction; False when any of these donations has had them."""
    transaction = award_stamps(some)
    # A record that is told again long after must not count a donation that has been moved away since.
    still_there = [donations.must_exist(found.user_id, found.created_at) for found in some]
    thanks = await _thanks(context, service, some)
    try:
        await context.db.transact(*still_there, *transaction.actions, *thanks)
    except TransactionFailed as failed:
        known = [*still_there, *transaction.actions[: len(some)]]
        if any(failed.failed(action) for action in known):
            return False
        raise
    return True


async def bring_in_line(context: Context, service: Service, told: Donation) -> None:
    """Make totals and stamps what the donation says now, whatever it said when the record was written."""
    for _ in range(TRIES_MAX):
        donation = await context.db.get(donations(told.user_id, told.created_at).consistent())
        if donation is None:
            return  # moved; under its new name it is told again
        award = await context.db.get(awards(told.user_id, told.created_at).consistent())
        if award is None:
            if not donation.counts or await give_stamps(context, service, [donation]):
                return
        elif await _corrected(context, donation, award):
            return
    raise ConnectionError("somebody else counts this donation again and again")


async def _corrected(context: Context, donation: Donation, award: Award) -> bool:
    """False when somebody was quicker."""
    counted = await counted_yen(context.db, donation, award)
    if counted == donation.kept:
        return True
    correction = correct_award(donation, award, counted)
    try:
        await context.db.transact(correction)
    except TransactionFailed as failed:
        if not failed.failed(correction.actions[0]):
            raise
        return False
    return True


async def _stamps(context: Context, user_id: str) -> dict[str, int]:
    found = await context.db.all(stamp_card(user_id))
    return {stamp.prefecture: stamp.count for stamp in found if stamp.count > 0}


async def _thanks(context: Context, service: Service, some: Sequence[Donation]) -> list[Action[Any, Any]]:
    """A message for each who can be written to; it counts the stamps as they will be then."""
    languages = await service.readers.of([donation.user_id for donation in some])
    stamps = await asyncio.gather(*(_stamps(context, person) for person in languages))
    cards = dict(zip(languages, stamps, strict=True))
    found: list[Action[Any, Any]] = []
    for donation in some:
        user_id, code = donation.user_id, donation.prefecture
        if user_id not in languages:
            continue
        cards[user_id][code] = cards[user_id].get(code, 0) + 1
        url = service.links.mine(user_id)
        said = messages.thanks_letter(recipient_of(donation), donation.amount, cards[user_id], url, languages[user_id])
        body = messages.body(said, "thanks")
        found.append(context.outbox.message("line", user_id, body, id=f"thanks/{_key(donation)}"))
    return found
