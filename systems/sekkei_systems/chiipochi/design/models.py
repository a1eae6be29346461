"""What ちいポチ stores: the attributes of each kind of item, with their names as the original document spells them."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from enum import Enum
from typing import Any

from sekkei.design import Attr, attr, computed, epoch, iso, model, part, template

JST = timezone(timedelta(hours=9))
UTC_MILLISECONDS = iso("Z", digits=3)


FORGOTTEN = "FORGOTTEN-"
"""How the id of somebody begins who asked to be forgotten."""


def is_forgotten(user_id: str) -> bool:
    return user_id.startswith(FORGOTTEN)


_BY_HAND = "by hand: "


def by_hand(operator_id: str) -> str:
    """Instead of a provider's id of a refund: who gave the money back."""
    return _BY_HAND + operator_id


def is_by_hand(refund_id: str | None) -> bool:
    """The provider will never know of such a refund."""
    return refund_id is not None and refund_id.startswith(_BY_HAND)


class Status(Enum):
    PENDING = "PENDING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


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
    asked_by: Attr[str | None] = attr(
        default=None, ja="質問のもとになったメッセージ", en="the message that led to the question", added=True
    )
    language: Attr[str | None] = attr(
        default=None, ja="話す言語（設定の写し）", en="the language to speak, copied from the settings", added=True
    )
    unfollowed_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="ブロックされた日時", en="when the user left the bot", added=True
    )


@model
class UserSettings:
    """Apart from the state, because the state is forgotten when its time is over."""

    user_id: Attr[str] = attr(ja="LINE のユーザー ID", en="LINE user")
    language: Attr[str] = attr(ja="話す言語（ja / en）", en="ja or en")


def japanese_day(created_at: datetime) -> date:
    return created_at.astimezone(JST).date()


def day_partition(day: date, day_shard: int | None) -> str:
    """One partition a day, as the document has it; with shards, a burst is spread over several."""
    return f"DATE#{day}" if day_shard is None else f"DATE#{day}#{day_shard}"


def donations_partition(created_at: datetime, day_shard: int | None) -> str:
    return day_partition(japanese_day(created_at), day_shard)


def pending_partition(status: Status) -> str | None:
    return "PENDING" if status is Status.PENDING else None


def waiting_since(status: Status, created_at: datetime) -> datetime | None:
    return created_at if status is Status.PENDING else None


def refund_partition(
    amount: int,
    paid_late_at: datetime | None,
    refund_asked_at: datetime | None,
    refund_failed_at: datetime | None,
    refunded_at: datetime | None,
    refunded_amount: int | None,
    dispute: Dispute | None,
) -> str | None:
    """OWED while somebody has to see to it, DONE once money went back, also a part of it. What a bank has taken is no
    longer ours to give."""
    if refunded_at is not None and (refunded_amount is None or refunded_amount >= amount):
        return "DONE"
    wanted = refund_asked_at is not None or refund_failed_at is not None or paid_late_at is not None
    if wanted and dispute is not Dispute.LOST:
        return "OWED"
    return "DONE" if refunded_at is not None else None


def paid_day(created_at: datetime, paid_at: datetime | None) -> date:
    """The day that a donation counts for: when its money came. Rows of before have no `paid_at`: when it was made."""
    return japanese_day(paid_at or created_at)


class Dispute(Enum):
    """A payment that the cardholder's bank has taken back, or not."""

    OPEN = "open"
    WON = "won"
    LOST = "lost"


