"""ちいポチ on each store it must run on, driven as LINE drives it: by signed webhooks."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime.design import Message, newest_messages
from sekkei.runtime.transports.line import signature
from sekkei.store import Store
from sekkei.web.testing import Client, Reply, opened, test_settings
from sekkei_fakes.stripe import Ledger, LocalStripe
from sekkei_fakes.stripe import serve as serve_stripe
from sekkei_fakes.stripe.account import LocalAccount
from sekkei_fakes.stripe.payment_pages import DEEDS
from sekkei_fakes.stripe.server import KEY
from sekkei_systems.chiipochi import webhooks as line_webhook
from sekkei_systems.chiipochi.design import donations, history_of_user
from sekkei_systems.chiipochi.design.models import Donation, Outcome
from sekkei_systems.chiipochi.ports.line import local_secret
from sekkei_systems.chiipochi.ports.stripe import Stripe
from sekkei_systems.chiipochi.service import Service, letters
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM
from tests.browser import browser, serve, shots
from tests.systems.conftest import retries

__all__ = ["browser", "serve", "shots"]

NOW = 1_755_666_600.0  # 2025-08-20T05:10:00Z, ten past two in the afternoon in Japan
AOI = "U" + "a" * 32
REN = "U" + "b" * 32
TODAY = date(2025, 8, 20)
DECISIONS = {Outcome.PAID: "approve", Outcome.FAILED: "decline", Outcome.WAITING: "store"}

CHECKOUT = {
    "id": "cs_1",
    "url": "https://checkout.stripe.com/c/pay/cs_1",
    "currency": "jpy",
    "amount_total": 100,
    "status": "complete",
    "payment_status": "paid",
    "metadata": {"order_id": "U1|2025-08-20T05:10:00.000Z"},
}
"""A checkout session as Stripe shows it, paid."""


class Bot:
    """The bot as LINE and its users see it."""

    def __init__(self, client: Client, clock: ManualClock) -> None:
        self.client, self.clock = client, clock
        self.db: Database = client.shell.deployment.systems["chiipochi"].context.db
        self.service: Service = client.shell.deployment.systems["chiipochi"].parts.service
        self._numbers = itertools.count(1)

    def event(self, user: str = AOI, **fields: Any) -> dict[str, Any]:
        return {
            "mode": "active",
            "timestamp": int(self.clock.now() * 1000),
            "source": {"type": "user", "userId": user},
            "webhookEventId": f"EVT{next(self._numbers):08d}",
            "deliveryContext": {"isRedelivery": False},
            "replyToken": secrets.token_hex(16),
            **fields,
        }

    def text(self, words: str, user: str = AOI, **fields: Any) -> dict[str, Any]:
        message = {"id": f"{next(self._numbers)}", "type": "text", "text": words, "quoteToken": "q"}
        return self.event(user, type="message", message=message, **fields)

    def tap(self, data: str, user: str = AOI) -> dict[str, Any]:
        return self.event(user, type="postback", postback={"data": data})

    async def deliver(self, *events: dict[str, Any], sign: bytes | None = None) -> Reply:
        body = orjson.dumps({"destination": "U" + "0" * 32, "events": list(events)})
        secret = local_secret(self.client.shell.settings) if sign is None else sign
        headers = {"content-type": "application/json", "x-line-signature": signature(secret, body)}
        reply = await self.client.request("POST", "/chiipochi/webhook", body, headers)
        await self.service.inbox.finish()
        return reply

    async def say(self, *words: str, user: str = AOI) -> None:
        """One message after the other, a second apart."""
        for one in words:
            assert (await self.deliver(self.text(one, user))).status == 200
            self.clock.advance(1)

    async def work(self) -> None:
        """Everything that is due. In bad weather a lease can be taken without its taker learning of it: wait it out."""
        await self.client.work()
        if retries(self.db.store):
            for _ in range(3):
                self.clock.advance(61)
                await self.client.work()

    async def donations(self, user: str = AOI) -> list[Donation]:
        """Oldest first."""
        return (await self.db.all(history_of_user(user).consistent()))[::-1]

    async def sent(self, prefix: str = "") -> list[Message]:
        """What the bot sent or will send, oldest first; by the reason for it."""
        runtime = self.client.shell.deployment.runtime
        found = await runtime.all(newest_messages())
        return [one for one in found[::-1] if one.kind == "line" and one.id.startswith(f"chiipochi/{prefix}")]

    async def last_words(self) -> str:
        return str((await self.sent())[-1].body["messages"])

    async def pay(self, donation: Donation, outcome: Outcome = Outcome.PAID) -> None:
        """Follow the link and decide; the notice is on its way then."""
        token = self.service.links.order_token(order_id_of(donation.user_id, donation.created_at))
        url = await self.service.settling.start(token)
        await self.decide(url.rpartition("/")[2], outcome)

    @property
    def account(self) -> LocalAccount:
        """The local Stripe behind the pages."""
        provider = self.service.settling.provider
        assert isinstance(provider, Stripe)
        assert isinstance(provider._http, LocalAccount)
        return provider._http

    async def decide(self, tx_id: str, outcome: Outcome) -> None:
        """What the payer clicks; the news of it are on their way then."""
        await self.account.act(tx_id, DEEDS[DECISIONS[outcome]])

    async def records(self) -> list[dict[str, object]]:
        """Everything in the stream of donations, as Lambda would be given it."""
        store = self.db.store
        table = (await store.call("DescribeTable", {"TableName": "donation_history"}))["Table"]
        arn = table["LatestStreamArn"]
        stream = (await store.call("DescribeStream", {"StreamArn": arn}))["StreamDescription"]
        found = []
        for shard in stream["Shards"]:
            request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
            iterator = (await store.call("GetShardIterator", request))["ShardIterator"]
            answer = await store.call("GetRecords", {"ShardIterator": iterator})
            found += [{**record, "eventSourceARN": arn} for record in answer["Records"]]
        return found

    async def forget(self, user: str = AOI) -> None:
        """As the job does that a donor asks for."""
        for _, step in self.client.shell.deployment.systems["chiipochi"].parts.jobs["forget"].steps:
            await step({"user_id": user}, None)

    async def donate(self, word: str = "ピーナッツ", user: str = AOI) -> Donation:
        """All the way from the word to the thanks."""
        await self.say(word, "はい", user=user)
        donation = (await self.donations(user))[-1]
        await self.pay(donation)
        await self.work()
        return (await self.donations(user))[-1]


class StripeBot(Bot):
    """The bot of an NPO that takes money through Stripe; the account is a strict local one."""

    def __init__(self, client: Client, clock: ManualClock, stripe: LocalStripe) -> None:
        super().__init__(client, clock)
        self.stripe, self.ledger = stripe, stripe.ledger

    async def checkout(self, word: str = "ピーナッツ 500", user: str = AOI) -> tuple[Donation, dict[str, Any]]:
        """As far as Stripe's page."""
        await self.say(word, "はい", user=user)
        donation = (await self.donations(user))[-1]
        token = self.service.links.order_token(order_id_of(user, donation.created_at))
        assert (await self.client.get(f"/chiipochi/pay/{token}")).status == 303
        donation = await self.now(donation)
        return donation, self.ledger.sessions[donation.tx_id or ""]

    async def now(self, donation: Donation) -> Donation:
        """The donation as it stands now."""
        found = await self.db.get(donations(donation.user_id, donation.created_at).consistent())
        assert found is not None
        return found

    async def post(self, body: bytes, signature: str) -> Reply:
        headers = {"stripe-signature": signature}
        return await self.client.request("POST", "/chiipochi/payments/stripe", body, headers)

    async def tell(self, times: int = 1) -> list[int]:
        """Stripe's news, in the order it happened; and everything that follows."""
        self.ledger.pass_time()
        found = [(await self.post(*one)).status for one in self.ledger.news(WEBHOOK_SECRET) for _ in range(times)]
        await self.work()
        return found

    def done(self, donation: Donation) -> str:
        return f"{self.service.links.pay(order_id_of(donation.user_id, donation.created_at))}/done".partition("8000")[2]


