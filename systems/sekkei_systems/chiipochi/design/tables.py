"""ちいポチ's tables: where a user is in the conversation, and every donation.

Names of tables, keys, indexes and attributes are those of the original document, to the letter. What it lacks and the
bot needs is marked `added=True`. A day is a Japanese day; instants are stored in UTC with milliseconds, so that two
donations within a second do not overwrite each other.

Two more kinds of rows take part in its transactions and live in the runtime's table: idempotency keys and the outbox.
"""

from __future__ import annotations

from datetime import date, datetime

from sekkei.design import Design, Index, Key
from sekkei_systems.chiipochi.design.models import (
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
    Return,
    StaleMonth,
    Stamp,
    Surplus,
    UserSettings,
    UserState,
    Wording,
)
from sekkei_systems.original import ADDED

design = Design("chiipochi", language="ja", added=ADDED, ja="LINE 寄付ボット「ちいポチ🐾」", en="LINE donation bot")

states_table = design.table(
    "user_states",
    "id",
    ttl="session_expires_at",
    ja="ユーザーの現在の状態",
    en="Where each user is in the conversation",
)
settings_table = design.table(
    "user_settings", "user_id", ja="ユーザーの設定（言語）", en="What users have chosen (their language)", added=True
)
donations_table = design.table(
    "donation_history",
    "user_id",
    "created_at",
    stream="NEW_AND_OLD_IMAGES",
    indexes=[
        Index("GSI1", "gsi1_pk", "gsi1_sk", ja="日次集計用", en="donations of one day"),
        Index("GSI2", "tx_id", ja="決済からの逆引き", en="the donation of a payment", added=True),
        Index("GSI3", "pending_pk", "pending_since", ja="未確定の寄付", en="payments not settled yet", added=True),
        Index(
            "GSI4", "refund_pk", "created_at", ja="返金する・返金した寄付", en="to give back, given back", added=True
        ),
    ],
    ja="寄付の履歴（時系列）",
    en="Every donation, by time",
)
stamps_table = design.table("stamps", "user_id", "stamp_key", ja="スタンプカード", en="Stamp cards", added=True)
totals_table = design.table(
    "daily_totals", "day_key", "total_key", ja="日次合計（全体・県別）", en="Totals per day and prefecture", added=True
)
payments_table = design.table(
    "payments", "payment_key", "entry_key", ja="入金（日別・支払い別）", en="Money by day and by payment", added=True
)

events_table = design.table(
    "line_events",
    "event_id",
    ttl="expires_at",
    indexes=[Index("unhandled", "unhandled_pk", "received_at", ja="未処理", en="not handled yet", added=True)],
    ja="LINE から届いたイベント（重複排除）",
    en="What LINE delivered, to handle each event once",
    added=True,
)
chat_table = design.table(
    "chat_log",
    "user_id",
    "message_key",
    ttl="expires_at",
    ja="チャットシミュレーターの表示履歴",
    en="What the chat simulator shows",
    added=True,
)
local_payments_table = design.table(
    "local_payments", "tx_id", ja="ローカル決済（開発用の決済会社）", en="Payments of the local provider", added=True
)
pledges_table = design.table(
    "pledges",
    "user_id",
    indexes=[Index("by_day", "day_of_month", "user_id", ja="日付別", en="pledges of one day of the month", added=True)],
    ja="毎月の寄付の約束",
    en="Monthly pledges",
    added=True,
)

receipts_table = design.table(
    "receipts", "receipt_key", "entry_key", ja="受領書と宛名", en="Receipts, and whom they are for", added=True
)

appeals_table = design.table(
    "appeals", "appeal_key", "entry_key", ja="呼びかけ（キャンペーン）", en="Appeals and their changes", added=True
)
books_table = design.table(
    "books", "book_key", "entry_key", ja="帳簿（決済会社の入出金）", en="Books: what moved at the provider", added=True
)


@states_table.entity(UserState, ja="ユーザー状態", en="user state")
def user_states(user_id: str) -> Key:
    return Key(user_id)


@settings_table.entity(UserSettings, ja="ユーザー設定", en="user settings", added=True)
def user_settings(user_id: str) -> Key:
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


@stamps_table.entity(Return, ja="返金の反映", en="a refund taken out of the totals", added=True)
def returns(user_id: str, donated_at: datetime) -> Key:
    return Key(user_id, f"REFUND#{donated_at}")


@payments_table.entity(PaidDonation, ja="その日に入金された寄付", en="a donation whose money came that day", added=True)
def paid_donations(day: date, shard: int, user_id: str, created_at: datetime) -> Key:
    return Key(f"PAID#{day}#{shard:04d}", f"USER#{user_id}#{created_at}")


@payments_table.entity(PaymentOrder, ja="支払いの寄付", en="the donation of a payment", added=True)
def payment_orders(payment_ref: str) -> Key:
    return Key(f"PAYMENT#{payment_ref}", "ORDER")


@payments_table.entity(Surplus, ja="二重の入金", en="a second payment for one donation", added=True)
def surpluses(tx_id: str) -> Key:
    return Key("SURPLUS", f"TX#{tx_id}")


@totals_table.entity(DayTotal, ja="全体の合計", en="total of a day", added=True)
def day_totals(day: date) -> Key:
    return Key(f"DATE#{day}", "ALL")


@totals_table.entity(PrefectureTotal, ja="県別の合計", en="total of a prefecture on a day", added=True)
def prefecture_totals(day: date, prefecture: str) -> Key:
    return Key(f"DATE#{day}", f"PREF#{prefecture}")


