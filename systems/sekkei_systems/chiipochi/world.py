"""ちいポチ in simulated time: donors on LINE, a strict Stripe, an operator with a refund button, and a bank."""

from __future__ import annotations

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import orjson

from sekkei.runtime.counterparts.line import LineCounterpart
from sekkei.runtime.design import Message
from sekkei.runtime.transports.line import retry_key
from sekkei.worlds import Letter, Person, Script, World, promises
from sekkei.worlds.chance import dice_of
from sekkei_systems.chiipochi import SYSTEM
from sekkei_systems.chiipochi.design.models import (
    Award,
    DayTotal,
    Donation,
    PrefectureTotal,
    Stamp,
    Status,
    is_forgotten,
)
from sekkei_systems.chiipochi.local.stripe import Ledger
from sekkei_systems.chiipochi.local.stripe.errors import Refused
from sekkei_systems.chiipochi.local.stripe.ledger import Thing
from sekkei_systems.chiipochi.local.stripe.server import KEY, StripeEnd
from sekkei_systems.chiipochi.service.links import donation_key, order_id_of

SECRET, WEBHOOK_SECRET, TOKEN = "line-secret", "whsec_world", "line-token"
PERSONAL = ("user_states", "user_settings", "stamps", "donation_history", "chat_log", "pledges")
WORDS = ("ピーナッツ", "りんご 300", "沖縄 500", "餃子", "石川県に 千円")
PAY = re.compile(r"/chiipochi/pay/[\w.=-]+")
MINE = re.compile(r"/chiipochi/u/[\w.=|-]+")
NONCE = re.compile(r"a=yes&n=(\w+)")
THANKS = re.compile(r"への([\d,]+)円の寄付が届きました")
HOUR, DAY = 3600.0, 86400.0
SKEW = 3.0
"""By so much two clocks may differ, and a little more."""

WORLD = Script(
    "chiipochi",
    [SYSTEM],
    seconds=32.0,
    settle_seconds=100.0,
    starts=(DAY * 40 + HOUR * 12, DAY * 40 + 60 * 19, DAY * 40 - 40),
    leaps=(60.0 * 25, HOUR * 25),
    rests=(60.0 * 31, HOUR * 25, DAY * 4),
    outside=("mail",),
    settings={
        "line_channel_secret": SECRET,
        "line_channel_token": TOKEN,
        "line_api_url": "https://api.line.me",
        "stripe_secret_key": KEY,
        "stripe_webhook_secret": WEBHOOK_SECRET,
        "stripe_payment_methods": "card,konbini",
        "operators": "operator-1@example.com",
    },
)


# Services outside


@WORLD.prepares
def open_services(world: World) -> None:
    ledger, line = Ledger(world.clock, world.seed), LineCounterpart(world.clock, TOKEN)
    world.given |= {"ledger": ledger, "line": line, "yes": Counter(), "forgotten": {}}
    world.internet.services |= {"api.stripe.com": StripeEnd(ledger), "api.line.me": line}


@WORLD.lives
async def stripe_tells_its_news(world: World) -> None:
    """Each event goes its own way; Stripe signs every try anew and tries for days."""
    ledger, told = _ledger(world), 0
    while True:
        await asyncio.sleep(1.0)
        ledger.pass_time()
        for event in ledger.events[told:]:
            world.deliver(
                Letter(
                    f"stripe/{event['type']}/{told}",
                    "/chiipochi/payments/stripe",
                    lambda number, event=event: _signed(ledger, event),  # type: ignore[misc]
                    tries_max=12,
                )
            )
            told += 1


def _signed(ledger: Ledger, event: Thing) -> tuple[bytes, dict[str, str]]:
    body, signature = ledger.signed(event, WEBHOOK_SECRET)
    return body, {"stripe-signature": signature}


@WORLD.lives
async def banks_change_their_minds(world: World) -> None:
    """Refunds at the Dashboard, refunds that fail, disputes that are won and lost."""
    ledger = _ledger(world)
    for number in range(1, 100):
        dice = dice_of(world.seed, "bank", number)
        await asyncio.sleep(5 + dice.random() * 30)
        if not world.faulty or not ledger.charges:
            continue
        charge = dice.choice(list(ledger.charges.values()))
        what = dice.choice(["part", "dispute", "close", "fail"])
        try:
            _at_the_bank(ledger, charge, what, won=dice.chance(0.5))
        except Refused:
            continue
        world.tell("bank", f"{what} of a charge of ¥{charge['amount']}")