@model
class Donation:
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    created_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="寄付発生日時（ソート用）", en="when it was made")
    amount: Attr[int] = attr(ja="金額（例: 100）", en="yen")
    prefecture: Attr[str] = attr(ja='都道府県（例: "CHIBA"）', en="prefecture, such as CHIBA")
    status: Attr[Status] = attr(default=Status.PENDING, ja="状態", en="how the payment stands")
    tx_id: Attr[str | None] = attr(default=None, ja="取引 ID（決済 API から返る値）", en="the payment's own id")
    recipient_ja: Attr[str | None] = attr(
        default=None, ja="寄付先の名前（県以外）", en="the recipient's name, where it is no prefecture", added=True
    )
    recipient_en: Attr[str | None] = attr(
        default=None, ja="寄付先の英語名（県以外）", en="the same in English", added=True
    )
    day: Attr[date] = computed(japanese_day, keep=False, ja="日本の日付", en="the Japanese day")
    day_shard: Attr[int | None] = attr(
        default=None, ja="日次キーの分割番号", en="spreads a day's partition under a burst", added=True
    )
    gsi1_pk: Attr[str] = computed(donations_partition, ja="集計用キー（DATE#YYYY-MM-DD）", en="partition of GSI1")
    gsi1_sk: Attr[str] = template("USER#{user_id}#{created_at}", ja="集計用ソートキー", en="sort key of GSI1")
    idempotency_key: Attr[str | None] = attr(default=None, ja="重複防止キー", en="makes a donation happen once")
    pending_pk: Attr[str | None] = computed(pending_partition, ja="未確定の印", en="set while pending", added=True)
    pending_since: Attr[datetime | None] = computed(
        waiting_since, stored_as=UTC_MILLISECONDS, ja="未確定になった日時", en="since when it is pending", added=True
    )
    paid_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="入金された日時", en="when the money came", added=True
    )
    paid_day: Attr[date] = computed(paid_day, keep=False, ja="入金された日（JST）", en="the Japanese day of the money")
    payment_ref: Attr[str | None] = attr(
        default=None, ja="決済会社の支払い ID", en="what the provider calls the money itself", added=True
    )
    waiting_for: Attr[str | None] = attr(
        default=None, ja="入金待ちの方法（konbini など）", en="how the money is to come (konbini, …)", added=True
    )
    pay_by: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="支払い期限", en="until when it can be paid", added=True
    )
    pay_url: Attr[str | None] = attr(
        default=None, ja="支払い方法の案内", en="where the payer reads how to pay", added=True
    )
    looked_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="最後に問い合わせた日時", en="when we last asked", added=True
    )
    paid_late_at: Attr[datetime | None] = attr(
        default=None,
        stored_as=UTC_MILLISECONDS,
        ja="失敗とした後に入金された日時",
        en="when money came after it was given up",
        added=True,
    )
    refund_asked_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="返金を指示した日時", en="when a refund was asked for", added=True
    )
    refund_asked_by: Attr[str | None] = attr(
        default=None, ja="返金を指示した運営者", en="who asked for the refund", added=True
    )
    refund_failed_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="返金に失敗した日時", en="when a refund failed", added=True
    )
    refunded_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="返金日時", en="when it was refunded", added=True
    )
    refunded_amount: Attr[int | None] = attr(
        default=None, ja="返金額（なければ全額）", en="yen refunded; all of it where absent", added=True
    )
    dispute: Attr[Dispute | None] = attr(
        default=None, ja="チャージバック（open / won / lost）", en="a chargeback: open, won or lost", added=True
    )
    refund_id: Attr[str | None] = attr(default=None, ja="返金の取引 ID", en="the refund's own id", added=True)
    by_hand: Attr[int | None] = attr(
        default=None, ja="手作業で返金した金額", en="yen given back outside of the provider", added=True
    )
    answers: Attr[int | None] = attr(
        default=None, ja="返金・チャージバックの照会回数", en="how often we wrote what became of the money", added=True
    )
    refund_pk: Attr[str | None] = computed(
        refund_partition, ja="返金の印（OWED / DONE）", en="OWED until it is given back, DONE after", added=True
    )

    @property
    def refunded(self) -> int:
        """Yen that went back to the donor."""
        if self.refunded_amount is not None:
            return self.refunded_amount
        return self.amount if self.refunded_at is not None else 0

    @property
    def given_by_hand(self) -> int:
        """Yen that went back outside of the provider, which will never know of them."""
        if self.by_hand is not None:
            return self.by_hand
        return self.refunded if is_by_hand(self.refund_id) else 0

    @property
    def was_cash(self) -> bool:
        """It was paid at a till. The provider sends it back to an account that the payer names when its mail asks."""
        return self.waiting_for == "konbini"

    @property
    def kept(self) -> int:
        """Yen that arrived and stayed: not refunded, and not taken back by a bank."""
        if self.status is not Status.SUCCEEDED or self.dispute in (Dispute.OPEN, Dispute.LOST):
            return 0
        return max(0, self.amount - self.refunded)

    @property
    def standing(self) -> str:
        """How it stands, in one word for people; the texts have one for each."""
        if self.status is not Status.SUCCEEDED:
            return "waiting" if self.status is Status.PENDING and self.waiting_for else self.status.value.lower()
        if self.dispute in (Dispute.OPEN, Dispute.LOST):
            return f"dispute-{self.dispute.value}"
        return "succeeded" if not self.refunded else "partly-refunded" if self.kept else "refunded"

    @property
    def is_refund_running(self) -> bool:
        """The provider has been asked for a refund and has not done it yet."""
        asked = self.refund_asked_at is not None and self.refund_failed_at is None
        return asked and self.refund_pk == "OWED"

    @property
    def counts(self) -> bool:
        """Is it in the totals?"""
        return self.kept > 0


