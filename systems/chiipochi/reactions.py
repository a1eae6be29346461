"""What follows from a donation that succeeded, once: a stamp, the day's totals, a word of thanks."""

from __future__ import annotations

from sekkei.design import Change, Reactions, TransactionFailed
from sekkei.runtime.system import Context
from systems.chiipochi import messages
from systems.chiipochi.design import award_stamp, awards, design, donations
from systems.chiipochi.links import order_id_of
from systems.chiipochi.models import Donation, Status
from systems.chiipochi.prefectures import PREFECTURES
from systems.chiipochi.service import Service

LIVE_TOPIC = "chiipochi/day"
FORGOTTEN = "FORGOTTEN-"
"""How the id of somebody begins who asked to be forgotten; their donations were counted under the old one."""


def reactions(context: Context, service: Service) -> Reactions:
    found = Reactions(design, env=context.settings.env)

    @found.on(donations)
    async def reward(change: Change[Donation]) -> None:
        donation = change.new
        if donation is None or donation.user_id.startswith(FORGOTTEN):
            return
        if _has_succeeded(change):
            await give_stamp(context, service, donation)
        context.live.publish(LIVE_TOPIC, "changed", {"day": f"{donation.day}", "status": donation.status.value})

    return found


def _has_succeeded(change: Change[Donation]) -> bool:
    """Only the step to SUCCEEDED; a change of one that has succeeded before is none."""
    before = change.old.status if change.old is not None else None
    return change.new is not None and change.new.status is Status.SUCCEEDED and before is not Status.SUCCEEDED


async def give_stamp(context: Context, service: Service, donation: Donation) -> bool:
    """Stamp, totals and thanks in one transaction; False when this donation has had them."""
    if await context.db.get(awards(donation.user_id, donation.created_at).consistent()) is not None:
        return False
    transaction = award_stamp(donation)
    # A record that is told again long after must not count a donation that has been moved away since.
    still_there = donations.must_exist(donation.user_id, donation.created_at)
    actions = [still_there, *transaction.actions]
    if await service.is_reachable(donation.user_id):
        stamps = await service.reports.stamps(donation.user_id)
        stamps[donation.prefecture] = stamps.get(donation.prefecture, 0) + 1
        words = messages.thanks(
            PREFECTURES[donation.prefecture],
            donation.amount,
            stamps[donation.prefecture],
            len(stamps),
            service.links.mine(donation.user_id),
        )
        order_id = order_id_of(donation.user_id, donation.created_at)
        actions.append(context.outbox.message("line", donation.user_id, {"messages": words}, id=f"thanks/{order_id}"))
    try:
        await context.db.transact(*actions)
    except TransactionFailed as failed:
        if failed.failed(transaction.actions[0]) or failed.failed(still_there):
            return False
        raise
    return True