@totals_table.entity(PeriodTotal, ja="期間の県別合計", en="total of a prefecture in a period", added=True)
def period_totals(period: str, prefecture: str) -> Key:
    return Key(f"PERIOD#{period}", f"PREF#{prefecture}")


@totals_table.entity(StaleMonth, ja="再集計する月", en="a month to add up anew", added=True)
def stale_months(month: date) -> Key:
    return Key("STALE", f"MONTH#{month}")


@events_table.entity(LineEvent, ja="LINE イベント", en="event", added=True)
def line_events(event_id: str) -> Key:
    return Key(event_id)


@chat_table.entity(ChatMessage, ja="チャット", en="chat message", added=True)
def chat_messages(user_id: str, at: datetime, message_id: str) -> Key:
    return Key(user_id, f"{at}#{message_id}")


@local_payments_table.entity(LocalPayment, ja="ローカル決済", en="local payment", added=True)
def local_payments(tx_id: str) -> Key:
    return Key(tx_id)


@pledges_table.entity(Pledge, ja="毎月の寄付", en="pledge", added=True)
def pledges(user_id: str) -> Key:
    return Key(user_id)


@receipts_table.entity(ReceiptCounter, ja="受領書の番号", en="last number of a year", added=True)
def receipt_counters(year: int) -> Key:
    return Key("COUNTER", f"YEAR#{year:06d}")


@receipts_table.entity(Receipt, ja="受領書", en="receipt", added=True)
def receipts(year: int, number: int) -> Key:
    return Key(f"YEAR#{year:06d}", f"NO#{number:06d}")


@receipts_table.entity(ReceiptFor, ja="有効な受領書", en="the receipt in force", added=True)
def receipts_for(user_id: str, what: str) -> Key:
    return Key(f"USER#{user_id}", f"FOR#{what}")


@receipts_table.entity(DonorDetails, ja="氏名・住所", en="name and address", added=True)
def donor_details(user_id: str) -> Key:
    return Key(f"USER#{user_id}", "DETAILS")


@books_table.entity(BookEntry, ja="入出金", en="movement", added=True)
def book_entries(month: str, at: datetime, movement: str) -> Key:
    return Key(f"MONTH#{month}", f"AT#{at}#{movement}")


@books_table.entity(Booked, ja="計上済みの印", en="mark of a movement", added=True)
def booked(movement: str) -> Key:
    return Key(f"MOVEMENT#{movement}", "BOOKED")


@books_table.entity(BookMonth, ja="締めた月", en="closed month", added=True)
def book_months(month: str) -> Key:
    return Key("CLOSED", f"MONTH#{month}")


@books_table.entity(BookMark, ja="取り込みの位置", en="how far the books are", added=True)
def book_marks(name: str) -> Key:
    return Key("MARK", f"NAME#{name}")


@appeals_table.entity(Appeal, ja="呼びかけ", en="appeal", added=True)
def appeals(code: str) -> Key:
    return Key("APPEAL", f"CODE#{code}")


@appeals_table.entity(AppealSum, ja="集まった金額", en="what an appeal has raised", added=True)
def appeal_sums(code: str) -> Key:
    return Key("SUM", f"CODE#{code}")


@appeals_table.entity(Wording, ja="運営者の文言", en="words of an operator's", added=True)
def wordings(name: str) -> Key:
    return Key("WORDING", f"NAME#{name}")


@appeals_table.entity(AppealChange, ja="変更の記録", en="change of an appeal", added=True)
def appeal_changes(at: datetime, code: str) -> Key:
    return Key("CHANGE", f"AT#{at}#{code}")


donations_by_day = donations.index("GSI1")
donations_by_payment = donations.index("GSI2")
donations_pending = donations.index("GSI3")
donations_refunds = donations.index("GSI4")
events_unhandled = line_events.index("unhandled")
pledges_by_day = pledges.index("by_day")

design.relate(user_states, donations, stamps, awards, returns, chat_messages)
design.relate(user_states, user_settings, pledges, many=False)
design.relate(donations, local_payments, many=False)
design.relate(user_states, receipts_for)
design.relate(user_states, donor_details, many=False)
design.relate(receipts_for, receipts, many=False)
design.relate(day_totals, prefecture_totals)


# The items that the document shows.


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


# What `sekkei check` says about this design, and why it stays so.


design.accept(
    "R3",
    "daily_totals: *",
    "A day has one total and a row for each prefecture; 1,000 donations a second are far away.",
)
design.accept("R1", "daily_totals: stale_months*", "One row for a month that a refund has changed, until the night.")
design.accept("R1", "payments: surpluses*", "A donation that is paid twice is a rare mishap.")
design.accept("R1", "receipts: *", "Numbers without gaps are given one after the other; nobody prints 1,000 a second.")
design.accept("R39", "issue_receipt", "The row beside it says which receipt was the newest; whoever was quicker wins.")
design.accept("R39", "keep_details", "What a donor said last counts.")
design.accept("R1", "appeals: *", "A handful of appeals; their sums take what a few hundred donors give a minute.")
design.accept("R1", "books: *", "A row for a month that is closed, and one for how far the books are.")
design.accept("R39", "book", "The mark beside it is made once.")
design.accept(
    "R24",
    "*",
    "The four indexes are the document's and hold everything; a donation is a few hundred bytes, one unit in each.",
)
design.accept("R39", "speak", "The language that was chosen last wins.")
design.accept("R39", "confirm_pledge", "The pledge that was confirmed last wins; it was asked for a moment before.")
design.accept("R39", "settle", "What it writes is the same however often it is repeated.")
design.accept(
    "R47", "*", "Keeping 35 days of history costs as much as the data; turn it on per table where you run it."
)
