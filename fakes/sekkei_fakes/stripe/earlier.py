"""Payments of the local provider of before 0.3, as the ledger that they would have left."""

from __future__ import annotations

from datetime import datetime, timedelta

from sekkei_fakes.stripe.ledger import Ledger, Thing
from sekkei_systems.chiipochi.design.models import LocalPayment, Outcome

OPEN_FOR = timedelta(hours=23)


def ledger_of_before(ledger: Ledger, row: LocalPayment) -> Ledger:
    """A row then had one payment with one outcome, and was called what checkout, payment and charge are called now."""
    until = row.open_until or row.created_at + OPEN_FOR
    begun = row.outcome in (Outcome.WAITING, Outcome.PAID)
    paid = row.outcome is Outcome.PAID
    session: Thing = {
        "id": row.tx_id,
        "object": "checkout.session",
        "mode": "payment",
        "status": "complete" if begun else "open" if row.outcome is Outcome.OPEN else "expired",
        "payment_status": "paid" if paid else "unpaid",
        "url": ledger.page(row.tx_id, "") if row.outcome is Outcome.OPEN else None,
        "amount_total": row.amount,
        "currency": "jpy",
        "client_reference_id": row.order_id,
        "metadata": {"order_id": row.order_id},
        "payment_intent": row.tx_id if begun else None,
        "payment_intent_metadata": {"order_id": row.order_id},
        "payment_method_types": ["card", "konbini"],
        "payment_method_options": {},
        "success_url": row.return_url,
        "cancel_url": row.cancel_url,
        "created": _seconds(row.created_at),
        "expires_at": _seconds(until),
    }
    ledger.sessions[row.tx_id] = session
    ledger.counts = {"cs": 1}
    if begun:
        _begun(ledger, row, session)
    return ledger


def _begun(ledger: Ledger, row: LocalPayment, session: Thing) -> None:
    """The same steps, at the time when they were taken; that they were told then is not told again."""
    decided = row.decided_at or row.created_at
    ledger.at = _seconds(decided)
    session |= {"status": "open", "payment_status": "unpaid", "expires_at": ledger.at + 1}
    if row.outcome is Outcome.WAITING:
        ledger.choose_konbini(session)
    else:
        _renamed(ledger, ledger.pay_by_card(session), row.tx_id)
    intent = ledger.intents.pop(session["payment_intent"])
    ledger.intents[row.tx_id] = intent | {"id": row.tx_id}
    session["payment_intent"] = row.tx_id
    if row.refunded_at is not None and intent["latest_charge"]:
        ledger.at = _seconds(row.refunded_at)
        ledger.refund(ledger.charges[row.tx_id])
    ledger.at = None
    ledger.events.clear()


def _renamed(ledger: Ledger, charge: Thing, name: str) -> None:
    ledger.intents[charge["payment_intent"]]["latest_charge"] = name
    ledger.charges[name] = ledger.charges.pop(charge["id"])
    ledger.movements[charge["balance_transaction"]]["source"] = name
    charge |= {"id": name, "payment_intent": name}


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
