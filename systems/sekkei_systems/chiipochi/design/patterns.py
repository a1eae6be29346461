"""Access patterns: those of the document first, then what the bot needs besides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from sekkei.design import Action, Condition, Delete, Put, Query, Ref, Transaction, Update, replace
from sekkei_systems.chiipochi.design.models import (
    APPEAL,
    JST,
    Appeal,
    AppealChange,
    AppealSum,
    Award,
    Booked,
    BookEntry,
    BookMark,
    BookMonth,
    ChatMessage,
    DayTotal,
    Dispute,
    Donation,
    DonorDetails,
    LineEvent,
    LocalPayment,
    PaidDonation,
    PaymentOrder,
    PeriodTotal,
    Pledge,
    PrefectureTotal,
    Receipt,
    ReceiptCounter,
    ReceiptFor,
    StaleMonth,
    Stamp,
    Status,
    Surplus,
    UserSettings,
    UserState,
    Wording,
    day_partition,
    is_by_hand,
    is_forgotten,
)
from sekkei_systems.chiipochi.design.tables import (
    appeal_changes,
    appeal_sums,
    appeals,
    awards,
    book_entries,
    book_marks,
    book_months,
    booked,
    chat_messages,
    day_totals,
    design,
    donations,
    donations_by_day,
    donations_by_payment,
    donations_pending,
    donations_refunds,
    donor_details,
    events_unhandled,
    line_events,
    local_payments,
    paid_donations,
    payment_orders,
    period_totals,
    pledges,
    pledges_by_day,
    prefecture_totals,
    receipt_counters,
    receipts,
    receipts_for,
    stale_months,
    stamps,
    surpluses,
    user_settings,
    user_states,
    wordings,
)


def bounds(day: date) -> tuple[datetime, datetime]:
    """The first and the last stored instant of a Japanese day."""
    start = datetime.combine(day, time(), JST)
    return start, start + timedelta(days=1) - timedelta(milliseconds=1)


@design.pattern(number="1", ja="現在の状態取得")
def state(user_id: str) -> Ref[UserState]:
    """Is a confirmation pending for this user?"""
    return user_states(user_id).consistent()


@design.pattern(ja="期限切れも含めた状態", added=True)
def state_even_expired(user_id: str) -> Query[UserState]:
    """The state even when its time is over, to tell "too late" from "nothing was asked"."""
    return user_states.where(UserState.user_id == user_id).with_expired().consistent()


def _in_order(event_ts: int) -> Condition[UserState]:
    """Deliveries come in any order: an older event never overwrites what a newer one left."""
    return UserState.last_event_ts.absent() | (UserState.last_event_ts <= event_ts)


@design.pattern(number="2", ja="状態を更新")
def await_confirmation(
    user_id: str,
    awaiting: str,
    amount: int,
    nonce: str,
    expires: datetime,
    now: datetime,
    event_ts: int,
    asked_by: str | None = None,
    language: str = "ja",
) -> Update[UserState]:
    """Remember what was asked, until it expires."""
    return (
        user_states.upsert(user_id)
        .set(UserState.awaiting_confirmation, awaiting)
        .set(UserState.amount, amount)
        .set(UserState.confirm_nonce, nonce)
        .set(UserState.session_expires_at, expires)
        .set(UserState.asked_by, asked_by)
        .set(UserState.language, language)
        .set(UserState.updated_at, now)
        .set(UserState.last_event_ts, event_ts)
        .remove(UserState.unfollowed_at)
        .when(_in_order(event_ts))
    )


def _cleared(update: Update[UserState], now: datetime, event_ts: int) -> Update[UserState]:
    return (
        update.remove(UserState.awaiting_confirmation)
        .remove(UserState.amount)
        .remove(UserState.confirm_nonce)
        .remove(UserState.session_expires_at)
        .remove(UserState.asked_by)
        .set(UserState.updated_at, now)
        .set(UserState.last_event_ts, event_ts)
    )


@design.pattern(ja="状態をクリア（いいえ・キャンセル）", added=True)
def clear_state(user_id: str, now: datetime, event_ts: int) -> Update[UserState]:
    """Nothing is asked any more."""
    return _cleared(user_states.upsert(user_id), now, event_ts).when(_in_order(event_ts))


@design.pattern(ja="言語を変える", added=True)
def speak(user_id: str, language: str, now: datetime) -> Transaction:
    """The language from now on: in the settings, which stay, and in the state, which is what every answer reads."""
    chosen = user_settings.put(UserSettings(user_id=user_id, language=language))
    copied = user_states.upsert(user_id).set(UserState.language, language).set(UserState.updated_at, now)
    return Transaction(chosen, copied)


@design.pattern(ja="ブロック・フォロー解除", added=True)
def leave(user_id: str, now: datetime, event_ts: int) -> Update[UserState]:
    """The user has left: nothing is asked, and nothing is sent."""
    left = _cleared(user_states.upsert(user_id), now, event_ts).set(UserState.unfollowed_at, now)
    return left.when(_in_order(event_ts))


@design.pattern(ja="フォロー", added=True)
def join(user_id: str, now: datetime, event_ts: int, language: str) -> Update[UserState]:
    """The user has (again) become a friend of the bot."""
    joined = _cleared(user_states.upsert(user_id), now, event_ts).remove(UserState.unfollowed_at)
    return joined.set(UserState.language, language).when(_in_order(event_ts))


def _answered(user_id: str, awaiting: str, nonce: str, now: datetime, event_ts: int) -> Update[UserState]:
    """The question is answered, if it is still this one and its time is not over."""
    return _cleared(user_states.update(user_id), now, event_ts).when(
        UserState.awaiting_confirmation == awaiting,
        UserState.confirm_nonce == nonce,
        UserState.session_expires_at > now,
        _in_order(event_ts),
    )


@design.pattern(ja="「はい」返答で毎月の寄付を約束", added=True)
def confirm_pledge(pledge: Pledge, awaiting: str, nonce: str, now: datetime, event_ts: int) -> Transaction:
    """Clear the state and keep the pledge, both or neither, if this is still what was asked."""
    return Transaction(_answered(pledge.user_id, awaiting, nonce, now, event_ts), pledges.put(pledge))


@design.pattern(number="3", ja="「はい」返答で寄付を作成（状態クリア＋履歴追加）")
def confirm_donation(donation: Donation, awaiting: str, nonce: str, now: datetime, event_ts: int) -> Transaction:
    """Clear the state and add the donation, both or neither, if this is still what was asked."""
    return Transaction(_answered(donation.user_id, awaiting, nonce, now, event_ts), donations.create(donation))


@design.pattern(number="4", ja="今日の寄付合計（ユーザー別）", sample={"day": date(2025, 8, 20)})
def donations_of_user_on(user_id: str, day: date) -> Query[Donation]:
    """One user's donations made on a Japanese day, to add up. What people are shown counts by `paid_at` instead."""
    return donations.where(Donation.user_id == user_id, Donation.created_at.between(*bounds(day)))


