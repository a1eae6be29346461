"""What ちいポチ does by the clock, and what takes longer than a request."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import orjson

from sekkei.design import Action, Database, TransactionFailed, replace
from sekkei.runtime.jobs import Job, Progress
from sekkei.runtime.system import Context, ScheduledJob
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    all_surplus,
    awards,
    chat_messages,
    chat_of,
    donations,
    given_back,
    history_of_user,
    keep_local_payment,
    local_payments,
    paid_donations,
    paid_row,
    payment_orders,
    pledges,
    returns,
    stamp_card,
    stamps,
    surpluses,
    user_settings,
    user_states,
)
from sekkei_systems.chiipochi.design.models import (
    Award,
    Donation,
    PaymentOrder,
    Return,
    Stamp,
    Surplus,
)
from sekkei_systems.chiipochi.ports.payments import NoProvider
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.donations import order_id_of, pseudonym

RECURRING = {
    "handle-left-over": "* * * * *",
    "reconcile": "*/5 * * * *",
    "check-totals": "20 0 * * *",
    "rankings": "25 0 * * *",
    "export": "30 0 * * *",
    "books": "40 * * * *",
    "ask-for-pledges": "0 9 * * *",
}
ONCE = ("rankings",)
_FORGET_BATCH = 25
_CHECKED_DAYS = 3
_CHECKED = timedelta(days=_CHECKED_DAYS)
"""So long everything may have been down; what was paid before that is for the operator's page."""

log = logging.getLogger("sekkei_systems.chiipochi.jobs")

Payload = Mapping[str, Any]


def scheduled(context: Context, service: Service) -> dict[str, ScheduledJob]:
    async def handle_left_over(payload: Payload) -> datetime | None:
        before = await service.inbox.none_left_over_before()
        if before > days.now(context.clock):
            return before
        await service.inbox.handle_left_over()
        return None

    async def reconcile(payload: Payload) -> datetime | None:
        before = await service.reconciliation.none_due_before()
        if before > days.now(context.clock):
            return before
        done = await service.reconciliation.run()
        log.info("payments reconciled", extra={"settled": done.settled, "open": done.open, "given_up": done.given_up})
        return None

    async def check_totals(payload: Payload) -> None:
        """The totals of the last days must equal a recount; where they do not, the donations are right."""
        today = days.today(context.clock)
        for age in range(1, _CHECKED_DAYS + 1):
            day = today - timedelta(days=age)
            if not (await service.reports.check(day)).agrees:
                log.error("a day's totals differ from a recount; repairing", extra={"day": f"{day}"})
                async for donation in service.reports.paid_on(day):
                    await service.awards.bring_in_line(donation)  # a stream forgets what nobody read for a day
                    if donation.kept < donation.amount:
                        await service.receipts.correct(donation, changed=False)
                await service.reports.repair(day)
        async for donation in context.db.each(given_back()):
            if donation.refunded_at is not None and days.day_of(donation.refunded_at) >= today - _CHECKED:
                await service.receipts.correct(donation, changed=False)

    async def rankings(payload: Payload) -> None:
        await service.rankings.roll_up()

    async def export(payload: Payload) -> None:
        # Two days: what was pending at midnight has been settled since. And those that lost a donation lately.
        today = days.today(context.clock)
        changed = {today - timedelta(days=age) for age in (1, 2)}
        async for donation in context.db.each(given_back()):
            if donation.refunded_at is not None and days.day_of(donation.refunded_at) >= min(changed):
                changed.add(donation.day)
        async for donation in service.reports.paid_on(today - timedelta(days=1)):
            changed.add(donation.day)  # made days ago, and paid only now
        for day in sorted(changed - {today}):
            await service.exports.write(day)

    async def books(payload: Payload) -> None:
        if not isinstance(service.settling.provider, NoProvider):
            log.info("movements booked", extra={"fresh": await service.books.take_over()})

    async def ask_for_pledges(payload: Payload) -> None:
        await service.pledges.ask_all()

    return {
        "handle-left-over": handle_left_over,
        "reconcile": reconcile,
        "check-totals": check_totals,
        "rankings": rankings,
        "export": export,
        "books": books,
        "ask-for-pledges": ask_for_pledges,
    }


def jobs(context: Context, service: Service) -> dict[str, Job]:
    return {
        "forget": Job([("donations", _forget_donations(context)), ("rest", _forget_rest(context, service))]),
        "reconcile": Job([("ask", service.reconciliation.step)]),
        "rankings": Job([("months", service.rankings.step)]),
        "books": Job([("movements", _take_over(service))]),
    }


def _take_over(service: Service):  # type: ignore[no-untyped-def]
    async def step(payload: Payload, cursor: str | None) -> Progress:
        return Progress(await service.books.take_over())

    return step


def _forget_donations(context: Context):  # type: ignore[no-untyped-def]
    async def step(payload: Payload, cursor: str | None) -> Progress:
        """Donations stay, for the books, under a name that leads to nobody."""
        user_id = str(payload["user_id"])
        page = await context.db.page(history_of_user(user_id).consistent(), size=_FORGET_BATCH)
        for found in page:
            await _move(context, found, pseudonym(context.settings, user_id))
        # Always from the start: what was moved is no longer there.
        return Progress(len(page), "again" if len(page) == _FORGET_BATCH else None)

    return step


