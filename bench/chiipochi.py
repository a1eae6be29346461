"""ちいポチ under a burst: 2,000 users confirm 10,000 donations, a tenth of the deliveries twice or in the wrong order.

Everything goes over HTTP to the real webhook of a server in another process, signed as LINE signs. Afterwards all
payments are settled through signed callbacks, the stream hands out stamps and totals, and both are compared with a
recount of the donations themselves.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import orjson

from bench import served
from bench.markdown import number, table
from bench.served import Post, told
from sekkei.clock import SYSTEM
from sekkei.runtime.http import Http
from sekkei.runtime.transports.line import signature
from sekkei.store.http import Limits
from sekkei.web.shell import Shell
from sekkei_systems import days
from sekkei_systems.chiipochi.design import donations_on, stamp_card
from sekkei_systems.chiipochi.design.models import Status
from sekkei_systems.chiipochi.ports.line import local_secret
from sekkei_systems.chiipochi.ports.stripe import sign_body
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM as CHIIPOCHI

USERS = 2_000
CONFIRMATIONS = 10_000
DISTURBED = 0.1
CLIENTS = 32
SECONDS_MAX = 45.0
"""A slow machine makes fewer rounds, and says so."""
WORDS = ("ピーナッツ", "ゴーヤ", "牛タン", "たこ焼き", "明太子", "きりたんぽ", "草加せんべい", "もみじ饅頭")


async def _react(shell: Shell) -> float:
    """Let the stream hand out everything; the seconds it took."""
    started = time.perf_counter()
    pumps = shell.deployment.systems["chiipochi"].running.pumps
    while sum([await pump.run_once() for pump in pumps]):
        pass
    return time.perf_counter() - started


async def _orders(shell: Shell) -> list[tuple[str, int]]:
    """Every donation that waits for its payment, as its order and its yen."""
    service = shell.deployment.systems["chiipochi"].parts.service
    return [
        (order_id_of(found.user_id, found.created_at), found.amount) for found in await service.reconciliation.pending()
    ]


async def _compare(shell: Shell) -> dict[str, Any]:
    opened = shell.deployment.systems["chiipochi"]
    reports, db = opened.parts.service.reports, opened.context.db
    today = days.today(SYSTEM)
    found = {"agrees": True, "donations": 0, "amount": 0, "stamps": 0, "users": 0, "unsettled": 0}
    given: dict[str, int] = {}
    for day in (today - timedelta(days=1), today):
        check = await reports.check(day)
        found["agrees"] = found["agrees"] and check.agrees
        found["donations"] += check.counted.count
        found["amount"] += check.counted.amount
        async for donation in db.each(donations_on(day)):
            found["unsettled"] += donation.status is not Status.SUCCEEDED
            given[donation.user_id] = given.get(donation.user_id, 0) + 1
    found["users"] = len(given)
    for user, count in given.items():
        stamps = sum([stamp.count for stamp in await db.all(stamp_card(user))])
        found["stamps"] += stamps
        found["agrees"] = found["agrees"] and stamps == count
    return found


async def _cpu(shell: Shell) -> float:
    return time.process_time()


def _serve(pipe: Connection, folder: str) -> None:
    served.serve(pipe, folder, CHIIPOCHI, {"react": _react, "orders": _orders, "compare": _compare, "cpu": _cpu})


# The crowd


@dataclass
class Load:
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """Of the server: what a request costs, however busy the machine is with something else."""
    milliseconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return len(self.milliseconds) / self.seconds

    def cells(self) -> list[str]:
        slowest = statistics.quantiles(self.milliseconds, n=100)[98]
        typical = statistics.median(self.milliseconds)
        cpu = 1000 * self.cpu_seconds / len(self.milliseconds)
        return [number(len(self.milliseconds)), number(self.rate), f"{typical:.1f}", f"{slowest:.1f}", f"{cpu:.2f}"]


async def _send_all(url: str, requests: Iterable[Post], http: Http, pipe: Connection, load: Load) -> None:
    waiting = iter(requests)

    async def client() -> None:
        for request in waiting:
            took, _ = await served.post(http, url, request)
            load.milliseconds.append(took)

    cpu, started = await told(pipe, "cpu"), time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    load.seconds += time.perf_counter() - started
    load.cpu_seconds += await told(pipe, "cpu") - cpu


def _event(user: int, event_id: str, at_ms: int, text: str) -> dict[str, Any]:
    return {
        "type": "message",
        "mode": "active",
        "timestamp": at_ms,
        "webhookEventId": event_id,
        "replyToken": event_id,
        "source": {"type": "user", "userId": f"U{user:032x}"},
        "deliveryContext": {"isRedelivery": False},
        "message": {"id": event_id, "type": "text", "text": text},
    }


def _disturbed(events: list[dict[str, Any]], chance: random.Random) -> list[dict[str, Any]]:
    """A tenth delivered again later, or only then: after events that happened after them."""
    found: list[dict[str, Any]] = []
    later: list[dict[str, Any]] = []
    for event in events:
        lot = chance.random()
        if lot >= DISTURBED / 2:
            found.append(event)
        if lot < DISTURBED:
            later.append({**event, "deliveryContext": {"isRedelivery": True}})
        if len(later) >= 50:
            chance.shuffle(later)
            found += later
            later = []
    return found + later


def _signed(events: Iterable[dict[str, Any]], secret: bytes) -> list[Post]:
    bodies = [orjson.dumps({"destination": "U" + "0" * 32, "events": [event]}) for event in events]
    return [
        (body, {"X-Line-Signature": signature(secret, body), "Content-Type": "application/json"}) for body in bodies
    ]


async def _burst(port: int, pipe: Connection, folder: Path) -> None:
    chance = random.Random(7)
    secret = local_secret(served.settings(folder))
    http = Http(Limits(connections=CLIENTS, connect_seconds=10, answer_seconds=30, idle_seconds=30))
    url = f"http://127.0.0.1:{port}/chiipochi/webhook"
    ask, confirm, callbacks = Load(), Load(), Load()
    started = time.monotonic()
    for turn in range(CONFIRMATIONS // USERS):
        if time.monotonic() - started > SECONDS_MAX:
            print(f"(stopped after {turn} of {CONFIRMATIONS // USERS} rounds: {SECONDS_MAX:.0f} s are over)\n")
            break
        for load, kind in ((ask, "A"), (confirm, "C")):
            now = int(time.time() * 1000)
            texts = [chance.choice(WORDS) if kind == "A" else "はい" for _ in range(USERS)]
            events = [_event(user, f"{kind}{turn}x{user}", now, text) for user, text in enumerate(texts)]
            chance.shuffle(events)
            await _send_all(url, _signed(_disturbed(events, chance), secret), http, pipe, load)
    orders = await told(pipe, "orders")
    paying = url.replace("/webhook", "/payments/local")
    await _send_all(paying, _callbacks(orders, folder, chance), http, pipe, callbacks)
    reacting = await told(pipe, "react")
    result = await told(pipe, "compare")
    http.close()
    loads = (("questions", ask), ("confirmations", confirm), ("payment callbacks", callbacks))
    rows = [[name, *load.cells()] for name, load in loads]
    print(table(["deliveries over HTTP", "how many", "a second", "median ms", "p99 ms", "server's CPU ms"], rows))
    print(
        f"\n{number(result['donations'])} donations of {number(result['users'])} users (¥{number(result['amount'])}), "
        f"{number(result['stamps'])} stamps; stream: {number(result['donations'] / reacting)} donations a second. "
        f"Totals and stamps equal a recount: {'yes' if result['agrees'] else 'NO'}; not settled: {result['unsettled']}."
    )
    if not result["agrees"] or result["unsettled"] or result["donations"] != len(orders):
        raise SystemExit("the totals are not what the donations say")


def _callbacks(orders: list[tuple[str, int]], folder: Path, chance: random.Random) -> list[Post]:
    """What the local Stripe tells, a tenth of it twice."""
    secret = served.settings(folder).secrets.key("chiipochi/local-payments").hex().encode()
    found = []
    for place, (order_id, amount) in enumerate(orders):
        session = {
            "id": f"cs_test_{place:032x}",
            "status": "complete",
            "payment_status": "paid",
            "currency": "jpy",
            "amount_total": amount,
            "payment_intent": f"pi_test_{place:032x}",
            "metadata": {"order_id": order_id},
        }
        event = {"id": f"evt_{place}", "type": "checkout.session.completed", "data": {"object": session}}
        body = orjson.dumps({**event, "created": int(time.time())})
        headers = {"Stripe-Signature": sign_body(secret, time.time(), body), "Content-Type": "application/json"}
        found += [(body, headers)] * (2 if chance.random() < DISTURBED else 1)
    chance.shuffle(found)
    return found


def run() -> None:
    served.measure(_serve, _burst)


def main() -> None:
    run()


if __name__ == "__main__":
    main()