@model
class Stamp:
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    prefecture: Attr[str] = part(ja="都道府県", en="prefecture")
    count: Attr[int] = attr(default=0, ja="枚数", en="how many")


@model
class Award:
    """What a donation has added to the totals. A row of before lacks `amount` and `day`: all of it, on the day it was
    made, unless there is a `Return` beside it."""

    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    donated_at: Attr[datetime] = part(stored_as=UTC_MILLISECONDS, ja="寄付日時", en="the donation's time")
    prefecture: Attr[str] = attr(ja="都道府県", en="prefecture")
    amount: Attr[int | None] = attr(default=None, ja="合計に加えた金額", en="yen in the totals")
    day: Attr[date | None] = attr(default=None, ja="合計の日付", en="the day of the totals")


@model
class PaidDonation:
    """A donation under the day on which its money came."""

    day: Attr[date] = part(ja="入金日（JST）", en="Japanese day")
    shard: Attr[int] = part(ja="分割番号", en="spreads a day under a burst")
    user_id: Attr[str] = part(ja="LINE ユーザー ID", en="LINE user")
    created_at: Attr[datetime] = part(stored_as=UTC_MILLISECONDS, ja="寄付日時", en="the donation's time")


@model
class PaymentOrder:
    """Which donation a payment is for; later news of a provider names only the payment."""

    payment_ref: Attr[str] = part(ja="支払い ID", en="the payment")
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    created_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="寄付日時", en="the donation's time")


@model
class Surplus:
    """A second payment for a donation that had been paid: money that is owed back."""

    tx_id: Attr[str] = part(ja="取引 ID", en="the payment's own id")
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    created_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="寄付日時", en="the donation's time")
    prefecture: Attr[str] = attr(ja="都道府県", en="prefecture")
    amount: Attr[int] = attr(ja="金額", en="yen")
    paid_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="入金日時", en="when the money came")
    refund_asked_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="返金を指示した日時", en="when a refund was asked for"
    )
    refund_asked_by: Attr[str | None] = attr(default=None, ja="返金を指示した運営者", en="who asked for the refund")
    refund_failed_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="返金に失敗した日時", en="when a refund failed"
    )
    refunded_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="返金日時", en="when it was refunded"
    )
    refund_id: Attr[str | None] = attr(default=None, ja="返金の取引 ID", en="the refund's own id")
    answers: Attr[int | None] = attr(
        default=None, ja="返金の照会回数", en="how often we wrote what became of the money"
    )

    @property
    def is_refund_running(self) -> bool:
        asked = self.refund_asked_at is not None and self.refund_failed_at is None
        return asked and self.refunded_at is None


@model
class Return:
    """Written until 0.1: a refund that had left the totals. Today the award says it."""

    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    donated_at: Attr[datetime] = part(stored_as=UTC_MILLISECONDS, ja="寄付日時", en="the donation's time")


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