def _at_the_bank(ledger: Ledger, charge: Thing, what: str, *, won: bool) -> None:
    disputes = [one for one in ledger.disputes.values() if one["charge"] == charge["id"]]
    refunds = [one for one in ledger.refunds.values() if one["charge"] == charge["id"] and one["status"] != "failed"]
    if what == "part":
        ledger.refund(charge, min(50, charge["amount"] - charge["amount_refunded"]) or None)
    elif what == "dispute" and not disputes:
        ledger.dispute(charge)
    elif what == "close" and disputes and disputes[0]["status"] == "needs_response":
        ledger.close_dispute(disputes[0], won=won)
    elif what == "fail" and refunds:
        ledger.fail_refund(refunds[0])


def _ledger(world: World) -> Ledger:
    found: Ledger = world.given["ledger"]
    return found


def _line(world: World) -> LineCounterpart:
    found: LineCounterpart = world.given["line"]
    return found


# Donors


@WORLD.role(3)
async def donor(me: Person) -> None:
    me.memory["line"] = "U" + f"{int(me.name[-1]):032x}"
    _send(me, _line(me.world).befriend(me.memory["line"]))
    await asyncio.sleep(2.0)


def _send(me: Person, event: dict[str, Any]) -> None:
    """LINE delivers again what was not taken, and says so; in the end it gives up."""
    if me.memory.get("gone"):
        return  # whoever is forgotten writes no more
    line = _line(me.world)
    me.world.deliver(
        Letter(
            f"line/{event['webhookEventId']}",
            "/chiipochi/webhook",
            lambda number: line.webhook([event], SECRET, again=number > 1),
        )
    )


def _said(me: Person) -> Iterator[str]:
    """What the bot has told them, the newest first."""
    for sent in reversed(_line(me.world).received(me.memory["line"])):
        yield orjson.dumps(sent.messages).decode()


def _newest(me: Person, wanted: re.Pattern[str]) -> re.Match[str] | None:
    return next((found for words in _said(me) if (found := wanted.search(words)) is not None), None)


@WORLD.does("donor", 4)
async def names_a_speciality(me: Person) -> str:
    words = me.dice.choice(WORDS)
    _send(me, _line(me.world).text(me.memory["line"], words))
    return f"writes {words}"


@WORLD.does("donor", 4)
async def says_yes(me: Person) -> str:
    line, user = _line(me.world), me.memory["line"]
    me.world.given["yes"][user] += 1
    found = _newest(me, NONCE)
    if found is not None and me.dice.chance(0.5):
        _send(me, line.tap(user, f"a=yes&n={found[1]}"))
        return "taps はい"
    _send(me, line.text(user, "はい"))
    return "writes はい"


@WORLD.does("donor", 1)
async def asks_something(me: Person) -> str:
    words = me.dice.choice(["今日の合計", "スタンプ", "履歴", "ランキング", "いいえ"])
    _send(me, _line(me.world).text(me.memory["line"], words))
    return f"writes {words}"


@WORLD.does("donor", 1)
async def unsends(me: Person) -> str:
    line, user = _line(me.world), me.memory["line"]
    event = line.text(user, "ピーナッツ")
    _send(me, event)
    _send(me, line.unsend(user, event["message"]["id"]))
    return "writes ピーナッツ and takes it back"


@WORLD.does("donor", 5)
async def follows_the_link(me: Person) -> str | None:
    """And pays, or goes to a convenience store, or thinks better of it."""
    found = _newest(me, PAY)
    if found is None:
        return None
    reply = await me.get(found[0])
    if reply.status != 303 or "checkout.stripe.com" not in reply.location:
        return f"follows the link: {reply.status}"
    session = _ledger(me.world).sessions[reply.location.rpartition("/")[2]]
    await asyncio.sleep(me.dice.seconds(5.0))
    return f"at Stripe: {_decides(me, session)}"


def _decides(me: Person, session: Thing) -> str:
    ledger = _ledger(me.world)
    what = me.dice.choices(["card", "konbini", "away"], [5, 3, 1])[0]
    try:
        if what == "card":
            ledger.pay_by_card(session)
        elif what == "konbini":
            ledger.choose_konbini(session)
    except Refused as refused:
        return f"{what}, refused: {refused.code}"
    return what


@WORLD.does("donor", 2)
async def pays_at_the_till(me: Person) -> str | None:
    ledger = _ledger(me.world)
    slips = [one for one in ledger.sessions.values() if one["status"] == "complete" and one["payment_status"] != "paid"]
    if not slips:
        return None
    session = me.dice.choice(slips)
    try:
        ledger.pay_later(session)
    except Refused as refused:
        return f"pays at the till, refused: {refused.code}"
    return f"pays ¥{session['amount_total']} at the till"


