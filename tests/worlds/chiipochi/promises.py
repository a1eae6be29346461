"""What holds in the world of ちいポチ: after every commit, or when everything has come to rest."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Any

from sekkei.runtime.design import Message
from sekkei.runtime.transports.line import retry_key
from sekkei.worlds import World, promises
from sekkei_fakes.stripe.ledger import Thing
from sekkei_systems.chiipochi.design.models import (
    Award,
    DayTotal,
    Dispute,
    Donation,
    PrefectureTotal,
    Receipt,
    ReceiptCounter,
    Stamp,
    Status,
    Surplus,
    is_by_hand,
    is_forgotten,
)
from sekkei_systems.chiipochi.service.donations import donation_key, order_id_of
from tests.worlds.chiipochi.people import WORLD, ledger_of, line_of

PERSONAL = ("user_states", "user_settings", "stamps", "donation_history", "chat_log", "pledges")
THANKS = re.compile(r"への([\d,]+)円の寄付が届きました")
SKEW = 3.0
"""By so much two clocks may differ, and a little more."""


def _donations(world: World) -> list[Donation]:
    found: list[Donation] = world.decoded("donation_history")
    return found


@WORLD.always_in("donation_history")
def nothing_fails_that_can_still_be_paid(world: World) -> None:
    sessions, intents = ledger_of(world).sessions, ledger_of(world).intents
    for donation in _donations(world):
        session = sessions.get(donation.tx_id or "")
        if donation.status is not Status.FAILED or session is None:
            continue
        intent = intents.get(str(session["payment_intent"]), {})
        can = session["status"] == "open" or intent.get("status") in ("requires_action", "succeeded")
        late = donation.paid_late_at is not None
        assert not can or late, f"a donation of ¥{donation.amount} is given up, and its checkout is {session['status']}"


@WORLD.always_in("donation_history")
def nothing_succeeds_without_money(world: World) -> None:
    sessions = ledger_of(world).sessions
    for donation in _donations(world):
        if donation.status is Status.SUCCEEDED:
            session = sessions.get(donation.tx_id or "")
            assert session is not None, f"¥{donation.amount} came from nowhere"
            assert session["payment_status"] == "paid", f"¥{donation.amount} has not been paid"
            assert session["amount_total"] == donation.amount


@WORLD.always_in("donation_history")
def nobody_donates_more_often_than_they_say_yes(world: World) -> None:
    made = Counter(one.user_id for one in _donations(world) if not is_forgotten(one.user_id))
    for user, count in made.items():
        yes = world.given["yes"][user]
        assert count <= yes, f"{count} donations of somebody who said yes {yes} times"


def _surpluses(world: World) -> dict[str, Surplus]:
    return {one.tx_id: one for one in world.decoded("payments") if isinstance(one, Surplus)}


def _payments(world: World) -> list[Donation | Surplus]:
    return [*_donations(world), *_surpluses(world).values()]


@WORLD.finally_
def money_equals_the_ledger(world: World) -> None:
    """Each payment is a donation that keeps what the account keeps and nobody gave back by hand, or is owed back until
    all of it has gone; a second one for the same is owed back."""
    ledger, surpluses = ledger_of(world), _surpluses(world)
    by_tx = {one.tx_id: one for one in _donations(world) if one.tx_id}
    for session in ledger.sessions.values():
        if session["payment_status"] != "paid":
            continue
        charge = ledger.charges[ledger.intents[session["payment_intent"]]["latest_charge"]]
        if session["id"] in surpluses:
            _second_payment_is_owed(surpluses[session["id"]], charge)
            continue
        donation = by_tx.get(session["id"])
        assert donation is not None, f"¥{session['amount_total']} came, and there is no donation"
        kept, gone = ledger.kept(charge), charge["amount_refunded"] + donation.given_by_hand
        assert donation.refunded == min(gone, donation.amount), f"¥{gone} went back, we say ¥{donation.refunded}"
        if donation.status is Status.SUCCEEDED:
            kept = max(0, kept - donation.given_by_hand)
            assert donation.kept == kept, f"¥{kept} of ¥{donation.amount} are kept, we say ¥{donation.kept}"
        else:
            assert donation.paid_late_at is not None, f"¥{donation.amount} came for a donation that {donation.status}"
            owed = gone < donation.amount and donation.dispute is not Dispute.LOST
            assert (donation.refund_pk == "OWED") == owed, f"¥{donation.amount} came late and are {donation.refund_pk}"


def _second_payment_is_owed(surplus: Surplus, charge: Thing) -> None:
    gone = charge["amount_refunded"] >= charge["amount"] or is_by_hand(surplus.refund_id)
    said = surplus.refunded_at is not None
    assert said == gone, f"¥{surplus.amount} came a second time; has it gone back: {gone}; we say {said}"


@WORLD.finally_
def no_refund_runs_for_ever(world: World) -> None:
    """It is done, or it has failed and somebody can try again."""
    running = [one for one in _payments(world) if one.is_refund_running]
    assert running == [], f"{len(running)} refunds are on their way, and nobody sees to them"


@WORLD.finally_
def payments_are_down_only_where_stripe_is(world: World) -> None:
    if not world.faults.outside:
        assert world.given["down"] == [], "somebody who tapped twice could not pay, and Stripe was well"


@WORLD.finally_
def receipts_are_numbered_without_gaps(world: World) -> None:
    rows = world.decoded("receipts")
    for counter in (one for one in rows if isinstance(one, ReceiptCounter)):
        numbers = sorted(one.number for one in rows if isinstance(one, Receipt) and one.year == counter.year)
        assert numbers == [*range(1, counter.last + 1)], f"{counter.year} has the numbers {numbers}"


@WORLD.finally_
def no_yen_is_on_two_receipts_or_on_one_too_many(world: World) -> None:
    """Those that are valid say together at most what was kept, and one of a single donation says that."""
    kept = {order_id_of(one.user_id, one.created_at): one.kept for one in _donations(world)}
    said: Counter[str] = Counter()
    for receipt in (one for one in world.decoded("receipts") if isinstance(one, Receipt)):
        if receipt.cancelled_at is not None:
            continue
        said[receipt.user_id] += receipt.amount
        order = f"{receipt.user_id}|{receipt.what.removeprefix('DONATION-')}"
        there = kept.get(order, receipt.amount)
        assert receipt.amount == there, f"{receipt.code} says ¥{receipt.amount}, and ¥{there} are kept"
    for user, amount in said.items():
        all_of_theirs = sum(yen for order, yen in kept.items() if order.startswith(f"{user}|"))
        assert amount <= all_of_theirs, f"valid receipts say ¥{amount}, and ¥{all_of_theirs} are kept"


@WORLD.finally_
def whoever_left_is_named_nowhere(world: World) -> None:
    for one in _payments(world):
        for left in sorted(world.given["left"]):
            assert left not in (one.refund_asked_by, (one.refund_id or "").rpartition(" ")[2]), "they are named still"


@WORLD.finally_
def totals_equal_a_recount(world: World) -> None:
    counted: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for donation in _donations(world):
        if donation.counts:
            for place in (donation.paid_day, (donation.paid_day, donation.prefecture)):
                counted[place][0] += donation.kept
                counted[place][1] += 1
    said: dict[Any, list[int]] = {}
    for row in world.decoded("daily_totals"):
        if isinstance(row, DayTotal):
            said[row.day] = [row.amount, row.count]
        elif isinstance(row, PrefectureTotal):
            said[row.day, row.prefecture] = [row.amount, row.count]
    for place in sorted(counted.keys() | said.keys(), key=str):
        there, told = counted.get(place, [0, 0]), said.get(place, [0, 0])
        assert told == there, f"{place}: the totals say {told}, there are {there}"


@WORLD.finally_
def nothing_remains_of_the_forgotten(world: World) -> None:
    """Of what was there when they asked; a message that was on its way may have begun something new."""
    for user, asked_at in world.given["forgotten"].items():
        theirs = [one for one in _donations(world) if one.user_id == user]
        old = [one for one in theirs if one.created_at.timestamp() < asked_at - SKEW]
        assert old == [], f"{len(old)} donations are still under the name of somebody who is forgotten"
        for table in PERSONAL if not theirs else ():
            left = [item for item in world.items(table) if user in (item.get("user_id") or item["id"]).values()]
            assert left == [] or table == "user_states", f"{table} still has {len(left)} rows of somebody forgotten"


@WORLD.finally_
def stamps_equal_donations(world: World) -> None:
    rows = world.decoded("stamps")
    counted = Counter((one.user_id, one.prefecture) for one in _donations(world) if one.counts)
    said = {(one.user_id, one.prefecture): one.count for one in rows if isinstance(one, Stamp)}
    for place in sorted(counted.keys() | said.keys()):
        if not is_forgotten(place[0]):
            assert said.get(place, 0) == counted[place], f"{said.get(place, 0)} stamps, {counted[place]} donations"
    assert len([one for one in rows if isinstance(one, Award)]) >= sum(counted.values())


@WORLD.finally_
def no_payment_waits_for_ever(world: World) -> None:
    waiting = [one for one in _donations(world) if one.status is Status.PENDING]
    assert waiting == [], f"{len(waiting)} donations are still pending after five days"


@WORLD.finally_
def everything_that_line_delivered_is_handled(world: World) -> None:
    left = [one for one in world.decoded("line_events") if one.unhandled_pk is not None]
    assert left == [], f"{len(left)} events are not handled"


@WORLD.finally_
def nobody_is_thanked_for_nothing_or_twice(world: World) -> None:
    """A push happens once for its message, and thanks are for money that came: nobody hears of a sum more often than
    they have paid it, whatever the system calls its messages."""
    heard, given = _thanks_heard(world), _sums_given(world)
    for (user, amount), times in heard.items():
        paid_times = given[user, amount]
        assert times <= paid_times, f"{user} is thanked {times} times for ¥{amount}, and paid it {paid_times} times"
    pushes = Counter(one.key for one in line_of(world).sent if one.way == "push")
    paid = {one["id"] for one in ledger_of(world).sessions.values() if one["payment_status"] == "paid"}
    orders = {order_id_of(one.user_id, one.created_at): one.tx_id for one in _donations(world)}
    for message in promises.runtime_rows(world):
        if not isinstance(message, Message) or message.kind != "line":
            continue
        times = pushes[retry_key(message)]
        assert times <= 1, f"{message.id} was pushed {times} times"
        reason, _, order = message.id.removeprefix("chiipochi/").partition("/")
        if reason == "thanks" and donation_key(order) is not None and order in orders:
            assert orders[order] in paid, f"thanks for {order}, which was never paid"


def _thanks_heard(world: World) -> Counter[tuple[str, int]]:
    """As it is said on LINE, by who hears it and of which sum."""
    words = [(one.to, str(each.get("altText"))) for one in line_of(world).sent for each in one.messages]
    return Counter((to, int(found[1].replace(",", ""))) for to, said in words if (found := THANKS.search(said)))


def _sums_given(world: World) -> Counter[tuple[str, int]]:
    """As Stripe has them: who paid which sum how often."""
    paid = [one for one in ledger_of(world).sessions.values() if one["payment_status"] == "paid"]
    keys = [(donation_key(one["client_reference_id"]), one["amount_total"]) for one in paid]
    return Counter((key[0], amount) for key, amount in keys if key is not None)


WORLD.finally_(promises.everything_ends)
WORLD.finally_(promises.nothing_is_given_up)
