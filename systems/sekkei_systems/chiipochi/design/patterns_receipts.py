"""Access patterns of receipts: numbered without gaps, cancelled and never reused."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sekkei.design import Action, Put, Query, Ref, Transaction, Update
from sekkei_systems.chiipochi.design.models_books import DonorDetails, Receipt, ReceiptCounter, ReceiptFor
from sekkei_systems.chiipochi.design.tables import design, donor_details, receipt_counters, receipts, receipts_for

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