@model
class PeriodTotal:
    """Of a month (2025-08), a year (2025) or all time (all), as far as the days are added up."""

    period: Attr[str] = part(ja="期間（2025-08 / 2025 / all）", en="a month, a year, or all")
    prefecture: Attr[str] = part(ja="都道府県", en="prefecture")
    amount: Attr[int] = attr(default=0, ja="金額", en="yen")
    count: Attr[int] = attr(default=0, ja="件数", en="how many")
    through: Attr[date] = attr(ja="集計済みの最終日", en="the last day that is added up")


@model
class StaleMonth:
    """A month whose days have changed since they were added up; the next night adds them up anew."""

    month: Attr[date] = part(ja="月の初日", en="the month's first day")
    changes: Attr[int] = attr(default=0, ja="変更の回数", en="how many changes")


def unhandled_partition(handled_at: datetime | None) -> str | None:
    return "UNHANDLED" if handled_at is None else None


@model
class LineEvent:
    """One event, remembered so that it is handled once. Its content is kept only until then."""

    event_id: Attr[str] = attr(ja="webhookEventId", en="LINE's id of the event")
    event: Attr[str | None] = attr(
        default=None, ja="未処理のイベント本体（JSON）", en="the event in JSON, until handled"
    )
    received_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="処理待ちになった日時", en="since when it waits"
    )
    handled_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="処理日時", en="when it was handled"
    )
    unhandled_pk: Attr[str | None] = computed(unhandled_partition, ja="未処理の印", en="set until it is handled")
    expires_at: Attr[datetime] = attr(stored_as=epoch(), ja="期限（TTL）", en="when it is forgotten (TTL)")


@model
class ChatMessage:
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    at: Attr[datetime] = part(stored_as=UTC_MILLISECONDS, ja="日時", en="when")
    message_id: Attr[str] = part(ja="メッセージ ID", en="message")
    sender: Attr[str] = attr(ja="送信者（user / bot）", en="user or bot")
    messages: Attr[list[dict[str, Any]]] = attr(ja="LINE メッセージ", en="LINE messages")
    expires_at: Attr[datetime] = attr(stored_as=epoch(), ja="期限（TTL）", en="when it is forgotten (TTL)")


class Outcome(Enum):
    """Of a payment, as a provider knows it."""

    OPEN = "open"
    WAITING = "waiting"
    """The payer has chosen a way that takes days: a convenience store, a bank transfer."""
    PAID = "paid"
    FAILED = "failed"


@model
class LocalPayment:
    tx_id: Attr[str] = attr(ja="取引 ID", en="the payment")
    order_id: Attr[str] = attr(ja="注文 ID", en="our order")
    amount: Attr[int] = attr(ja="金額", en="yen")
    outcome: Attr[Outcome] = attr(default=Outcome.OPEN, ja="結果", en="what became of it")
    description: Attr[str] = attr(default="", ja="内容", en="what is paid for")
    return_url: Attr[str] = attr(default="", ja="戻り先", en="where the payer goes next")
    cancel_url: Attr[str] = attr(default="", ja="中止したときの戻り先", en="where a payer goes who cancels")
    open_until: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="受付期限", en="until when it can be begun"
    )
    decided_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="決まった日時", en="when it was decided"
    )
    refunded_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="返金日時", en="when it was given back"
    )
    created_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="作成日時", en="when it was made")
    account: Attr[str | None] = attr(
        default=None, ja="決済会社の台帳（JSON）", en="the provider's ledger of it, in JSON; absent in the demo"
    )
    version: Attr[int] = attr(default=0, ja="版", en="how often it was written")


@model
class Pledge:
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    prefecture: Attr[str] = attr(ja="都道府県", en="prefecture")
    amount: Attr[int] = attr(ja="毎月の金額", en="yen a month")
    day_of_month: Attr[int] = attr(ja="毎月の日", en="which day of the month")
    created_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="約束した日時", en="when it was made")
    last_month: Attr[str | None] = attr(default=None, ja="最後に届けた月", en="the last month that was asked for")
    recipient_ja: Attr[str | None] = attr(default=None, ja="呼びかけの名前", en="name of the appeal")
    recipient_en: Attr[str | None] = attr(default=None, ja="呼びかけの英語の名前", en="its name in English")


# What is stored of appeals: their words, goals and periods, and who changed what.


APPEAL = "APPEAL-"
"""How the recipient of an appeal's donations is spelled, where a prefecture's code stands: APPEAL-NOTO."""


