"""Access patterns: those of the document first, then what the bot needs besides."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from sekkei.design import (
    Condition,
    Delete,
    Put,
    Query,
    Ref,
    Transaction,
    Update,
)
from sekkei_systems.chiipochi.design.models import (
    JST,
    ChatMessage,
    DayTotal,
    Donation,
    LineEvent,
    LocalPayment,
    PeriodTotal,
    Pledge,
    PrefectureTotal,
    StaleMonth,
    Stamp,
    UserSettings,
    UserState,
    day_partition,
)
from sekkei_systems.chiipochi.design.tables import (
    chat_messages,
    day_totals,
    design,
    donations,
    donations_by_day,
    donations_by_payment,
    donations_pending,
    events_unhandled,
    line_events,
    local_payments,
    period_totals,
    pledges,
    pledges_by_day,
    prefecture_totals,
    stale_months,
    stamps,
    user_settings,
    user_states,
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
