"""A donation: its key, what makes it happen once, how a provider refers to it, its name when its donor is forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any
from zlib import crc32

from sekkei.design import Action, Database, First, Put
from sekkei.runtime.design import Once
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.design import donation_of_payment, donations, history_of_user
from sekkei_systems.chiipochi.design.models import FORGOTTEN, Donation, Status, is_forgotten
from sekkei_systems.chiipochi.refusals import UnknownOrder
from sekkei_systems.chiipochi.rules.messages import Letter
from sekkei_systems.chiipochi.service.access import Links, Operator

_KEY_KEPT = timedelta(days=60)
"""Long after the last chance to answer a question, or to deliver the answer again."""

Actions = list[Action[Any, Any]]
Effects = tuple[Actions, Letter | None]
"""What is written, and what is answered."""

_SHOWN_MAX = 50


def order_id_of(user_id: str, created_at: datetime) -> str:
    """What providers call a donation: its key, so that a callback finds it without an index."""
    moment = created_at.astimezone(UTC).replace(tzinfo=None)
    return f"{user_id}|{moment.isoformat(timespec='milliseconds')}Z"


def donation_key(order_id: str) -> tuple[str, datetime] | None:
    """The donation that a provider speaks of; None when it is no order of ours."""
    user_id, bar, text = order_id.partition("|")
    try:
        created_at = datetime.fromisoformat(text)
        if created_at.tzinfo is None or not bar or not user_id:
            return None
        return user_id, created_at.astimezone(UTC)
    except (ValueError, OverflowError):  # the first and the last day of all have no time in other zones
        return None


@dataclass
class Donations:
    idempotency: Idempotency
    settings: Settings

    @cached_property
    def day_shards(self) -> int:
        """Over how many partitions a day's donations are spread; 0 is the document's single one."""
        return int(self.settings.get("chiipochi_day_shards", "0") or 0)

    def new(self, user_id: str, prefecture: str, amount: int, now: datetime, key: str) -> Donation:
        """A donation that waits for its payment, on the day that it is in Japan."""
        shard = crc32(user_id.encode()) % self.day_shards if self.day_shards else None
        moment = now.astimezone(UTC)
        return Donation(
            user_id=user_id,
            created_at=moment.replace(microsecond=moment.microsecond // 1000 * 1000),
            amount=amount,
            prefecture=prefecture,
            status=Status.PENDING,
            idempotency_key=key,
            day_shard=shard,
        )

    def once(self, donation: Donation) -> Put[Once]:
        """Part of the transaction that adds a donation: it fails when there is one of this key."""
        return self.idempotency.mark(f"donation/{donation.idempotency_key}", kept=_KEY_KEPT)


def pseudonym(settings: Settings, user_id: str) -> str:
    """Nobody can find the user from it; whoever knows the user finds it."""
    return FORGOTTEN + settings.secrets.signer("chiipochi/forget").mark(user_id)


@dataclass
class Orders:
    """Donations as a provider speaks of them: found by a payment link, by an order, by a payment."""

    settings: Settings
    db: Database
    links: Links

    async def of_link(self, token: str) -> Donation:
        """The donation behind a payment link."""
        key = donation_key(self.links.order_of(token))
        if key is None:
            raise UnknownOrder()
        return await self.find(*key)

    async def get(self, user_id: str, created_at: datetime) -> Donation | None:
        return await self.db.get(donations(user_id, created_at).consistent())

    async def find(self, user_id: str, created_at: datetime) -> Donation:
        found = await self.get(user_id, created_at)
        if found is None:
            raise UnknownOrder()
        return found

    async def named(self, user_id: str, created_at: datetime) -> Donation | None:
        """Also where its donor has been forgotten since."""
        found = await self.get(user_id, created_at)
        if found is None and not is_forgotten(user_id):
            found = await self.get(pseudonym(self.settings, user_id), created_at)
        return found

    async def ordered(self, order_id: str, tx_id: str | None) -> Donation | None:
        """By the order, which is the donation's key; or by the payment."""
        key = donation_key(order_id)
        found = None if key is None else await self.named(*key)
        if found is None and tx_id:
            found = await self.db.first(donation_of_payment(tx_id))
        return found

    async def search(self, operator: Operator, words: str) -> First[Donation]:
        """Donations by a payment's id, by our order or by a LINE user."""
        found = await self.ordered(words, words)
        return await self.db.first_items(history_of_user(words), _SHOWN_MAX) if found is None else First([found], True)