def _moved_payment(found: Donation, moved: Donation) -> list[Action[Any, Any]]:
    """The rows by which a payment is found later."""
    actions: list[Action[Any, Any]] = []
    if found.paid_at is not None:
        row = paid_row(found)
        actions += [paid_donations.delete(row.day, row.shard, row.user_id, row.created_at)]
        actions += [paid_donations.put(paid_row(moved))]
    if found.payment_ref is not None:
        order = PaymentOrder(payment_ref=found.payment_ref, user_id=moved.user_id, created_at=moved.created_at)
        actions.append(payment_orders.put(order))
    return actions


async def _move(context: Context, found: Donation, to: str) -> None:
    """The mark of a donation that was counted moves with it: one that was not is counted under its new name."""
    moved = replace(found, user_id=to, idempotency_key=None)
    award = await context.db.get(awards(found.user_id, found.created_at).consistent())
    if award is None:
        marks: list[Action[Any, Any]] = [awards.must_not_exist(found.user_id, found.created_at)]
    else:
        marks = [awards.delete(found.user_id, found.created_at).must_exist(), awards.put(replace(award, user_id=to))]
    # As it was read: what a payment or a refund writes meanwhile must move with it, not be undone.
    gone = donations.delete(found.user_id, found.created_at).must_exist()
    gone = gone.when(
        Donation.status == found.status,
        Donation.tx_id == found.tx_id,
        Donation.waiting_for == found.waiting_for,
        Donation.pay_url == found.pay_url,
        Donation.paid_late_at == found.paid_late_at,
        Donation.paid_at == found.paid_at,
        Donation.refund_asked_at == found.refund_asked_at,
        Donation.refund_asked_by == found.refund_asked_by,
        Donation.refund_failed_at == found.refund_failed_at,
        Donation.refund_id == found.refund_id,
        Donation.answers == found.answers,
    )
    await context.db.transact(gone, donations.put(moved), *marks, *_moved_payment(found, moved))
    if found.tx_id is not None:
        await _rename_payment(context.db, found, order_id_of(to, found.created_at))


async def _rename_payment(db: Database, found: Donation, order_id: str) -> None:
    """The local provider forgets too: order and ledger lead to nobody."""
    payment = await db.get(local_payments(found.tx_id or "").consistent())
    if payment is None:
        return  # another provider's
    before = orjson.dumps(order_id_of(found.user_id, found.created_at)).decode()[1:-1]
    account = payment.account and payment.account.replace(before, order_id).replace(quote(before, safe=""), order_id)
    renamed = replace(payment, order_id=order_id, account=account, version=payment.version + 1)
    await db.write(keep_local_payment(renamed, payment))


def _forget_rest(context: Context, service: Service):  # type: ignore[no-untyped-def]
    async def step(payload: Payload, cursor: str | None) -> Progress:
        user_id = str(payload["user_id"])
        done = await _forget_stamps(context.db, user_id) + await _delete_rows(context.db, user_id)
        for twice in await context.db.all(all_surplus().consistent()):
            if twice.user_id == user_id:
                renamed = surpluses.update(twice.tx_id).set(Surplus.user_id, pseudonym(context.settings, user_id))
                await context.db.write(renamed)
        await service.receipts.forget(Donor(user_id), pseudonym(context.settings, user_id))
        await context.db.write(user_states.delete(user_id))
        await context.db.write(pledges.delete(user_id))
        await context.db.write(user_settings.delete(user_id))
        done += await context.outbox.forget(user_id)  # what was said to them, sent or not
        return Progress(done + 3)

    return step


async def _forget_stamps(db: Database, user_id: str) -> int:
    """All but those of donations that were made since the others moved: a message on its way may have begun one.
    The cards are read first: a donation that is counted meanwhile makes the write fail, and the step is repeated."""
    cards = await db.all(stamp_card(user_id).consistent())
    left: Counter[str] = Counter()
    for award in await db.all(awards.where(Award.user_id == user_id).consistent()):
        moved = donations.must_not_exist(user_id, award.donated_at)
        try:
            await db.transact(moved, awards.delete(user_id, award.donated_at))
        except TransactionFailed as failed:
            if not failed.failed(moved):
                raise
            left[award.prefecture] += award.amount != 0
    for card in cards:
        still = left[card.prefecture]
        row = stamps.update(user_id, card.prefecture).set(Stamp.count, still)
        change = row if still else stamps.delete(user_id, card.prefecture)
        await db.write(change.when(Stamp.count == card.count))
    return len(cards)


async def _delete_rows(db: Database, user_id: str) -> int:
    done = 0
    for gone in await db.all(returns.where(Return.user_id == user_id).consistent()):
        await db.write(returns.delete(user_id, gone.donated_at))
        done += 1
    for message in await db.all(chat_of(user_id).consistent()):
        await db.write(chat_messages.delete(user_id, message.at, message.message_id))
        done += 1
    return done