@design.pattern(number="5", ja="今日の寄付合計（全体/県別）")
def donations_on(day: date) -> Query[Donation]:
    """Everyone's donations made on a Japanese day, to add up. `daily_totals` count by `paid_at` instead."""
    return donations_by_day.where(Donation.gsi1_pk == day_partition(day, None))


@design.pattern(ja="今日の寄付合計（キーを分割したとき）", added=True)
def donations_on_shard(day: date, day_shard: int) -> Query[Donation]:
    """The same, where a day is spread over several partitions."""
    return donations_by_day.where(Donation.gsi1_pk == day_partition(day, day_shard))


@design.pattern(
    ja="期間内の寄付（ユーザー別）", added=True, sample={"first": date(2025, 6, 20), "last": date(2025, 8, 20)}
)
def donations_of_user_between(user_id: str, first: date, last: date) -> Query[Donation]:
    """One user's donations made within some days; what was paid later than it was made is among them."""
    return donations.where(Donation.user_id == user_id, Donation.created_at.between(bounds(first)[0], bounds(last)[1]))


@design.pattern(ja="ユーザーの寄付履歴（新しい順）", added=True, page=20)
def history_of_user(user_id: str) -> Query[Donation]:
    """A user's donations, newest first."""
    return donations.where(Donation.user_id == user_id).backwards()


@design.pattern(ja="決済の取引 ID から寄付を引く", added=True)
def donation_of_payment(tx_id: str) -> Query[Donation]:
    """The donation that a payment callback speaks of."""
    return donations_by_payment.where(Donation.tx_id == tx_id)


@design.pattern(ja="未確定のまま残った寄付", added=True)
def pending_before(moment: datetime) -> Query[Donation]:
    """Donations still pending from before a moment, oldest first."""
    return donations_pending.where(Donation.pending_pk == "PENDING", Donation.pending_since < moment)


@design.pattern(ja="スタンプカード", added=True)
def stamp_card(user_id: str) -> Query[Stamp]:
    """A user's stamps, one entry per prefecture."""
    return stamps.where(Stamp.user_id == user_id)


@design.pattern(ja="一日の合計", added=True)
def total_of_day(day: date) -> Ref[DayTotal]:
    """The total of a Japanese day."""
    return day_totals(day)


@design.pattern(ja="県別ランキング", added=True)
def totals_by_prefecture(day: date) -> Query[PrefectureTotal]:
    """The totals of a Japanese day, one per prefecture."""
    return prefecture_totals.where(PrefectureTotal.day == day)


