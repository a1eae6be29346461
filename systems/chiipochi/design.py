"""ちいポチ's tables: where a user is in the conversation, and every donation.

Names of tables, keys, indexes and attributes are those of the original document, to the letter. What it lacks and the
bot needs is marked `added=True`. A day is a Japanese day; instants are stored in UTC with milliseconds, so that two
donations within a second do not overwrite each other.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from enum import Enum

from sekkei.design import (
    Attr,
    Design,
    Index,
    Key,
    Query,
    Ref,
    Transaction,
    Update,
    attr,
    computed,
    epoch,
    iso,
    model,
    part,
    template,
)


class Status(Enum):
    PENDING = "PENDING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


JST = timezone(timedelta(hours=9))
UTC_MILLISECONDS = iso("Z", digits=3)

design = Design("chiipochi", ja="LINE 寄付ボット「ちいポチ🐾」", en="LINE donation bot")

states_table = design.table(
    "user_states",
    "id",
    ttl="session_expires_at",
    ja="ユーザーの現在の状態",
    en="Where each user is in the conversation",
)
donations_table = design.table(
    "donation_history",
    "user_id",
    "created_at",
    stream="NEW_AND_OLD_IMAGES",
    indexes=[
        Index("GSI1", "gsi1_pk", "gsi1_sk", ja="日次集計用", en="donations of one day"),
        Index("GSI2", "tx_id", ja="決済からの逆引き", en="the donation of a payment", added=True),
        Index("GSI3", "pending_pk", "created_at", ja="未確定の寄付", en="payments not settled yet", added=True),
    ],
    ja="寄付の履歴（時系列）",
    en="Every donation, by time",
)
stamps_table = design.table("stamps", "user_id", "stamp_key", ja="スタンプカード", en="Stamp cards", added=True)
totals_table = design.table(
    "daily_totals", "day_key", "total_key", ja="日次合計（全体・県別）", en="Totals per day and prefecture", added=True
)


@model
class UserState:
    user_id: Attr[str] = attr("id", ja="LINE のユーザー ID", en="LINE user")
    awaiting_confirmation: Attr[str | None] = attr(
        default=None, ja='確認待ちの県。例: "CHIBA_pending"', en="the prefecture to confirm, such as CHIBA_pending"
    )
    updated_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="最終更新日時", en="last change")
    session_expires_at: Attr[datetime | None] = attr(
        default=None, stored_as=epoch(), ja="状態の期限（TTL）", en="when the state is forgotten (TTL)"
    )
    amount: Attr[int | None] = attr(default=None, ja="選ばれた金額", en="the chosen amount", added=True)
    confirm_nonce: Attr[str | None] = attr(
        default=None, ja="確認ボタンの印", en="ties a button to its question", added=True
    )
    last_event_ts: Attr[int | None] = attr(
        default=None, ja="最後に処理したイベントの時刻", en="time of the last event, in milliseconds", added=True
    )


def japanese_day(created_at: datetime) -> date:
    return created_at.astimezone(JST).date()


def pending_partition(status: Status) -> str | None:
    return "PENDING" if status is Status.PENDING else None


@model
class Donation:
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    created_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="寄付発生日時（ソート用）", en="when it was made")
    amount: Attr[int] = attr(ja="金額（例: 100）", en="yen")
    prefecture: Attr[str] = attr(ja='都道府県（例: "CHIBA"）', en="prefecture, such as CHIBA")
    status: Attr[Status] = attr(default=Status.PENDING, ja="状態", en="how the payment stands")
    tx_id: Attr[str | None] = attr(default=None, ja="取引 ID（決済 API から返る値）", en="the payment's own id")
    day: Attr[date] = computed(japanese_day, keep=False, ja="日本の日付", en="the Japanese day")
    gsi1_pk: Attr[str] = template("DATE#{day}", ja="集計用キー", en="partition of GSI1")
    gsi1_sk: Attr[str] = template("USER#{user_id}#{created_at}", ja="集計用ソートキー", en="sort key of GSI1")
    idempotency_key: Attr[str | None] = attr(default=None, ja="重複防止キー", en="makes a donation happen once")
    pending_pk: Attr[str | None] = computed(pending_partition, ja="未確定の印", en="set while pending", added=True)
    refunded_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="返金日時", en="when it was given back", added=True
    )


@model
class Stamp:
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    prefecture: Attr[str] = part(ja="都道府県", en="prefecture")
    count: Attr[int] = attr(default=0, ja="枚数", en="how many")


@model
class Award:
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    donated_at: Attr[datetime] = part(stored_as=UTC_MILLISECONDS, ja="寄付日時", en="the donation's time")
    prefecture: Attr[str] = attr(ja="都道府県", en="prefecture")


@model
class DayTotal:
    day: Attr[date] = part(ja="日付（JST）", en="Japanese day")
    amount: Attr[int] = attr(default=0, ja="金額", en="yen")
    count: Attr[int] = attr(default=0, ja="件数", en="how many")


@model
class PrefectureTotal:
    day: Attr[date] = part(ja="日付（JST）", en="Japanese day")
    prefecture: Attr[str] = part(ja="都道府県", en="prefecture")
    amount: Attr[int] = attr(default=0, ja="金額", en="yen")
    count: Attr[int] = attr(default=0, ja="件数", en="how many")


@states_table.entity(UserState, ja="ユーザー状態", en="user state")
def user_states(user_id: str) -> Key:
    return Key(user_id)


@donations_table.entity(Donation, ja="寄付", en="donation")
def donations(user_id: str, created_at: datetime) -> Key:
    return Key(user_id, created_at)


@stamps_table.entity(Stamp, ja="県のスタンプ", en="stamps of a prefecture", added=True)
def stamps(user_id: str, prefecture: str) -> Key:
    return Key(user_id, f"STAMP#{prefecture}")


@stamps_table.entity(Award, ja="スタンプの授与", en="a stamp given for a donation", added=True)
def awards(user_id: str, donated_at: datetime) -> Key:
    return Key(user_id, f"AWARD#{donated_at}")


@totals_table.entity(DayTotal, ja="全体の合計", en="total of a day", added=True)
def day_totals(day: date) -> Key:
    return Key(f"DATE#{day}", "ALL")


@totals_table.entity(PrefectureTotal, ja="県別の合計", en="total of a prefecture on a day", added=True)
def prefecture_totals(day: date, prefecture: str) -> Key:
    return Key(f"DATE#{day}", f"PREF#{prefecture}")


donations_by_day = donations.index("GSI1")
donations_by_payment = donations.index("GSI2")
donations_pending = donations.index("GSI3")


def bounds(day: date) -> tuple[datetime, datetime]:
    """The first and the last stored instant of a Japanese day."""
    start = datetime.combine(day, time(), JST)
    return start, start + timedelta(days=1) - timedelta(milliseconds=1)


# Access patterns of the document


@design.pattern(number="1", ja="現在の状態取得")
def state(user_id: str) -> Ref[UserState]:
    """Is a confirmation pending for this user?"""
    return user_states(user_id).consistent()


@design.pattern(number="2", ja="状態を更新")
def await_confirmation(state: UserState) -> Update[UserState]:
    """Remember what was asked; an older event never overwrites a newer one."""
    newer = UserState.last_event_ts.absent()
    if state.last_event_ts is not None:
        newer = newer | (UserState.last_event_ts <= state.last_event_ts)
    return (
        user_states.upsert(state.user_id)
        .set(UserState.awaiting_confirmation, state.awaiting_confirmation)
        .set(UserState.amount, state.amount)
        .set(UserState.confirm_nonce, state.confirm_nonce)
        .set(UserState.session_expires_at, state.session_expires_at)
        .set(UserState.updated_at, state.updated_at)
        .set(UserState.last_event_ts, state.last_event_ts)
        .when(newer)
    )


@design.pattern(number="3", ja="「はい」返答で寄付を作成（状態クリア＋履歴追加）")
def confirm_donation(
    donation: Donation, awaiting: str, nonce: str, now: datetime, token: str | None = None
) -> Transaction:
    """Clear the state and add the donation, both or neither, if this is still what was asked."""
    cleared = (
        user_states.update(donation.user_id)
        .remove(UserState.awaiting_confirmation)
        .remove(UserState.amount)
        .remove(UserState.confirm_nonce)
        .remove(UserState.session_expires_at)
        .set(UserState.updated_at, now)
        .when(
            UserState.awaiting_confirmation == awaiting,
            UserState.confirm_nonce == nonce,
            UserState.session_expires_at > now,
        )
    )
    return Transaction(cleared, donations.create(donation), token=token)


@design.pattern(number="4", ja="今日の寄付合計（ユーザー別）", sample={"day": date(2025, 8, 20)})
def donations_of_user_on(user_id: str, day: date) -> Query[Donation]:
    """One user's donations on a Japanese day, to add up."""
    return donations.where(Donation.user_id == user_id, Donation.created_at.between(*bounds(day)))