@WORLD.does("donor", 0.3)
async def wants_to_be_forgotten(me: Person) -> str | None:
    found = _newest(me, MINE)
    if found is None:
        return None
    reply = await me.post(f"{found[0]}/forget")
    if reply.status == 303:
        me.world.given["forgotten"][me.memory["line"]] = me.world.clock.now()
        me.memory["gone"] = True
    return f"asks to be forgotten: {reply.status}"


# The operator


@WORLD.role(1)
async def operator(me: Person) -> None:
    await me.sign_in("operator-1@example.com")


def _some_donation(me: Person) -> Donation | None:
    found = [one for one in me.world.decoded("donation_history") if one.status is not Status.PENDING]
    return me.dice.choice(sorted(found, key=lambda one: one.created_at)) if found else None


@WORLD.does("operator", 3)
async def refunds(me: Person) -> str | None:
    donation = _some_donation(me)
    if donation is None:
        return None
    order = order_id_of(donation.user_id, donation.created_at)
    reply = await me.post("/chiipochi/operator/refund", {"order": order})
    return f"refunds ¥{donation.amount}: {reply.status}"


@WORLD.does("operator", 2)
async def repairs_a_day(me: Person) -> str | None:
    donation = _some_donation(me)
    if donation is None:
        return None
    reply = await me.post("/chiipochi/operator/repair", {"day": f"{donation.paid_day}"})
    return f"has {donation.paid_day} counted again: {reply.status}"


@WORLD.does("operator", 1)
async def asks_the_provider(me: Person) -> str | None:
    waiting = [one for one in me.world.decoded("donation_history") if one.status is Status.PENDING]
    if not waiting:
        return None
    donation = me.dice.choice(sorted(waiting, key=lambda one: one.created_at))
    order = order_id_of(donation.user_id, donation.created_at)
    reply = await me.post("/chiipochi/operator/ask", {"order": order})
    return f"asks Stripe about ¥{donation.amount}: {reply.status}"


@WORLD.does("operator", 1)
async def looks(me: Person) -> str:
    return f"opens the operator's page: {(await me.get('/chiipochi/operator')).status}"


# Promises


def _donations(world: World) -> list[Donation]:
    found: list[Donation] = world.decoded("donation_history")
    return found


@WORLD.always_in("donation_history")
def nothing_fails_that_can_still_be_paid(world: World) -> None:
    sessions, intents = _ledger(world).sessions, _ledger(world).intents
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
    sessions = _ledger(world).sessions
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


@WORLD.finally_
def money_equals_the_ledger(world: World) -> None:
    """Each payment is a donation that keeps what the account keeps, or one that is owed back."""
    ledger = _ledger(world)
    by_tx = {one.tx_id: one for one in _donations(world) if one.tx_id}
    for session in ledger.sessions.values():
        if session["payment_status"] != "paid":
            continue
        donation = by_tx.get(session["id"])
        assert donation is not None, f"¥{session['amount_total']} came, and there is no donation"
        charge = ledger.charges[ledger.intents[session["payment_intent"]]["latest_charge"]]
        kept = ledger.kept(charge)
        if donation.status is Status.SUCCEEDED:
            assert donation.kept == kept, f"Stripe keeps ¥{kept} of ¥{donation.amount}, we say ¥{donation.kept}"
        else:
            assert donation.paid_late_at is not None, f"¥{donation.amount} came for a donation that {donation.status}"


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
    pushes = Counter(one.key for one in _line(world).sent if one.way == "push")
    paid = {one["id"] for one in _ledger(world).sessions.values() if one["payment_status"] == "paid"}
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
    words = [(one.to, str(each.get("altText"))) for one in _line(world).sent for each in one.messages]
    return Counter((to, int(found[1].replace(",", ""))) for to, said in words if (found := THANKS.search(said)))


def _sums_given(world: World) -> Counter[tuple[str, int]]:
    """As Stripe has them: who paid which sum how often."""
    paid = [one for one in _ledger(world).sessions.values() if one["payment_status"] == "paid"]
    keys = [(donation_key(one["client_reference_id"]), one["amount_total"]) for one in paid]
    return Counter((key[0], amount) for key, amount in keys if key is not None)


WORLD.finally_(promises.everything_ends)
WORLD.finally_(promises.nothing_is_given_up)