@model
class Appeal:
    code: Attr[str] = part(ja="記号（例: NOTO）", en="its code, such as NOTO")
    ja: Attr[str] = attr(ja="名前", en="its name in Japanese")
    en: Attr[str] = attr(default="", ja="英語の名前", en="its name in English")
    words: Attr[list[str]] = attr(ja="呼びかけの言葉", en="what people type")
    says_ja: Attr[str] = attr(default="", ja="説明", en="what it says in Japanese")
    says_en: Attr[str] = attr(default="", ja="英語の説明", en="what it says in English")
    amounts: Attr[list[int]] = attr(
        default_factory=list, ja="すすめる金額", en="sums that it offers, the first as usual"
    )
    monthly: Attr[bool] = attr(default=False, ja="毎月の寄付も受け付ける", en="may it be given to every month?")
    goal: Attr[int] = attr(ja="目標額", en="its goal in yen")
    first: Attr[date] = attr(ja="開始日", en="its first day")
    last: Attr[date] = attr(ja="終了日", en="its last day")
    version: Attr[int] = attr(default=0, ja="版", en="how often it was changed")

    @property
    def recipient(self) -> str:
        return APPEAL + self.code


@model
class AppealSum:
    """What an appeal has raised; it moves with the totals of its days."""

    code: Attr[str] = part(ja="記号", en="its code")
    amount: Attr[int] = attr(default=0, ja="集まった金額", en="yen")
    count: Attr[int] = attr(default=0, ja="件数", en="how many")


@model
class Wording:
    """What an operator has the bot say instead of its own words, or the sums that it offers."""

    name: Attr[str] = part(ja="文の名前（例: welcome）", en="which text, such as welcome")
    ja: Attr[str] = attr(default="", ja="日本語の文", en="its words in Japanese")
    en: Attr[str] = attr(default="", ja="英語の文", en="its words in English")
    amounts: Attr[list[int]] = attr(default_factory=list, ja="すすめる金額", en="sums that are offered")
    version: Attr[int] = attr(default=0, ja="版", en="how often it was changed")


@model
class AppealChange:
    """Who changed an appeal, a text or the sums, when, and what it was before."""

    at: Attr[datetime] = part(stored_as=UTC_MILLISECONDS, ja="日時", en="when")
    code: Attr[str] = part(ja="記号", en="which appeal, or which text")
    by: Attr[str] = attr(ja="変更した運営者", en="who")
    changes: Attr[list[str]] = attr(ja="変更の内容", en="what was changed")


# What is stored for the books: receipts and whom they are for, and what moved at the provider.


FIRST = "FIRST"


def receipt_code(year: int, number: int) -> str:
    return f"{year}-{number:06d}"


def receipt_key(code: str) -> tuple[int, int]:
    """The year and the number of 2025-000001."""
    year, _, number = code.partition("-")
    return int(year), int(number)


@model
class ReceiptCounter:
    """The last number of a year; it grows in the transaction that writes a receipt, so that no number is left out."""

    year: Attr[int] = part(ja="年", en="year")
    last: Attr[int] = attr(ja="最後の番号", en="the last number")


@model
class Receipt:
    """As it was issued. It is never changed, only cancelled; a corrected one has a number of its own."""

    year: Attr[int] = part(ja="発行年", en="the year it was issued in")
    number: Attr[int] = part(ja="番号", en="number within the year")
    user_id: Attr[str] = attr(ja="LINE ユーザー ID", en="LINE user")
    what: Attr[str] = attr(ja="対象（YEAR-2025 / DONATION-日時）", en="a year's donations, or one of them")
    amount: Attr[int] = attr(ja="金額", en="yen")
    lines: Attr[list[dict[str, Any]]] = attr(ja="内訳", en="what the amount is made of")
    given: Attr[list[str] | None] = attr(
        default=None, ja="対象の寄付（日時）", en="which donations it is for, by their time"
    )
    paid_from: Attr[date] = attr(ja="最初の入金日", en="the day of the first payment")
    paid_to: Attr[date] = attr(ja="最後の入金日", en="the day of the last payment")
    sender: Attr[dict[str, str]] = attr(ja="発行者", en="who issued it")
    sealed: Attr[str | None] = attr(default=None, ja="宛名（暗号化）", en="name and address, sealed")
    issued_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="発行日時", en="when it was issued")
    cancelled_at: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="取り消した日時", en="when it was cancelled"
    )
    replaced_by: Attr[str | None] = attr(default=None, ja="差し替え先の番号", en="the number that replaces it")
    before: Attr[str | None] = attr(
        default=None, ja="寄付者の一つ前の番号（なければ FIRST）", en="the donor's receipt before it, or FIRST"
    )

    @property
    def code(self) -> str:
        """As it is printed: 2025-000001."""
        return receipt_code(self.year, self.number)