@design.pattern(ja="期間の県別ランキング", added=True)
def totals_of_period(period: str) -> Query[PeriodTotal]:
    """The totals of a month, a year or all time, one per prefecture."""
    return period_totals.where(PeriodTotal.period == period)


@design.pattern(ja="再集計する月", added=True)
def months_to_add_up() -> Query[StaleMonth]:
    """Months whose days have changed since they were added up."""
    return stale_months.where()


@design.pattern(ja="再集計の完了", added=True)
def added_up(found: StaleMonth) -> Delete[StaleMonth]:
    """A month is added up, unless its days have changed meanwhile."""
    return stale_months.delete(found.month).when(StaleMonth.changes == found.changes)


@design.pattern(ja="未処理のまま残ったイベント", added=True)
def unhandled_before(moment: datetime) -> Query[LineEvent]:
    """Events that came before a moment and that nobody has handled, oldest first."""
    return events_unhandled.where(LineEvent.unhandled_pk == "UNHANDLED", LineEvent.received_at < moment)


@design.pattern(ja="イベントを処理済みにする", added=True)
def handled(event_id: str, at: datetime, expires: datetime) -> Put[LineEvent]:
    """Part of the transaction that an event causes, so that it causes it once; what it said is forgotten."""
    mark = line_events.put(LineEvent(event_id=event_id, handled_at=at, expires_at=expires))
    return mark.when(LineEvent.handled_at.absent())


@design.pattern(ja="チャットの表示（新しい順）", added=True, page=60)
def chat_of(user_id: str) -> Query[ChatMessage]:
    """What the chat simulator shows, newest first."""
    return chat_messages.where(ChatMessage.user_id == user_id).backwards()


@design.pattern(ja="ローカル決済を記録", added=True)
def keep_local_payment(payment: LocalPayment, before: LocalPayment | None) -> Put[LocalPayment]:
    """The local provider writes a payment down, if nobody else has meanwhile."""
    if before is None:
        return local_payments.create(payment)
    unchanged = LocalPayment.version == before.version
    return local_payments.put(payment).when(unchanged if before.version else unchanged | LocalPayment.version.absent())


@design.pattern(
    ja="ローカル決済の一覧（入出金の計算）",
    scan="the balance of the local provider, on one machine; a real one keeps its own",
    added=True,
)
def every_local_payment() -> Query[LocalPayment]:
    """All payments of the local provider, to add up its balance; only where no real one is set up."""
    return local_payments.scan()


@design.pattern(ja="その日に届ける毎月の寄付", added=True)
def pledges_on(day_of_month: int) -> Query[Pledge]:
    """Pledges of one day of the month."""
    return pledges_by_day.where(Pledge.day_of_month == day_of_month)


# Access patterns of appeals.


@design.pattern(ja="呼びかけの一覧", added=True)
def all_appeals() -> Query[Appeal]:
    """Appeals, also those that are over."""
    return appeals.where()


@design.pattern(ja="呼びかけごとの金額", added=True)
def all_appeal_sums() -> Query[AppealSum]:
    """What appeals have raised."""
    return appeal_sums.where()


@design.pattern(ja="変更の記録（新しい順）", added=True, page=20)
def changes_of_appeals() -> Query[AppealChange]:
    """Who changed what, newest first."""
    return appeal_changes.where().backwards()


@design.pattern(ja="呼びかけを保存", added=True)
def keep_appeal(appeal: Appeal, change: AppealChange) -> Transaction:
    """An appeal and the record of its change, if nobody else has changed it since it was read."""
    before = appeal.version - 1
    put = appeals.create(appeal) if before == 0 else appeals.put(appeal).when(Appeal.version == before)
    return Transaction(put, appeal_changes.create(change))


@design.pattern(ja="運営者の文言の一覧", added=True)
def all_wordings() -> Query[Wording]:
    """What operators have the bot say instead of its own words."""
    return wordings.where()


@design.pattern(ja="文言を保存", added=True)
def keep_wording(wording: Wording, change: AppealChange) -> Transaction:
    """A text and the record of its change, if nobody else has changed it since it was read."""
    before = wording.version - 1
    put = wordings.create(wording) if before == 0 else wordings.put(wording).when(Wording.version == before)
    return Transaction(put, appeal_changes.create(change))


# Access patterns of the books: what moved at the provider, by month.


SYNC = "sync"


def book_together(entries: Sequence[BookEntry]) -> Transaction:
    """Several of one month at once, the balance written once: what takes a busy month over in time."""
    marks = [booked.create(Booked(movement=one.movement, month=one.month, net=one.net)) for one in entries]
    return Transaction(
        *marks,
        book_months.must_not_exist(entries[0].month),
        *(book_entries.put(one) for one in entries),
        book_marks.upsert(SYNC).add(BookMark.booked, sum(one.net for one in entries)),
    )


