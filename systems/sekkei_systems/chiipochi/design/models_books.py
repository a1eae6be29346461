"""What is stored for the books: receipts and whom they are for, and what moved at the provider."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sekkei.design import Attr, attr, model, part
from sekkei_systems.chiipochi.design.models import UTC_MILLISECONDS

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
    the same sums for ever; the sums (`lines`) that earlier rows carry are read by nobody."""

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
