"""The account: checkouts, payments, charges, refunds, disputes, and the events that tell of them."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei_fakes.stripe import balance
from sekkei_fakes.stripe.errors import Refused
from sekkei_systems.chiipochi.design.models import JST
from sekkei_systems.chiipochi.ports.stripe import sign_body

Thing = dict[str, Any]
KEPT = (
    "sessions",
    "intents",
    "charges",
    "refunds",
    "disputes",
    "customers",
    "movements",
    "answers",
    "events",
    "counts",
)
"""What a ledger consists of, to be written down."""


class Ledger:
    """Everything by its id. Methods that are verbs are what payers, banks and people at the Dashboard do.

    A ledger with a `name` is that of one checkout: its ids all carry the name, so that each of them leads to it."""

    def __init__(self, clock: Clock, seed: int = 1, *, name: str = "", pages: str = "") -> None:
        self.clock, self.name, self.pages = clock, name, pages
        self.at: int | None = None
        """Another time than now, for what is written down afterwards."""
        self.sessions: dict[str, Thing] = {}
        self.intents: dict[str, Thing] = {}
        self.charges: dict[str, Thing] = {}
        self.refunds: dict[str, Thing] = {}
        self.disputes: dict[str, Thing] = {}
        self.customers: dict[str, Thing] = {}
        self.movements: dict[str, Thing] = {}
        self.answers: dict[str, list[Any]] = {}
        """What was asked with an idempotency key, and what was answered."""
        self.events: list[Thing] = []
        self.counts: dict[str, int] = {}
        self._told = 0
        self._disputed: dict[str, Thing] = {}
        """Disputes by their charge; each charge is disputed once."""
        self._dice = random.Random(seed)

    def document(self) -> Thing:
        """All of it, to be written down."""
        return {part: getattr(self, part) for part in KEPT}

    def restored(self, document: Thing) -> Ledger:
        """As it was written down; what happened until then has been told."""
        for part in KEPT:
            setattr(self, part, document[part])
        self._told, self._disputed = len(self.events), {}
        return self

    def now(self) -> int:
        return int(self.clock.now()) if self.at is None else self.at

    def new_id(self, prefix: str) -> str:
        kind = prefix if self.name else ""
        number = self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.name:
            return f"{prefix}_test_{self.name}" + (f"_{number}" if number > 1 else "")
        return f"{prefix}_test_{number:06d}{self._dice.getrandbits(48):012x}"

    def page(self, session_id: str, otherwise: str) -> str:
        """Where the payer goes: our own page where there is one."""
        return f"{self.pages}/{session_id}" if self.pages else otherwise

    # Payers

    def pay_by_card(self, session: Thing) -> Thing:
        self._open(session)
        intent = self._begin(session, "succeeded")
        session |= {"status": "complete", "payment_status": "paid", "url": None}
        charge = self._charge(intent, "card")
        self._tell("checkout.session.completed", session)
        return charge

    def choose_konbini(self, session: Thing) -> None:
        """The payer gets a slip; the checkout is complete, and unpaid."""
        self._open(session)
        if "konbini" not in session["payment_method_types"]:
            raise Refused("payment_method_unactivated", "This checkout does not offer konbini.")
        days = session["payment_method_options"].get("konbini", {}).get("expires_after_days") or 3
        last = datetime.fromtimestamp(self.now(), JST).date() + timedelta(days=int(days))
        until = int(datetime.combine(last, time(23, 59, 59), JST).timestamp())
        intent = self._begin(session, "requires_action")
        voucher = self.page(session["id"], f"https://payments.stripe.com/konbini/voucher/{intent['id']}")
        details = {"expires_at": until, "hosted_voucher_url": voucher, "stores": {}}
        intent["next_action"] = {"type": "konbini_display_details", "konbini_display_details": details}
        self._unpaid(session)

    def choose_transfer(self, session: Thing) -> None:
        self._open(session)
        intent = self._begin(session, "requires_action")
        page = self.page(session["id"], f"https://payments.stripe.com/bank_transfers/instructions/{intent['id']}")
        details = {"amount_remaining": session["amount_total"], "currency": "jpy", "hosted_instructions_url": page}
        intent["next_action"] = {
            "type": "display_bank_transfer_instructions",
            "display_bank_transfer_instructions": details,
        }
        self._unpaid(session)

    def _unpaid(self, session: Thing) -> None:
        session |= {"status": "complete", "payment_status": "unpaid", "url": None}
        self._tell("checkout.session.completed", session)

    def pay_later(self, session: Thing) -> Thing:
        """At the till or at the bank, while the slip is good."""
        self.pass_time()
        intent = self.intents.get(str(session["payment_intent"]))
        if intent is None or intent["status"] != "requires_action":
            status = session["status"] if intent is None else intent["status"]
            raise Refused("payment_intent_unexpected_state", f"The payment is {status}.")
        method = "konbini" if "konbini_display_details" in intent["next_action"] else "customer_balance"
        intent |= {"status": "succeeded", "next_action": None}
        session["payment_status"] = "paid"
        charge = self._charge(intent, method)
        self._tell("checkout.session.async_payment_succeeded", session)
        return charge

    def expire(self, session: Thing) -> Thing:
        """Nobody shall pay this any more: somebody at the Dashboard, or the API."""
        if session["status"] != "open":
            raise Refused(
                "resource_already_exists", f"Only open checkouts can be expired; this is {session['status']}."
            )
        session |= {"status": "expired", "url": None}
        self._tell("checkout.session.expired", session)
        return session

    # Time

    def pass_time(self) -> None:
        """What runs out by now: checkouts that nobody finished, slips that nobody paid."""
        for session in self.sessions.values():
            if session["status"] == "open" and session["expires_at"] <= self.now():
                self.expire(session)
            elif session["status"] == "complete" and session["payment_status"] == "unpaid":
                self._lapse(session)

    def _lapse(self, session: Thing) -> None:
        intent = self.intents[str(session["payment_intent"])]
        details = (intent.get("next_action") or {}).get("konbini_display_details")
        if details and details["expires_at"] < self.now():
            intent |= {"status": "requires_payment_method", "next_action": None}
            self._tell("checkout.session.async_payment_failed", session)

    # Banks and the Dashboard

    def again(self, session: Thing) -> Thing:
        """A second checkout for the same: made at the Dashboard, or left behind where an answer was lost."""
        found = copy.deepcopy(session) | {"id": self.new_id("cs"), "status": "open", "payment_status": "unpaid"}
        found |= {"payment_intent": None, "expires_at": self.now() + 24 * 3600}
        found["url"] = self.page(found["id"], f"https://checkout.stripe.com/c/pay/{found['id']}")
        self.sessions[found["id"]] = found
        return found

    def name_account(self, refund: Thing) -> None:
        """Cash has no way back: Stripe writes to the payer, who says which account of theirs it goes to."""
        if refund["status"] != "requires_action":
            raise Refused("refund_unexpected_state", f"The refund is {refund['status']}.")
        refund |= {"status": "succeeded", "next_action": None}
        self._tell("refund.updated", refund)

    def refund(self, charge: Thing, amount: int | None = None, metadata: Thing | None = None) -> Thing:
        left = charge["amount"] - charge["amount_refunded"]
        if left == 0:
            raise Refused("charge_already_refunded", f"Charge {charge['id']} has already been refunded.")
        if charge["disputed"] and self._dispute_of(charge)["status"] != "won":
            raise Refused("charge_disputed", f"Charge {charge['id']} has been charged back.")
        if amount is not None and not 0 < amount <= left:
            raise Refused("amount_too_large", f"Refund amount is greater than unrefunded amount ({left}).")
        found = {
            "id": self.new_id("re"),
            "object": "refund",
            "amount": left if amount is None else amount,
            "charge": charge["id"],
            "payment_intent": charge["payment_intent"],
            "status": "succeeded",
            "currency": "jpy",
            "created": self.now(),
            "metadata": metadata or {},
        }
        if charge["payment_method_details"]["type"] == "konbini":
            found |= {"status": "requires_action", "next_action": {"type": "display_details"}}
        self.refunds[str(found["id"])] = found
        self._book("refund" if self._by_card(charge) else "payment_refund", found, -int(found["amount"]))
        self._refunded(charge, int(found["amount"]))
        self._tell("charge.refunded", charge)
        self._tell("refund.created", found)
        return found

    def fail_refund(self, refund: Thing) -> None:
        """The payer's bank sends the money back to us."""
        charge = self.charges[str(refund["charge"])]
        refund["status"] = "failed"
        self._book("refund_failure", refund, int(refund["amount"]))
        self._refunded(charge, -int(refund["amount"]))
        self._tell("refund.failed", refund)

    def _refunded(self, charge: Thing, amount: int) -> None:
        charge["amount_refunded"] += amount
        charge["refunded"] = charge["amount_refunded"] == charge["amount"]

    def dispute(self, charge: Thing) -> Thing:
        """The bank takes what is left of the money until it is decided. Cash cannot be disputed."""
        if not balance.can_be_disputed(charge["payment_method_details"]["type"]):
            raise Refused("charge_not_disputable", "Payments of this method cannot be disputed.")
        found = {
            "id": self.new_id("dp"),
            "object": "dispute",
            "amount": charge["amount"] - charge["amount_refunded"],
            "charge": charge["id"],
            "payment_intent": charge["payment_intent"],
            "status": "needs_response",
            "currency": "jpy",
            "created": self.now(),
        }
        self.disputes[str(found["id"])] = found
        charge["disputed"] = True
        self._book("adjustment", found, -int(found["amount"]), balance.DISPUTE_FEE)
        self._tell("charge.dispute.created", found)
        self._tell("charge.dispute.funds_withdrawn", found)
        return found

    def close_dispute(self, dispute: Thing, *, won: bool) -> None:
        dispute["status"] = "won" if won else "lost"
        self._tell("charge.dispute.closed", dispute)
        if won:
            self._book("adjustment", dispute, int(dispute["amount"]))
            self._tell("charge.dispute.funds_reinstated", dispute)

    def _dispute_of(self, charge: Thing) -> Thing:
        if len(self._disputed) != len(self.disputes):
            self._disputed = {str(one["charge"]): one for one in self.disputes.values()}
        return self._disputed[str(charge["id"])]

    # What the account keeps, to compare with

    def kept(self, charge: Thing) -> int:
        """Yen of a charge that are the account's now."""
        if charge["disputed"] and self._dispute_of(charge)["status"] != "won":
            return 0
        return int(charge["amount"] - charge["amount_refunded"])

    # News

    def other_program(self, kind: str = "checkout.session.completed") -> None:
        """An event of something else that sells through the same account."""
        thing = {"id": self.new_id("cs"), "object": "checkout.session", "metadata": {"cart": "7"}, "currency": "jpy"}
        self._tell(kind, {**thing, "payment_status": "paid", "status": "complete", "amount_total": 980})

    def news(self, secret: str) -> Iterator[tuple[bytes, str]]:
        """Events that were not told yet, each as its body and its `Stripe-Signature`."""
        while self._told < len(self.events):
            event = self.events[self._told]
            self._told += 1
            yield self.signed(event, secret)

    def signed(self, event: Thing, secret: str) -> tuple[bytes, str]:
        body = orjson.dumps(event)
        return body, sign_body(secret.encode(), self.clock.now(), body)

    def _tell(self, kind: str, thing: Thing) -> None:
        self.events.append(
            {
                "id": self.new_id("evt"),
                "object": "event",
                "type": kind,
                "created": self.now(),
                "data": {"object": copy.deepcopy(thing)},
            }
        )

    # Parts

    def _open(self, session: Thing) -> None:
        self.pass_time()
        if session["status"] != "open":
            raise Refused("checkout_session_expired", f"This checkout is {session['status']}.")

    def _begin(self, session: Thing, status: str) -> Thing:
        intent = {
            "id": self.new_id("pi"),
            "object": "payment_intent",
            "amount": session["amount_total"],
            "currency": "jpy",
            "status": status,
            "created": self.now(),
            "latest_charge": None,
            "next_action": None,
            "metadata": dict(session["payment_intent_metadata"]),
        }
        self.intents[str(intent["id"])] = intent
        session["payment_intent"] = intent["id"]
        return intent

    def _book(self, kind: str, source: Thing, amount: int, fee: int = 0) -> str:
        found = balance.movement(self.new_id("txn"), kind, source, amount, fee, self.now())
        self.movements[str(found["id"])] = found
        return str(found["id"])

    def _by_card(self, charge: Thing) -> bool:
        """Other money is called a payment in the balance."""
        return bool(charge["payment_method_details"]["type"] == "card")

    def _charge(self, intent: Thing, method: str) -> Thing:
        charge = {
            "id": self.new_id("ch"),
            "object": "charge",
            "amount": intent["amount"],
            "amount_refunded": 0,
            "currency": "jpy",
            "created": self.now(),
            "disputed": False,
            "payment_intent": intent["id"],
            "refunded": False,
            "status": "succeeded",
            "payment_method_details": {"type": method},
            "metadata": dict(intent["metadata"]),
        }
        fee = balance.fee_of(method, int(intent["amount"]))
        kind = "charge" if self._by_card(charge) else "payment"
        charge["balance_transaction"] = self._book(kind, charge, int(intent["amount"]), fee)
        self.charges[str(charge["id"])] = charge
        intent["latest_charge"] = charge["id"]
        return charge
