"""What follows from a donation that succeeded, once: a stamp, the day's totals, a word of thanks.

Records come in batches. Those of one batch are rewarded several in a transaction, because under a burst they all add to
the same totals; where that fails (some of them were told before), each is looked at alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from sekkei.design import Action, Change, Reactions, Table, TransactionFailed
from sekkei.design.streams import Record, decode_record
from sekkei.runtime.system import Context
from systems.chiipochi import messages
from systems.chiipochi.design import award_stamps, design, donations
from systems.chiipochi.links import order_id_of
from systems.chiipochi.models import Donation, Status
from systems.chiipochi.prefectures import PREFECTURES
from systems.chiipochi.service import Service

LIVE_TOPIC = "chiipochi/day"
FORGOTTEN = "FORGOTTEN-"
"""How the id of somebody begins who asked to be forgotten; their donations were counted under the old one."""
TOGETHER = 15
"""At most six items each, and a transaction takes a hundred."""

log = logging.getLogger("systems.chiipochi.reactions")


class Rewards(Reactions):
    def __init__(self, context: Context, service: Service) -> None:
        super().__init__(design, env=context.settings.env)
        self._context, self._service = context, service
        self._rewarded: set[str] = set()
        self.on(donations)(self._react)

    async def dispatch(self, table: Table, records: Sequence[Record]) -> str | None:
        """Several at once first; then record by record, in order, whatever is left."""
        waiting = [found for found in (_succeeded(decode_record(table, record)) for record in records) if found]
        self._rewarded = set()
        for start in range(0, len(waiting), TOGETHER):
            some = waiting[start : start + TOGETHER]
            if len(some) > 1 and await give_stamps(self._context, self._service, some):
                self._rewarded.update(_key(donation) for donation in some)
        return await super().dispatch(table, records)

    async def _react(self, change: Change[Donation]) -> None:
        donation = _succeeded(change)
        if donation is not None and _key(donation) not in self._rewarded:
            await give_stamps(self._context, self._service, [donation])
        if change.new is not None:
            news = {"day": f"{change.new.day}", "status": change.new.status.value}
            self._context.live.publish(LIVE_TOPIC, "changed", news)


def _key(donation: Donation) -> str:
    return order_id_of(donation.user_id, donation.created_at)


def _succeeded(change: Change[Donation]) -> Donation | None:
    """The donation, where this is its step to SUCCEEDED; a change of one that has succeeded before is none."""
    donation = change.new
    before = change.old.status if change.old is not None else None
    if donation is None or donation.status is not Status.SUCCEEDED or before is Status.SUCCEEDED:
        return None
    return None if donation.user_id.startswith(FORGOTTEN) else donation


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


async def _thanks(context: Context, service: Service, some: Sequence[Donation]) -> list[Action[Any, Any]]:
    """A message for each, unless its donor has blocked the bot; it counts the stamps as they will be then."""
    people = sorted({donation.user_id for donation in some})
    cards = dict(zip(people, await asyncio.gather(*(_card(service, person) for person in people)), strict=True))
    found: list[Action[Any, Any]] = []
    for donation in some:
        card = cards[donation.user_id]
        if card is None:
            continue
        card[donation.prefecture] = card.get(donation.prefecture, 0) + 1
        words = messages.thanks(
            PREFECTURES[donation.prefecture],
            donation.amount,
            card[donation.prefecture],
            len(card),
            service.links.mine(donation.user_id),
        )
        body = messages.letter(words)
        found.append(context.outbox.message("line", donation.user_id, body, id=f"thanks/{_key(donation)}"))
    return found


async def _card(service: Service, user_id: str) -> dict[str, int] | None:
    return await service.reports.stamps(user_id) if await service.is_reachable(user_id) else None