@design.pattern(ja="入出金を計上", added=True)
def book(entry: BookEntry) -> Transaction:
    """Once, and only in a month that is open; the balance of the books moves with it."""
    return book_together([entry])


@design.pattern(ja="計上済みか", added=True)
def is_booked(movement: str) -> Ref[Booked]:
    """Where a movement is booked, if it is."""
    return booked(movement).consistent()


@design.pattern(ja="月の入出金", added=True)
def entries_of(month: str) -> Query[BookEntry]:
    """All that is booked in a month, by time."""
    return book_entries.where(BookEntry.month == month)


@design.pattern(ja="月を締める", added=True)
def close_month(closed: BookMonth) -> Put[BookMonth]:
    """Freeze a month, once."""
    return book_months.create(closed)


@design.pattern(ja="締めた月の一覧", added=True)
def closed_months() -> Query[BookMonth]:
    """Months that are closed."""
    return book_months.where()


@design.pattern(ja="取り込みの位置", added=True)
def book_mark(name: str) -> Ref[BookMark]:
    """How far the provider's movements are in the books."""
    return book_marks(name).consistent()


# Access patterns of money: payments, refunds, what they add to the totals.


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


def _if_unchanged(update: Update[Donation], donation: Donation) -> Update[Donation]:
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
    return _if_unchanged(update, donation)


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
    return _if_unchanged(update, donation)


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


# Access patterns of receipts: numbered without gaps, cancelled and never reused.


LAST = "LAST"


def _pointer(receipt: Receipt, what: str) -> ReceiptFor:
    return ReceiptFor(user_id=receipt.user_id, what=what, year=receipt.year, number=receipt.number)


@design.pattern(ja="受領書の取り消し", added=True)
def cancel_receipt(found: Receipt, at: datetime, replaced_by: str | None) -> Update[Receipt]:
    """It is no longer valid; its number stays taken."""
    update = receipts.update(found.year, found.number).set(Receipt.cancelled_at, at)
    update = update if replaced_by is None else update.set(Receipt.replaced_by, replaced_by)
    return update.when(Receipt.cancelled_at.absent())


@design.pattern(ja="受領書の発行（採番・差し替え）", added=True)
def issue_receipt(receipt: Receipt, before: ReceiptFor | None) -> Transaction:
    """Take the next number and write the receipt, in the transaction that cancels those it replaces. `before` is the
    donor's newest receipt as it was read; whoever was quicker wins."""
    counter = receipt_counters.upsert(receipt.year).set(ReceiptCounter.last, receipt.number)
    first = receipt.number == 1
    free = ReceiptCounter.last.absent() if first else ReceiptCounter.last == receipt.number - 1
    actions: list[Action[Any, Any]] = [
        counter.when(free),
        receipts.create(receipt),
        receipts_for.put(_pointer(receipt, receipt.what)),
    ]
    last = receipts_for.put(_pointer(receipt, LAST))
    unchanged = (ReceiptFor.year == before.year) & (ReceiptFor.number == before.number) if before else None
    actions.append(last.when(ReceiptFor.number.absent() if unchanged is None else unchanged))
    return Transaction(*actions)


@design.pattern(ja="最後の番号", added=True)
def last_number(year: int) -> Ref[ReceiptCounter]:
    """How far the numbers of a year have come."""
    return receipt_counters(year).consistent()


@design.pattern(ja="受領書を番号で引く", added=True)
def receipt_of(year: int, number: int) -> Ref[Receipt]:
    """One receipt."""
    return receipts(year, number).consistent()


@design.pattern(ja="有効な受領書を引く", added=True)
def receipt_in_force(user_id: str, what: str) -> Ref[ReceiptFor]:
    """The receipt of a year or of a donation."""
    return receipts_for(user_id, what).consistent()


@design.pattern(ja="寄付者の受領書", added=True)
def receipts_of_user(user_id: str) -> Query[ReceiptFor]:
    """All that a donor has receipts for."""
    return receipts_for.where(ReceiptFor.user_id == user_id)


@design.pattern(ja="受領書の控え（発行年別）", added=True)
def register_of(year: int) -> Query[Receipt]:
    """Every receipt of a year, by number."""
    return receipts.where(Receipt.year == year)


@design.pattern(ja="氏名・住所を引く", added=True)
def details_of(user_id: str) -> Ref[DonorDetails]:
    """Whom receipts are for."""
    return donor_details(user_id).consistent()


@design.pattern(ja="氏名・住所を登録", added=True)
def keep_details(details: DonorDetails) -> Put[DonorDetails]:
    """What was said last counts."""
    return donor_details.put(details)
