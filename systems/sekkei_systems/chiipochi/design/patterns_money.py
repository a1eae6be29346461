"""Access patterns of money: payments, refunds, what they add to the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sekkei.design import (
    Action,
    Put,
    Query,
    Ref,
    Transaction,
    Update,
    replace,
)
from sekkei_systems.chiipochi.design.models import (
    Award,
    DayTotal,
    Dispute,
    Donation,
    PaidDonation,
    PaymentOrder,
    PrefectureTotal,
    StaleMonth,
    Stamp,
    Status,
    Surplus,
    is_by_hand,
    is_forgotten,
)
from sekkei_systems.chiipochi.design.models_appeals import APPEAL, AppealSum
from sekkei_systems.chiipochi.design.tables import (
    appeal_sums,
    awards,
    day_totals,
    design,
    donations,
    donations_refunds,
    paid_donations,
    payment_orders,
    prefecture_totals,
    stale_months,
    stamps,
    surpluses,
)


@design.pattern(ja="決済の開始（取引 ID の記録）", added=True)
def begin_payment(user_id: str, created_at: datetime, tx_id: str) -> Update[Donation]:
    """Remember the payment that was begun for a donation; one donation has one."""
    update = donations.update(user_id, created_at).set(Donation.tx_id, tx_id)
    return update.when(Donation.status == Status.PENDING, Donation.tx_id.absent() | (Donation.tx_id == tx_id))


@design.pattern(ja="入金待ち（コンビニ・振込）を記録", added=True)
def await_money(user_id: str, created_at: datetime, tx_id: str, method: str) -> Update[Donation]:
    """The payer has finished the checkout, and the money comes later; it stays pending until the provider says more."""
    update = donations.update(user_id, created_at).set(Donation.waiting_for, method).set(Donation.tx_id, tx_id)
    return update.when(Donation.status == Status.PENDING)


@design.pattern(ja="支払い方法の案内を記録", added=True)
def instruct(user_id: str, created_at: datetime, method: str, pay_by: datetime | None, url: str) -> Update[Donation]:
    """How and until when the payer can pay."""
    update = donations.update(user_id, created_at).set(Donation.waiting_for, method).set(Donation.pay_url, url)
    update = update.set(Donation.pay_by, pay_by) if pay_by is not None else update
    return update.when(Donation.status == Status.PENDING)


@design.pattern(ja="問い合わせを記録", added=True)
def looked_at(user_id: str, created_at: datetime, at: datetime) -> Update[Donation]:
    """The provider was asked just now, so that it is asked again only much later."""
    return donations.update(user_id, created_at).set(Donation.looked_at, at).when(Donation.status == Status.PENDING)


@design.pattern(ja="決済の失敗を反映", added=True)
def fail(user_id: str, created_at: datetime, tx_id: str | None) -> Update[Donation]:
    """No money came; repeated and late callbacks change nothing, nor does the end of another checkout."""
    update = donations.update(user_id, created_at).set(Donation.status, Status.FAILED)
    update = update.when(Donation.status == Status.PENDING)
    if tx_id is None:
        return update.when(Donation.tx_id.absent())
    return update.set(Donation.tx_id, tx_id).when(Donation.tx_id.absent() | (Donation.tx_id == tx_id))


def paid_row(donation: Donation) -> PaidDonation:
    return PaidDonation(
        day=donation.paid_day,
        shard=donation.day_shard or 0,
        user_id=donation.user_id,
        created_at=donation.created_at,
    )


def found_by(donation: Donation, payment_ref: str | None) -> list[Action[Any, Any]]:
    """By which later news of a payment find the donation."""
    if payment_ref is None:
        return []
    order = PaymentOrder(payment_ref=payment_ref, user_id=donation.user_id, created_at=donation.created_at)
    return [payment_orders.put(order)]


@design.pattern(ja="入金を反映", added=True)
def settle(donation: Donation, tx_id: str, payment_ref: str | None, paid_at: datetime) -> Transaction:
    """The money came: once, under the day on which it came, and to be found by its payment later."""
    update = donations.update(donation.user_id, donation.created_at).set(Donation.status, Status.SUCCEEDED)
    update = update.set(Donation.tx_id, tx_id).set(Donation.paid_at, paid_at)
    update = update if payment_ref is None else update.set(Donation.payment_ref, payment_ref)
    paid = replace(donation, paid_at=paid_at)
    found: list[Action[Any, Any]] = [update.when(Donation.status == Status.PENDING), paid_donations.put(paid_row(paid))]
    return Transaction(*found, *found_by(donation, payment_ref))


@design.pattern(ja="その日に入金された寄付", added=True)
def paid_on(day: date, shard: int) -> Query[PaidDonation]:
    """Donations whose money came on a Japanese day."""
    return paid_donations.where(PaidDonation.day == day, PaidDonation.shard == shard)


@design.pattern(ja="支払い ID から寄付を引く", added=True)
def order_of_payment(payment_ref: str) -> Ref[PaymentOrder]:
    """The donation that later news about a payment (a refund, a dispute) is for."""
    return payment_orders(payment_ref).consistent()


@design.pattern(ja="失敗後の入金を記録", added=True)
def paid_after_all(donation: Donation, tx_id: str, payment_ref: str | None, at: datetime) -> Update[Donation]:
    """Money came for a donation that was given up: it stays FAILED, and the money must be refunded."""
    update = donations.update(donation.user_id, donation.created_at).set(Donation.paid_late_at, at).knowing(donation)
    update = update.set(Donation.tx_id, tx_id)
    update = update if payment_ref is None else update.set(Donation.payment_ref, payment_ref)
    return update.when(Donation.status == Status.FAILED, Donation.paid_late_at.absent())


@design.pattern(ja="二重の入金を記録", added=True)
def paid_twice(found: Surplus) -> Put[Surplus]:
    """Money came again for a donation that was paid: it must be refunded."""
    return surpluses.create(found)


@design.pattern(ja="二重の入金", added=True)
def all_surplus() -> Query[Surplus]:
    """Second payments, refunded or not."""
    return surpluses.where()


@design.pattern(ja="返金を指示", added=True)
def ask_refund(donation: Donation, by: str, at: datetime) -> Update[Donation]:
    """The money is to be given back; the status stays what it is."""
    update = donations.update(donation.user_id, donation.created_at).knowing(donation)
    update = update.set(Donation.refund_asked_at, at).set(Donation.refund_asked_by, by)
    update = update.remove(Donation.refund_failed_at)
    return update.when(
        (Donation.status == Status.SUCCEEDED) | Donation.paid_late_at.exists(),
        Donation.refund_asked_at == donation.refund_asked_at,
        Donation.refunded_amount == donation.refunded_amount,
    )


def _answered(update: Update[Donation], donation: Donation) -> Update[Donation]:
    """An answer counts only if nobody has written one since `donation` was read: ours may be the older."""
    return update.add(Donation.answers, 1).when(Donation.answers == donation.answers)


@design.pattern(ja="返金を記録", added=True)
def refunded(donation: Donation, refund_id: str, at: datetime) -> Update[Donation]:
    """All of the money has been refunded."""
    update = donations.update(donation.user_id, donation.created_at).knowing(donation)
    update = update.set(Donation.refunded_at, at).set(Donation.refund_id, refund_id)
    update = update.set(Donation.refunded_amount, donation.amount).remove(Donation.refund_failed_at)
    if is_by_hand(refund_id):
        update = update.set(Donation.by_hand, donation.given_by_hand + donation.amount - donation.refunded)
    return _answered(update, donation)


@design.pattern(ja="返金の取引 ID を記録", added=True)
def name_refund(donation: Donation, refund_id: str) -> Update[Donation]:
    """A refund that the provider told of before it answered has its id now."""
    update = donations.update(donation.user_id, donation.created_at).knowing(donation)
    return update.set(Donation.refund_id, refund_id).when(Donation.refund_id.absent())


@design.pattern(ja="返金の失敗を記録", added=True)
def refund_failed(donation: Donation, at: datetime) -> Update[Donation]:
    """The provider will not refund it; it waits for somebody."""
    update = donations.update(donation.user_id, donation.created_at).knowing(donation)
    return update.set(Donation.refund_failed_at, at)


@design.pattern(ja="返金・チャージバックの現状を記録", added=True)
def afterwards(donation: Donation, amount: int, dispute: Dispute | None, at: datetime) -> Update[Donation]:
    """What became of the money since: as the provider tells it now, if nobody has written it meanwhile. Also where
    nothing has changed: whoever asked before us must not write what they heard after us."""
    update = donations.update(donation.user_id, donation.created_at).knowing(donation)
    if amount != donation.refunded:
        update = update.set(Donation.refunded_amount, amount)
    if amount > donation.refunded:
        update = update.set(Donation.refunded_at, at)
        if donation.refund_asked_at is None or amount >= donation.amount:  # else what was asked for is yet to be done
            update = update.remove(Donation.refund_failed_at)
    elif amount < donation.refunded:
        update = update.set(Donation.refund_failed_at, at).remove(Donation.refund_asked_at)
        update = update.remove(Donation.refunded_at) if amount == 0 else update
    update = update.remove(Donation.dispute) if dispute is None else update.set(Donation.dispute, dispute)
    if dispute is Dispute.LOST and amount == 0:  # nothing is to be given back, and no list leads to who wanted it
        update = update.remove(Donation.refund_asked_by)
    return _answered(update, donation)


@design.pattern(ja="返金する寄付", added=True)
def to_refund() -> Query[Donation]:
    """Donations whose money must be given back: it came too late, or somebody asked for it."""
    return donations_refunds.where(Donation.refund_pk == "OWED")


@design.pattern(ja="返金した寄付（新しい順）", added=True, page=20)
def given_back() -> Query[Donation]:
    """Donations whose money has been given back, newest first."""
    return donations_refunds.where(Donation.refund_pk == "DONE").backwards()


def award_stamps(succeeded: Sequence[Donation]) -> Transaction:
    """For several donations at once, each total written once: what keeps up with a burst."""
    created = [awards.create(_award(found)) for found in succeeded]
    given = Counter((found.user_id, found.prefecture) for found in succeeded if not is_forgotten(found.user_id))
    shares = [Share(found.paid_day, found.prefecture, found.kept, 1) for found in succeeded]
    return Transaction(
        *created,
        *(stamps.upsert(user, code).add(Stamp.count, count) for (user, code), count in given.items()),
        *_add_to_totals(shares),
    )


def _award(donation: Donation) -> Award:
    return Award(
        user_id=donation.user_id,
        donated_at=donation.created_at,
        prefecture=donation.prefecture,
        amount=donation.kept,
        day=donation.paid_day,
    )


@dataclass(frozen=True, slots=True)
class Share:
    """What a donation adds to the totals of a day, or takes from them."""

    day: date
    prefecture: str
    amount: int
    count: int


def _add_to_appeals(shares: Iterable[Share]) -> Iterator[Action[Any, Any]]:
    counts: Counter[str] = Counter()
    yen: Counter[str] = Counter()
    for share in shares:
        if share.prefecture.startswith(APPEAL):
            counts[share.prefecture] += share.count
            yen[share.prefecture] += share.amount
    for recipient, amount in yen.items():
        raised = appeal_sums.upsert(recipient.removeprefix(APPEAL)).add(AppealSum.amount, amount)
        yield raised.add(AppealSum.count, counts[recipient])


def _add_to_totals(shares: Sequence[Share]) -> Iterator[Action[Any, Any]]:
    counts: Counter[tuple[date, str]] = Counter()
    yen: Counter[tuple[date, str]] = Counter()
    for share in shares:
        for place in ("", share.prefecture):
            counts[share.day, place] += share.count
            yen[share.day, place] += share.amount
    yield from _add_to_appeals(shares)
    for (day, place), amount in yen.items():
        count = counts[day, place]
        if place:
            total = prefecture_totals.upsert(day, place).add(PrefectureTotal.amount, amount)
            yield total.add(PrefectureTotal.count, count)
        else:
            yield day_totals.upsert(day).add(DayTotal.amount, amount).add(DayTotal.count, count)


@design.pattern(ja="スタンプ付与と日次合計の加算", added=True)
def award_stamp(donation: Donation) -> Transaction:
    """A stamp and the day's totals for a donation that succeeded; a replayed record changes nothing."""
    return award_stamps([donation])


@design.pattern(ja="返金・チャージバックの合計とスタンプへの反映", added=True)
def correct_award(donation: Donation, award: Award, counted: int) -> Transaction:
    """Bring totals and stamps in line with what is kept of a donation now. `counted` is what the award stands for."""
    kept, day = donation.kept, award.day or donation.day
    changed = awards.update(award.user_id, award.donated_at).set(Award.amount, kept).set(Award.day, day)
    turned = (kept > 0) - (counted > 0)
    found: list[Action[Any, Any]] = [
        changed.when(Award.amount == award.amount),
        *_add_to_totals([Share(day, donation.prefecture, kept - counted, turned)]),
        stale_months.upsert(day.replace(day=1)).add(StaleMonth.changes, 1),
    ]
    if turned and not is_forgotten(donation.user_id):
        found.append(stamps.upsert(donation.user_id, donation.prefecture).add(Stamp.count, turned))
    return Transaction(*found)
