"""Payments: begun when somebody follows the link, settled once by whichever word of the provider comes first."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

from sekkei.design import Action, ConditionFailed, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.system import Context
from sekkei_systems.chiipochi.design import begin_payment, donations, paid_after_all, settle
from sekkei_systems.chiipochi.design.models import Donation, Outcome, Status
from sekkei_systems.chiipochi.ports.payments.port import PaymentEvent, Provider
from sekkei_systems.chiipochi.refusals import TooLateToPay, UnknownOrder, WrongAmount
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.service.letters import Letters
from sekkei_systems.chiipochi.service.links import Links, order_id_of
from sekkei_systems.chiipochi.service.orders import Orders
from sekkei_systems.chiipochi.texts import LANGUAGES, say

PAYABLE = timedelta(hours=23)
"""A checkout stays open for at most a day, and the link a little less."""
EVENTS_KEPT = timedelta(days=30)

log = logging.getLogger("sekkei_systems.chiipochi.settling")

Result = Literal["settled", "known", "late", "open"]


class Settling:
    def __init__(self, context: Context, provider: Provider, links: Links, orders: Orders, letters: Letters) -> None:
        self._db, self._clock, self._provider = context.db, context.clock, provider
        self._idempotency = context.idempotency
        self._links, self._orders, self._letters = links, orders, letters

    @property
    def provider(self) -> Provider:
        return self._provider

    async def start(self, token: str) -> str:
        """Where the payer goes, out of the token in the link that the bot gave."""
        donation = await self._orders.of_link(token)
        order_id = order_id_of(donation.user_id, donation.created_at)
        if donation.status is not Status.PENDING:
            return f"{self._links.pay(order_id)}/done"
        until = donation.created_at + PAYABLE
        if days.now(self._clock) >= until - timedelta(minutes=30):
            raise TooLateToPay()
        # In both languages: a provider that is asked again must be asked the same, whatever is spoken by then.
        place = PREFECTURES[donation.prefecture]
        description = " / ".join(say(one, "bot.pay.description", place=place.name(one)) for one in LANGUAGES)
        done = f"{self._links.pay(order_id)}/done"
        checkout = await self._provider.create(order_id, donation.amount, description, done, until)
        try:
            await self._db.write(begin_payment(donation.user_id, donation.created_at, checkout.tx_id))
        except ConditionFailed:
            return f"{self._links.pay(order_id)}/done"  # settled meanwhile
        return checkout.url

    async def receive(self, provider: str, body: bytes, headers: Mapping[str, str]) -> Result:
        """A provider's callback. An order that is not there (yet) is refused, so that the provider tries again."""
        if provider != self._provider.name:
            raise NotThere()
        event = self._provider.verify(body, headers)
        return "open" if event is None else await self.apply(event)

    async def apply(self, event: PaymentEvent) -> Result:
        """Write down what became of a payment; once, however often and in whatever order it is told."""
        donation = await self._orders.ordered(event.order_id, event.tx_id)
        extra = {"event": event.id, "order": event.order_id, "tx_id": event.tx_id}
        if donation is None:
            log.warning("a payment callback names no order of ours", extra=extra)
            raise UnknownOrder()
        if event.outcome is Outcome.OPEN:
            return "open"
        if event.outcome is Outcome.PAID and event.amount != donation.amount:
            log.error("a payment has another amount than its order", extra={**extra, "amount": event.amount})
            raise WrongAmount()
        if donation.status is not Status.PENDING:
            return await self._after_the_end(donation, event)
        status = Status.SUCCEEDED if event.outcome is Outcome.PAID else Status.FAILED
        return await self._settle(donation, status, event)

    async def _settle(self, donation: Donation, status: Status, event: PaymentEvent) -> Result:
        now_settled = settle(donation.user_id, donation.created_at, status, event.tx_id or None)
        seen = self._idempotency.mark(f"payment/{event.id}", {"order": event.order_id}, EVENTS_KEPT)
        actions: list[Action[Any, Any]] = [now_settled, seen]
        if status is Status.FAILED:
            actions += await self._letters.to(donation, "failed")
        try:
            await self._db.transact(*actions)
        except TransactionFailed as failed:
            if failed.failed(seen) and not failed.failed(now_settled):
                return "known"  # this very event has been heard before
            return await self._after_the_end(
                await self._db.need(donations(donation.user_id, donation.created_at).consistent()), event
            )
        return "settled"

    async def _after_the_end(self, donation: Donation, event: PaymentEvent) -> Result:
        """The donation is settled. Money that comes for one that was given up must be given back."""
        if event.outcome is not Outcome.PAID or donation.status is not Status.FAILED:
            return "known"
        try:
            await self._db.write(paid_after_all(donation, days.now(self._clock)))
        except ConditionFailed:
            return "known"
        log.error("money came for a donation that was given up", extra={"order": event.order_id, "event": event.id})
        return "late"