@design.pattern(number="5", ja="今日の寄付合計（全体/県別）")
def donations_on(day: date) -> Query[Donation]:
    """Everyone's donations on a Japanese day, to add up in all and per prefecture."""
    return donations_by_day.where(Donation.day == day)


# Added


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
    return donations_pending.where(Donation.pending_pk == "PENDING", Donation.created_at < moment)


@design.pattern(ja="決済結果の反映", added=True)
def settle(user_id: str, created_at: datetime, status: Status, tx_id: str) -> Update[Donation]:
    """Write a payment's outcome once; repeated and late callbacks change nothing."""
    update = donations.update(user_id, created_at).set(Donation.status, status).set(Donation.tx_id, tx_id)
    return update.when(Donation.status == Status.PENDING)


@design.pattern(ja="スタンプ付与と日次合計の加算", added=True)
def award_stamp(donation: Donation) -> Transaction:
    """A stamp and the day's totals for a donation that succeeded; a replayed record changes nothing."""
    award = Award(user_id=donation.user_id, donated_at=donation.created_at, prefecture=donation.prefecture)
    day, prefecture, amount = donation.day, donation.prefecture, donation.amount
    return Transaction(
        awards.create(award),
        stamps.upsert(donation.user_id, prefecture).add(Stamp.count, 1),
        day_totals.upsert(day).add(DayTotal.amount, amount).add(DayTotal.count, 1),
        prefecture_totals.upsert(day, prefecture).add(PrefectureTotal.amount, amount).add(PrefectureTotal.count, 1),
    )


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


user_states.example(
    UserState(
        user_id="U123456",
        awaiting_confirmation="CHIBA_pending",
        updated_at=datetime.fromisoformat("2025-08-20T05:10:00Z"),
    )
)
donations.example(
    Donation(
        user_id="U123456",
        created_at=datetime.fromisoformat("2025-08-20T05:13:10Z"),
        amount=100,
        prefecture="CHIBA",
    )
)