WEBHOOK_SECRET = "whsec_local"


@asynccontextmanager
async def at_stripe(clock: ManualClock, **more: str) -> AsyncIterator[StripeBot]:
    async with serve_stripe(Ledger(clock)) as stripe:
        values = {
            "stripe_secret_key": KEY,
            "stripe_webhook_secret": WEBHOOK_SECRET,
            "stripe_api_url": stripe.url,
            "stripe_payment_methods": "card,konbini",
            **more,
        }
        async with opened(SYSTEM, clock=clock, settings=test_settings(values=values)) as client:
            yield StripeBot(client, clock, stripe)


@pytest.fixture
async def stripe_bot(clock: ManualClock) -> AsyncIterator[StripeBot]:
    async with at_stripe(clock) as bot:
        yield bot


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the bot has as long as it takes: what is put off is the business of tests that say so."""
    monkeypatch.setattr(line_webhook, "ANSWER_SECONDS", 300.0)
    monkeypatch.setattr(letters, "QUOTA_SECONDS", 300.0)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def weather() -> Mapping[str, float]:
    """Answers are lost often, and nothing is late: a donation is one transaction after the other."""
    return {"seed": 7, "lost_responses": 0.15, "conflicts": 0.1, "in_progress": 0.05, "throttled": 0.05}


@pytest.fixture
async def bot(store: Store, clock: ManualClock) -> AsyncIterator[Bot]:
    async with opened(SYSTEM, store=store, clock=clock) as client:
        yield Bot(client, clock)


@pytest.fixture
async def quick_bot(clock: ManualClock) -> AsyncIterator[Bot]:
    """For what does not depend on the store."""
    async with opened(SYSTEM, clock=clock) as client:
        yield Bot(client, clock)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
