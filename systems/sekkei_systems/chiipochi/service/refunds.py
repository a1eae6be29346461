"""Giving money back: asked for by somebody, carried out through the outbox until the provider has done it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Outbox, Undeliverable
from sekkei.runtime.refusals import Conflict
from sekkei_systems.chiipochi.design import ask_refund, given_back, name_refund, refund_failed, refunded, to_refund
from sekkei_systems.chiipochi.design.models import Dispute, Donation, by_hand, is_by_hand
from sekkei_systems.chiipochi.ports.payments.port import Provider, RefundRefused
from sekkei_systems.chiipochi.refusals import NotRefundable
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.letters import Letters
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.orders import Orders
from sekkei_systems.chiipochi.service.surplus import OVERTAKEN, REFUNDS, Surpluses, is_of, key_of

log = logging.getLogger("sekkei_systems.chiipochi.refunds")


@dataclass
class RefundTransport:
    """Gives money back through the provider; tried again until it is done or refused for good."""

    refunds: Refunds
    surpluses: Surpluses

    async def send(self, message: Message) -> str:
        order, tx_id, key = _asked(message)
        try:
            if message.body.get("surplus"):
                return await self.surpluses.give_back(order, tx_id, key)
            return await self.refunds.give_back(order, tx_id, key)
        except RefundRefused as refused:
            raise Undeliverable(str(refused)) from refused

    async def given_up(self, message: Message) -> None:
        """Refused, or tried for the last time: nothing is on its way any more."""
        order, tx_id, key = _asked(message)
        if message.body.get("surplus"):
            await self.surpluses.give_up(tx_id, key)
        else:
            await self.refunds.give_up(order, tx_id, key)


def _asked(message: Message) -> tuple[str, str, str]:
    """Of which order and payment, and under which key."""
    return message.body["order"], message.body["tx_id"], message.body.get("key", "")


@dataclass
class Refunds:
    db: Database
    clock: Clock
    outbox: Outbox
    provider: Provider
    orders: Orders
    letters: Letters

    async def owed(self, operator: Operator) -> list[Donation]:
        """What must be given back."""
        return await self.db.all(to_refund())

    async def given_back(self, operator: Operator) -> list[Donation]:
        """What has been given back, newest first."""
        return list(await self.db.page(given_back()))

    async def refund(self, operator: Operator, user_id: str, created_at: datetime) -> None:
        """Ask for a donation's money to be given back; asking twice is asking once."""
        donation = await self.orders.find(user_id, created_at)
        if donation.is_refund_running or _is_done(donation):
            return
        if donation.tx_id is None or not (donation.counts or donation.paid_late_at) or donation.given_by_hand:
            raise NotRefundable()  # the provider would give all of it back, also what was given back by hand
        if donation.dispute is Dispute.LOST:
            raise NotRefundable()  # a bank has taken it
        now, order_id = days.now(self.clock), order_id_of(user_id, created_at)
        key = key_of(now)
        body = {"order": order_id, "tx_id": donation.tx_id, "key": key}
        asked = ask_refund(donation, operator.id, now)
        message = self.outbox.message(REFUNDS, donation.tx_id, body, id=f"refund/{order_id}/{key}")
        try:
            await self.db.transact(asked, message)
        except TransactionFailed:
            raise Conflict() from None
        log.warning("a refund was asked for", extra={"order": order_id, "amount": donation.amount, "by": operator.id})

    async def give_back(self, order_id: str, tx_id: str, key: str) -> str:
        """Have the provider do it, and write it down; the refund's id. Raises RefundRefused for good."""
        donation = await self.orders.ordered(order_id, tx_id)
        if donation is None:
            raise ConnectionError("the donation is not to be found")  # tried again a little later
        if _is_done(donation) and donation.refund_id:
            return donation.refund_id
        if not is_of(donation.refund_asked_at, key):
            return OVERTAKEN
        refund_id = await self.provider.refund(tx_id, order_id, key)
        if _is_done(donation):  # its news were quicker than its answer
            await self.db.write(name_refund(donation, refund_id))
        else:
            await self._returned(donation, refund_id)
        return refund_id

    async def give_up(self, order_id: str, tx_id: str, key: str) -> None:
        """This try has come to nothing: somebody has to look at it, and may try again."""
        donation = await self.orders.ordered(order_id, tx_id)
        if donation is not None and is_of(donation.refund_asked_at, key):
            await self.db.write(refund_failed(donation, days.now(self.clock)))

    async def mark_refunded(self, operator: Operator, user_id: str, created_at: datetime) -> None:
        """Somebody gave the money back by hand; saying so twice is saying it once."""
        donation = await self.orders.find(user_id, created_at)
        if donation.refund_pk is None:
            raise NotRefundable()
        if not _is_done(donation):
            await self._returned(donation, by_hand(operator.id))

    async def _returned(self, donation: Donation, refund_id: str) -> None:
        order_id = order_id_of(donation.user_id, donation.created_at)
        done = refunded(donation, refund_id, days.now(self.clock))
        try:
            await self.db.transact(done, *await self.letters.to(donation, "refunded", by_hand=is_by_hand(refund_id)))
        except TransactionFailed as failed:
            found = await self.orders.ordered(order_id, donation.tx_id)
            if found is None or not _is_done(found):  # moved meanwhile: the money must be in the books
                raise Conflict() from failed
            log.info("a refund was written down before", extra={"user": donation.user_id, "error": repr(failed)})
            return
        log.warning("money was given back", extra={"order": order_id, "refund": refund_id, "amount": donation.amount})


def _is_done(donation: Donation) -> bool:
    return donation.refunded >= donation.amount