@model
class ReceiptFor:
    """The receipt in force for something that was given; `LAST` is the donor's newest, and keeps two from being
    issued at once."""

    user_id: Attr[str] = part(ja="LINE ユーザー ID", en="LINE user")
    what: Attr[str] = part(ja="対象", en="what it is for")
    year: Attr[int] = attr(ja="発行年", en="the year it was issued in")
    number: Attr[int] = attr(ja="番号", en="its number")

    @property
    def code(self) -> str:
        return receipt_code(self.year, self.number)


@model
class DonorDetails:
    """Name and address, of whoever wants a receipt for the tax office."""

    user_id: Attr[str] = part(ja="LINE ユーザー ID", en="LINE user")
    sealed: Attr[str] = attr(ja="氏名・住所（暗号化）", en="name and address, sealed")
    updated_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="登録日時", en="when it was given")


@model
class BookEntry:
    """One movement at the provider, in the month it is booked in. It names a payment and no person."""

    month: Attr[str] = part(ja="計上月（2025-08）", en="the month it is booked in")
    at: Attr[datetime] = part(stored_as=UTC_MILLISECONDS, ja="発生日時", en="when it happened")
    movement: Attr[str] = part(ja="決済会社の取引 ID", en="the provider's id of it")
    kind: Attr[str] = attr(
        ja="種類（charge / refund / dispute / payout / other）", en="charge, refund, dispute, payout, other"
    )
    recipient: Attr[str] = attr(
        ja="寄付先（該当しなければ OTHER）", en="whom it was given to; OTHER where it is no donation"
    )
    amount: Attr[int] = attr(ja="金額", en="yen")
    fee: Attr[int] = attr(ja="手数料", en="fee in yen")
    payment_ref: Attr[str | None] = attr(default=None, ja="支払い ID", en="the payment")
    payout_id: Attr[str | None] = attr(default=None, ja="振込の ID", en="the payout, where it is one")
    parts_net: Attr[int | None] = attr(
        default=None, ja="振込の内訳の合計", en="of a payout: what its parts add up to in these books"
    )

    @property
    def net(self) -> int:
        return self.amount - self.fee


@model
class Booked:
    """A movement that is in the books, so that it is booked once."""

    movement: Attr[str] = part(ja="決済会社の取引 ID", en="the provider's id of it")
    month: Attr[str] = attr(ja="計上月", en="the month it is booked in")
    net: Attr[int] = attr(ja="差引額", en="yen after the fee")


@model
class BookMonth:
    """Frozen once it is closed: what is told of it later is booked in a month that is open. So its entries add up to
    the same sums for ever."""

    month: Attr[str] = part(ja="月", en="month")
    closed_at: Attr[datetime] = attr(stored_as=UTC_MILLISECONDS, ja="締めた日時", en="when it was closed")
    closed_by: Attr[str] = attr(ja="締めた運営者", en="who closed it")


@model
class BookMark:
    """How far the provider's movements are in the books."""

    name: Attr[str] = part(ja="名前", en="name")
    through: Attr[datetime | None] = attr(
        default=None, stored_as=UTC_MILLISECONDS, ja="取り込み済みの時刻", en="until when they are booked"
    )
    balance: Attr[int] = attr(default=0, ja="決済会社の残高", en="the balance that the provider told")
    booked: Attr[int] = attr(default=0, ja="帳簿の残高", en="the balance that the books add up to")
