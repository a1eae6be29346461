"""Believable sample data: four weeks of donations by the demo people and their friends."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from sekkei.design import Action, replace
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.system import Context, Parts
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    await_confirmation,
    award_stamps,
    chat_messages,
    donations,
    found_by,
    handled,
    local_payments,
    paid_donations,
    paid_row,
    pledges,
    stamp_card,
    user_settings,
)
from sekkei_systems.chiipochi.design.models import (
    Appeal,
    ChatMessage,
    Donation,
    LocalPayment,
    Outcome,
    Pledge,
    Status,
    UserSettings,
)
from sekkei_systems.chiipochi.local import line_id
from sekkei_systems.chiipochi.ports.payments import NoProvider
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.conversation import SESSION
from sekkei_systems.chiipochi.rules.events import EVENTS_KEPT
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.texts import say

DAYS = 28
_FAVOURITES = ("CHIBA", "HOKKAIDO", "OKINAWA", "AOMORI", "FUKUOKA", "ISHIKAWA", "KYOTO", "KUMAMOTO", "NAGANO")
AMOUNTS = (100, 100, 100, 300, 300, 500, 1_000)
TOGETHER = 10
"""Seven items each at most, and a transaction takes a hundred."""
_CHAT_KEPT = timedelta(days=30)


async def demo(context: Context, parts: Parts) -> None:
    service: Service = parts.service
    chance = random.Random("chiipochi")
    people = [line_id(person.id) for person in DEMO_PEOPLE] + [line_id(f"friend-{number}") for number in range(40)]
    now = days.now(context.clock)
    made = [service.donations.new(*found) for found in _donations(chance, people, now)]
    together = [made[start : start + TOGETHER] for start in range(0, len(made), TOGETHER)]
    await asyncio.gather(*(_succeeded(context, some) for some in together))
    await _unsettled(context, service, people, now)
    await _conversation(context, service, people[0], now)
    await context.db.write(user_settings.put(UserSettings(user_id=people[0], language="ja")))
    today = days.today(context.clock)
    appeal = Appeal(
        code="NOTO",
        ja="能登半島地震の支援",
        en="Noto earthquake relief",
        words=["能登半島地震", "能登"],
        says_ja="能登の仮設住宅と農家の再建を支えます。",
        says_en="For temporary homes and farms in Noto.",
        goal=1_000_000,
        first=today,
        last=today + timedelta(days=60),
    )
    await service.appeals.keep(Operator("demo-aoi"), appeal)
    await service.details.keep(Donor(people[0]), "青木 葵", "千葉県千葉市中央区市場町1-1")
    first = next(donation for donation in made if donation.user_id == people[0])  # in January it may be last year's
    await service.receipts.issue_year(Donor(people[0]), days.day_of(first.created_at).year)
    if not isinstance(service.settling.provider, NoProvider):
        await service.books.take_over()
    for number, person in enumerate(people[1:3]):
        code = ("MIYAGI", "OKINAWA")[number]
        pledge = Pledge(
            user_id=person,
            prefecture=code,
            amount=300,
            day_of_month=(10, 25)[number],
            created_at=now - timedelta(days=20),
            last_month=f"{days.today(context.clock):%Y-%m}",
        )
        await context.db.write(pledges.put(pledge))


def _donations(
    chance: random.Random, people: list[str], now: datetime
) -> Iterator[tuple[str, str, int, datetime, str]]:
    """Who gave what to whom and when; more of it lately, and in the evening."""
    codes = list(PREFECTURES)
    taken: set[tuple[str, datetime]] = set()
    for age in range(DAYS - 1, -1, -1):
        midnight = days.start_of(days.day_of(now) - timedelta(days=age))
        length = (now - midnight if age == 0 else timedelta(days=1)).total_seconds()
        for _ in range(chance.randint(5, 9) + (DAYS - age) // 4):
            person = people[min(int(chance.expovariate(0.09)), len(people) - 1)]
            code = chance.choice(_FAVOURITES) if chance.random() < 0.55 else chance.choice(codes)
            hour = chance.triangular(0, length, length * 0.8)
            moment = (midnight + timedelta(milliseconds=int(hour * 1000))).astimezone(now.tzinfo)
            if (person, moment) not in taken and moment < now:
                taken.add((person, moment))
                yield person, code, chance.choice(AMOUNTS), moment, f"demo/{person}/{moment.isoformat()}"


async def _succeeded(context: Context, pending: list[Donation]) -> None:
    """Donations with all that followed from them, so that nobody is thanked for them again."""
    some = [_settled(donation, Status.SUCCEEDED) for donation in pending]
    puts = [action for donation in some for action in _rows(donation)]
    await context.db.transact(*puts, award_stamps(some))


def _rows(donation: Donation) -> Iterator[Action[Any, Any]]:
    yield donations.put(donation)
    yield local_payments.put(_paid(donation))
    yield paid_donations.put(paid_row(donation))
    yield from found_by(donation, donation.payment_ref)


def _paid(donation: Donation) -> LocalPayment:
    return LocalPayment(
        tx_id=donation.tx_id or "",
        order_id=order_id_of(donation.user_id, donation.created_at),
        amount=donation.amount,
        outcome=Outcome.PAID,
        description=say("ja", "bot.pay.description", place=PREFECTURES[donation.prefecture].full),
        created_at=donation.created_at,
    )


def _settled(pending: Donation, status: Status) -> Donation:
    name = f"{random.Random(order_id_of(pending.user_id, pending.created_at)).getrandbits(128):032x}"
    if status is not Status.SUCCEEDED:
        return replace(pending, status=status, tx_id=f"cs_test_{name}")
    paid_at, payment_ref = pending.created_at, f"pi_test_{name}"
    return replace(pending, status=status, tx_id=f"cs_test_{name}", payment_ref=payment_ref, paid_at=paid_at)


async def _unsettled(context: Context, service: Service, people: list[str], now: datetime) -> None:
    """What the operator has to look at: waiting, not begun, declined, and money that came too late."""
    waiting = service.donations.new(people[5], "TOYAMA", 500, now - timedelta(minutes=52), "demo/waiting")
    idle = service.donations.new(people[6], "EHIME", 100, now - timedelta(hours=3), "demo/idle")
    declined = service.donations.new(people[7], "NARA", 300, now - timedelta(hours=5), "demo/declined")
    late = service.donations.new(people[8], "KOCHI", 500, now - timedelta(days=2), "demo/late")
    for donation in (waiting, idle):
        await context.db.write(donations.put(donation))
    order_id = order_id_of(waiting.user_id, waiting.created_at)
    url = service.links.pay(order_id)
    await service.settling.start(url.rpartition("/")[2])
    await context.db.write(donations.put(_settled(declined, Status.FAILED)))
    given_up = replace(_settled(late, Status.FAILED), paid_late_at=now - timedelta(hours=20))
    await context.db.write(donations.put(given_up))
    await context.db.write(local_payments.put(_paid(given_up)))


async def _conversation(context: Context, service: Service, person: str, now: datetime) -> None:
    """The chat of the first demo person, which ends with a question that waits for its answer."""
    chiba, start = PREFECTURES["CHIBA"], now - timedelta(minutes=9)
    await _succeeded(context, [service.donations.new(person, chiba.code, 100, start, "demo/talked-of")])
    pay_url = service.links.pay(order_id_of(person, start))
    nonce = "demo000000000000"
    stamps = {stamp.prefecture: stamp.count for stamp in await context.db.all(stamp_card(person))}
    said = [
        ("bot", messages.fixed("welcome", "ja")),
        ("user", [messages.text("ピーナッツ")]),
        ("bot", messages.confirm(chiba, 100, "answered00000000", "ja")),
        ("user", [messages.text("はい")]),
        ("bot", messages.pay(chiba, 100, pay_url, "ja")),
        ("bot", messages.thanks(chiba, 100, stamps, service.links.mine(person), "ja")),
        ("user", [messages.text("りんご")]),
        ("bot", messages.choose([PREFECTURES["AOMORI"], PREFECTURES["NAGANO"]], 100, "ja")),
        ("user", [messages.text("青森県")]),
        ("bot", messages.confirm(PREFECTURES["AOMORI"], 100, nonce, "ja")),
    ]
    for place, (sender, content) in enumerate(said):
        at = start + timedelta(seconds=50 * place)
        await context.db.write(
            chat_messages.put(
                ChatMessage(
                    user_id=person,
                    at=at,
                    message_id=f"demo-{place}",
                    sender=sender,
                    messages=content,
                    expires_at=now + _CHAT_KEPT,
                )
            )
        )
    asked_at = int((start + timedelta(seconds=400)).timestamp() * 1000)
    await context.db.write(await_confirmation(person, "AOMORI_pending", 100, nonce, now + SESSION, now, asked_at))
    await context.db.write(handled("DEMOEVENT0001", now, now + EVENTS_KEPT))
