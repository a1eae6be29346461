"""Donations as a provider speaks of them: found by a payment link, by an order, by a payment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sekkei.design import Database
from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.design import donation_of_payment, donations, history_of_user
from sekkei_systems.chiipochi.design.models import Donation, is_forgotten
from sekkei_systems.chiipochi.refusals import UnknownOrder
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.forgotten import pseudonym
from sekkei_systems.chiipochi.service.links import Links, donation_key


@dataclass
class Orders:
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

    async def search(self, operator: Operator, words: str) -> list[Donation]:
        """Donations by a payment's id, by our order or by a LINE user."""
        found = await self.ordered(words, words)
        return [found] if found is not None else list(await self.db.page(history_of_user(words)))
