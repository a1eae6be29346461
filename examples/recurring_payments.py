"""Accounts, subscriptions, receipts, and what is due on a day. (AWS's guide: "recurring payments schema".)"""

from __future__ import annotations

from datetime import date, datetime

from sekkei.design import Attr, Design, Index, Key, Query, Transaction, attr, epoch, iso, model, part


@model
class Subscription:
    account_id: Attr[str] = part()
    product_id: Attr[str] = part()
    yen: Attr[int] = attr("payment_amount")
    remind_on: Attr[date] = attr("next_reminder_date")
    pay_on: Attr[date] = attr("next_payment_date")


@model
class Receipt:
    account_id: Attr[str] = part()
    product_id: Attr[str] = part()
    at: Attr[datetime] = part(stored_as=iso("Z", 0))
    yen: Attr[int] = attr("payment_amount")
    expires: Attr[datetime | None] = attr("ttl", default=None, stored_as=epoch())


design = Design("recurring-payments", en="Recurring payments")
table = design.table(
    "payments",
    "PK",
    "SK",
    discriminator="type",
    ttl="ttl",
    stream="NEW_IMAGE",
    indexes=[Index("GSI-1", "next_reminder_date", "SK"), Index("GSI-2", "next_payment_date", "SK")],
)


@table.entity(Subscription, type="subscription")
def subscriptions(account_id: str, product_id: str) -> Key:
    return Key(f"ACC#{account_id}", f"SUB#{product_id}")


@table.entity(Receipt, type="receipt")
def receipts(account_id: str, product_id: str, at: datetime) -> Key:
    return Key(f"ACC#{account_id}", f"REC#{at}#{product_id}")


reminders = subscriptions.index("GSI-1")
payments = subscriptions.index("GSI-2")
design.relate(subscriptions, receipts)


@design.pattern
def subscriptions_of(account_id: str) -> Query[Subscription]:
    """What an account has subscribed to."""
    return subscriptions.where(Subscription.account_id == account_id)


@design.pattern
def to_remind(day: date) -> Query[Subscription]:
    """Who is reminded on a day."""
    return reminders.where(Subscription.remind_on == day)


@design.pattern
def to_pay(day: date) -> Query[Subscription]:
    """Who pays on a day."""
    return payments.where(Subscription.pay_on == day)


@design.pattern
def paid(receipt: Receipt, before: date, following: date) -> Transaction:
    """A payment, once: the receipt, and the day of the next one."""
    moved = subscriptions.update(receipt.account_id, receipt.product_id).set(Subscription.pay_on, following)
    return Transaction(receipts.create(receipt), moved.when(Subscription.pay_on == before))


@design.pattern
def receipts_since(account_id: str, since: datetime) -> Query[Receipt]:
    """An account's receipts since a time."""
    return receipts.where(Receipt.account_id == account_id, Receipt.at >= since)
