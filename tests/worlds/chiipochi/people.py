"""Who lives in the world of ちいポチ: donors on LINE, a strict Stripe, operators with refund buttons, and banks."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import orjson

from sekkei.worlds import Letter, Person, Script, World
from sekkei.worlds.chance import dice_of
from sekkei_fakes.line import LineCounterpart
from sekkei_fakes.stripe import Ledger
from sekkei_fakes.stripe.errors import Refused
from sekkei_fakes.stripe.ledger import Thing
from sekkei_fakes.stripe.requests import Failing
from sekkei_fakes.stripe.server import KEY, PER_SECOND, StripeEnd
from sekkei_systems.chiipochi.design.models import Donation, Status, Surplus
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM

SECRET, WEBHOOK_SECRET, TOKEN = "line-secret", "whsec_world", "line-token"
WORDS = ("ピーナッツ", "りんご 300", "沖縄 500", "餃子", "石川県に 千円")
PAY = re.compile(r"/chiipochi/pay/[\w.=-]+")
MINE = re.compile(r"/chiipochi/u/[\w.=|-]+")
YES = re.compile(r'"data":"([^"]*\ba=yes\b[^"]*)"')
"""What the button carries that says yes."""
HOUR, DAY = 3600.0, 86400.0

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
        "chiipochi_organisation": "ふるさと応援会",
        "operators": "operator-1@example.com,operator-2@example.com",
    },
)


# Services outside


@WORLD.prepares
def open_services(world: World) -> None:
    ledger, line = Ledger(world.clock, world.seed), LineCounterpart(world.clock, TOKEN)
    world.given |= {
        "ledger": ledger,
        "line": line,
        "yes": Counter(),
        "forgotten": {},
        "left": set(),
        "down": [],
        "in vain": set(),
    }
    stripe = StripeEnd(ledger)
    stripe.requests.fails = lambda key: _fails(world, key)
    busy = world.faults.outside and dice_of(world.seed, "stripe").chance(0.3)
    stripe.per_second = lambda method: 1 if busy and world.faulty and method == "POST" else PER_SECOND
    world.internet.services |= {"api.stripe.com": stripe, "api.line.me": line}


def _fails(world: World, key: str) -> Failing:
    """Stripe keeps what it said of a key, so that it failed as well: of one in eight, where services have faults."""
    dice = dice_of(world.seed, "stripe", key)
    if not world.faulty or not world.faults.outside or not dice.chance(1 / 8):
        return ""
    return dice.choice(["before", "after"])


@WORLD.lives
async def stripe_tells_its_news(world: World) -> None:
    """Each event goes its own way; Stripe signs every try anew and tries for days."""
    ledger, told = ledger_of(world), 0
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
    ledger = ledger_of(world)
    for number in range(1, 100):
        dice = dice_of(world.seed, "bank", number)
        await asyncio.sleep(2 + dice.random() * 14)
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


def ledger_of(world: World) -> Ledger:
    found: Ledger = world.given["ledger"]
    return found


def line_of(world: World) -> LineCounterpart:
    found: LineCounterpart = world.given["line"]
    return found


# Donors


@WORLD.role(3)
async def donor(me: Person) -> None:
    me.memory["line"] = "U" + f"{int(me.name[-1]):032x}"
    _send(me, line_of(me.world).befriend(me.memory["line"]))
    await asyncio.sleep(2.0)
    if me.name == "donor-1":
        await _gives(me)


async def _gives(me: Person) -> None:
    """Somebody who has given before: there is money to give back from the beginning."""
    line, ledger, user = line_of(me.world), ledger_of(me.world), me.memory["line"]
    me.world.given["yes"][user] += 1
    _send(me, line.text(user, WORDS[0]))
    if (button := await _heard(me, YES)) is None:
        return
    _send(me, line.tap(user, button[1]))
    if (link := await _heard(me, PAY)) is None:
        return
    ledger.pay_by_card(ledger.sessions[(await me.get(link[0])).location.rpartition("/")[2]])


async def _heard(me: Person, wanted: re.Pattern[str]) -> re.Match[str] | None:
    """None if they wait for it in vain."""
    for _ in range(20):
        if (found := _newest(me, wanted)) is not None:
            return found
        await asyncio.sleep(0.5)
    return None


def _send(me: Person, event: dict[str, Any]) -> None:
    """LINE delivers again what was not taken, and says so; in the end it gives up."""
    if me.memory.get("gone"):
        return  # whoever is forgotten writes no more
    line = line_of(me.world)
    me.world.deliver(
        Letter(
            f"line/{event['webhookEventId']}",
            "/chiipochi/webhook",
            lambda number: line.webhook([event], SECRET, again=number > 1),
        )
    )


def _said(me: Person) -> Iterator[str]:
    """What the bot has told them, the newest first."""
    for sent in reversed(line_of(me.world).received(me.memory["line"])):
        yield orjson.dumps(sent.messages).decode()


def _newest(me: Person, wanted: re.Pattern[str]) -> re.Match[str] | None:
    return next((found for words in _said(me) if (found := wanted.search(words)) is not None), None)


@WORLD.does("donor", 4)
async def names_a_speciality(me: Person) -> str:
    words = me.dice.choice(WORDS)
    _send(me, line_of(me.world).text(me.memory["line"], words))
    return f"writes {words}"


@WORLD.does("donor", 4)
async def says_yes(me: Person) -> str:
    line, user = line_of(me.world), me.memory["line"]
    me.world.given["yes"][user] += 1
    found = _newest(me, YES)
    if found is not None and me.dice.chance(0.5):
        _send(me, line.tap(user, found[1]))
        return "taps はい"
    _send(me, line.text(user, "はい"))
    return "writes はい"


@WORLD.does("donor", 2)
async def asks_something(me: Person) -> str:
    words = me.dice.choice(["今日の合計", "スタンプ", "履歴", "ランキング", "いいえ"])
    _send(me, line_of(me.world).text(me.memory["line"], words))
    return f"writes {words}"


@WORLD.does("donor", 1)
async def unsends(me: Person) -> str:
    line, user = line_of(me.world), me.memory["line"]
    event = line.text(user, "ピーナッツ")
    _send(me, event)
    _send(me, line.unsend(user, event["message"]["id"]))
    return "writes ピーナッツ and takes it back"


@WORLD.does("donor", 6)
async def follows_the_link(me: Person) -> str | None:
    """And pays, or goes to a convenience store, or thinks better of it."""
    found = _newest(me, PAY)
    if found is None:
        return None
    reply = await me.get(found[0])
    if reply.status == 503:
        me.world.given["in vain"].add(found[0])
    if reply.status != 303 or "checkout.stripe.com" not in reply.location:
        return f"follows the link: {reply.status}"
    session = ledger_of(me.world).sessions[reply.location.rpartition("/")[2]]
    await asyncio.sleep(me.dice.seconds(5.0))
    return f"at Stripe: {_decides(me, session)}"


@WORLD.does("donor", 2)
async def taps_the_link_twice(me: Person) -> str | None:
    """And is in the middle of both requests at once; whoever hears that payments are down is remembered."""
    found = _newest(me, PAY)
    if found is None:
        return None
    replies = await asyncio.gather(*(me.get(found[0]) for _ in range(2)))
    me.world.given["down"] += [found[0] for one in replies if one.status == 503]
    return f"taps the link twice: {', '.join(str(one.status) for one in replies)}"


@WORLD.lives
async def whoever_could_not_pay_tries_again(world: World) -> None:
    """As soon as all is well: a page that says that payments are down breaks the world by then."""
    trouble = False
    while world.faulty or not trouble:
        await asyncio.sleep(1.0)
        trouble = trouble or world.faulty
    for link in sorted({*world.given["in vain"], *world.given["down"]}):
        reply = await world.request("GET", link, b"", {}, dice_of(world.seed, "again", link))
        world.tell("donor", f"follows a link that was in vain: {reply.status}")


def _decides(me: Person, session: Thing) -> str:
    ledger = ledger_of(me.world)
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
    ledger = ledger_of(me.world)
    slips = [one for one in ledger.sessions.values() if one["status"] == "complete" and one["payment_status"] != "paid"]
    if not slips:
        return None
    session = me.dice.choice(slips)
    try:
        ledger.pay_later(session)
    except Refused as refused:
        return f"pays at the till, refused: {refused.code}"
    return f"pays ¥{session['amount_total']} at the till"


@WORLD.does("donor", 1)
async def pays_once_more(me: Person) -> str | None:
    """For something that is paid, or waits for a till, or has run out: by a second checkout."""
    ledger = ledger_of(me.world)
    others = [one for one in ledger.sessions.values() if one["status"] != "open"]
    if not others:
        return None
    return f"once more at Stripe: {_decides(me, ledger.again(me.dice.choice(others)))}"


@WORLD.does("donor", 1)
async def names_an_account(me: Person) -> str | None:
    """To which cash goes back: Stripe has asked by mail."""
    ledger = ledger_of(me.world)
    waiting = [one for one in ledger.refunds.values() if one["status"] == "requires_action"]
    if not waiting:
        return None
    refund = me.dice.choice(waiting)
    ledger.name_account(refund)
    return f"names an account for ¥{refund['amount']}"


@WORLD.does("donor", 1)
async def wants_receipts(me: Person) -> str | None:
    """For a donation, for the year, or for both in two tabs."""
    found, user = _newest(me, MINE), me.memory["line"]
    given = [one for one in me.world.decoded("donation_history") if one.user_id == user and one.counts]
    if found is None or not given:
        return None
    if not me.memory.get("named"):
        reply = await me.post(f"{found[0]}/details", {"name": "青木 葵", "address": "千葉市中央区市場町1-1"})
        me.memory["named"] = reply.status == 303
    donation = me.dice.choice(sorted(given, key=lambda one: one.created_at))
    single, year = order_id_of(user, donation.created_at).partition("|")[2], donation.paid_day.year
    wanted = me.dice.choice([[{"donation": single}], [{"year": year}], [{"donation": single}, {"year": year}]])
    replies = await asyncio.gather(*(me.post(f"{found[0]}/receipts", form) for form in wanted))
    return f"wants {len(wanted)} receipts: {', '.join(str(one.status) for one in replies)}"


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


# Operators


@WORLD.role(2)
async def operator(me: Person) -> None:
    await me.sign_in(f"{me.name}@example.com")


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


@WORLD.does("operator", 0.5)
async def looks(me: Person) -> str:
    return f"opens the operator's page: {(await me.get('/chiipochi/operator')).status}"


@WORLD.does("operator", 2)
async def gives_back_by_hand(me: Person) -> str | None:
    """What the page lists: it came too late, or Stripe is slow or unable."""
    owed = [one for one in me.world.decoded("donation_history") if one.refund_pk == "OWED"]
    if not owed:
        return None
    donation = me.dice.choice(sorted(owed, key=lambda one: one.created_at))
    order = order_id_of(donation.user_id, donation.created_at)
    reply = await me.post("/chiipochi/operator/refunded", {"order": order})
    return f"gives ¥{donation.amount} back by hand: {reply.status}"


@WORLD.does("operator", 2)
async def gives_a_second_payment_back(me: Person) -> str | None:
    found = [one for one in me.world.decoded("payments") if isinstance(one, Surplus) and one.refunded_at is None]
    if not found:
        return None
    surplus = me.dice.choice(sorted(found, key=lambda one: one.tx_id))
    what = me.dice.choices(["refund", "refunded"], [3, 1])[0]
    reply = await me.post("/chiipochi/operator/twice", {"payment": surplus.tx_id, "what": what})
    return f"{what} of a second ¥{surplus.amount}: {reply.status}"


@WORLD.does("operator", 1)
async def leaves(me: Person) -> str | None:
    """One of them, once they have asked for a refund: there is somebody left to give money back."""
    account, donations = _account(me), me.world.decoded("donation_history")
    asked = any(one.refund_asked_by == account for one in donations)
    if me.name != "operator-2" or account is None or not asked:
        return None
    await me.sign_in(f"{me.name}@example.com")  # nobody leaves by a session of long ago
    await me.post("/account/leave", {"sure": "on"})
    if _account(me) is None:
        me.world.given["left"].add(account)
    return "leaves with their account" if _account(me) is None else "tries to leave"


def _account(me: Person) -> str | None:
    theirs = [row for row in me.world.items("sekkei-web") if row.get("email") == {"S": f"{me.name}@example.com"}]
    return theirs[0]["PK"]["S"].partition("#")[2] if theirs else None
