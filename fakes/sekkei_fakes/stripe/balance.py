"""The account's balance: every movement of money with its fee, and the weekly payouts to the bank.

Payouts follow from the movements alone: once a week one takes what has become available since the one before, as soon
as that is more than nothing. What Stripe charges, and when, stands in terms.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from datetime import datetime, time, timedelta
from importlib import resources
from typing import Any

from sekkei_systems.chiipochi.design.models import JST

Thing = dict[str, Any]

TERMS: Thing = tomllib.loads(resources.files(__package__).joinpath("terms.toml").read_text("utf-8"))
"""Fees and days, with where they come from."""
DISPUTE_FEE: int = TERMS["dispute"]["fee"]
SATURDAY = 5


def fee_of(method: str, amount: int) -> int:
    """Yen that Stripe keeps of a charge; refunds do not bring them back."""
    fees = TERMS["fees"][method]
    return int(max(fees["least"], (amount * fees["per_mille"] + 500) // 1000))


def can_be_disputed(method: str) -> bool:
    return method in TERMS["dispute"]["methods"]


def available_on(moment: int) -> int:
    """So many business days later; bank holidays are not known here."""
    found, left = datetime.fromtimestamp(moment, JST), int(TERMS["payouts"]["available_after_business_days"])
    while left:
        found += timedelta(days=1)
        left -= found.weekday() < SATURDAY
    return int(found.timestamp())


def movement(id: str, kind: str, source: Thing, amount: int, fee: int, now: int) -> Thing:
    """A balance transaction."""
    return {
        "id": id,
        "object": "balance_transaction",
        "type": kind,
        "source": source["id"],
        "amount": amount,
        "fee": fee,
        "net": amount - fee,
        "currency": "jpy",
        "created": now,
        "available_on": available_on(now),
        "status": "pending",
    }


def payouts(movements: Iterable[Thing], now: int) -> Iterator[tuple[Thing, list[Thing]]]:
    """Each payout until now, with the movements that it pays."""
    waiting = sorted(movements, key=lambda found: (found["available_on"], found["id"]))
    friday = _friday_after(waiting[0]["available_on"]) if waiting else now + 1
    while friday <= now:
        ready = [found for found in waiting if found["available_on"] <= friday]
        amount = sum(found["net"] for found in ready)
        if amount > 0:
            waiting = waiting[len(ready) :]
            yield _payout(friday, amount), ready
        if not waiting:
            return
        friday += int(timedelta(days=7).total_seconds())


def _friday_after(moment: int) -> int:
    day = datetime.fromtimestamp(moment, JST).date()
    ahead = (int(TERMS["payouts"]["weekday"]) - day.weekday()) % 7 or 7
    return int(datetime.combine(day + timedelta(days=ahead), time(), JST).timestamp())


def _payout(friday: int, amount: int) -> Thing:
    return {
        "id": f"po_test_{datetime.fromtimestamp(friday, JST):%Y%m%d}",
        "object": "payout",
        "amount": amount,
        "arrival_date": friday,
        "automatic": True,
        "created": friday,
        "currency": "jpy",
        "status": "paid",
    }


def listed(movements: Iterable[Thing], now: int) -> list[Thing]:
    """All movements as Stripe lists them, payouts among them, the newest first."""
    found = [{**one, "status": "available" if one["available_on"] <= now else "pending"} for one in movements]
    for payout, _ in payouts(found, now):
        out = movement(f"txn_{payout['id']}", "payout", payout, -payout["amount"], 0, payout["created"])
        found.append({**out, "available_on": payout["created"], "status": "available"})
    return sorted(found, key=lambda one: (one["created"], one["id"]), reverse=True)


def standing(movements: Iterable[Thing], now: int) -> Thing:
    """What the account has at this moment."""
    found = listed(movements, now)
    sums = {status: sum(one["net"] for one in found if one["status"] == status) for status in ("available", "pending")}
    parts = {status: [{"amount": amount, "currency": "jpy"}] for status, amount in sums.items()}
    return {"object": "balance", "livemode": False, **parts}
