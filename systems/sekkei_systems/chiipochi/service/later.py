"""What the provider is asked after a callback, so that no callback waits for it: instructions, refunds, disputes.

News of a refund or a dispute come twice, late and in any order, and name one payment. So none of them is believed: each
leads to one question, and the answer is what is written, unless somebody has written meanwhile; then it is asked again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.design import Message
from sekkei_systems.chiipochi.design import afterwards, donation_of_payment, instruct, order_of_payment
from sekkei_systems.chiipochi.design.models import Dispute, Donation, PaymentOrder, Status
from sekkei_systems.chiipochi.ports.payments.port import Afterwards, Provider
from sekkei_systems.chiipochi.service.awards import Awards
from sekkei_systems.chiipochi.service.letters import Letters
from sekkei_systems.chiipochi.service.orders import Orders
from sekkei_systems.chiipochi.service.receipts import Receipts
from sekkei_systems.chiipochi.service.reconciliation import Reconciliation
from sekkei_systems.chiipochi.service.settling import INSTRUCTIONS
from sekkei_systems.chiipochi.service.surplus import Surpluses

TRIES_MAX = 5

log = logging.getLogger("sekkei_systems.chiipochi.later")


@dataclass
class Later:
    """Both kinds of outbox messages end here."""

    db: Database
    clock: Clock
    provider: Provider
    orders: Orders
    letters: Letters
    surpluses: Surpluses
    reconciliation: Reconciliation
    awards: Awards
    receipts: Receipts

    async def send(self, message: Message) -> str:
        if message.kind == INSTRUCTIONS:
            return await self.instruct(message.body["order"], message.body["tx_id"])
        return await self.look(message.to)

    async def instruct(self, order_id: str, tx_id: str) -> str:
        donation = await self.orders.ordered(order_id, tx_id)
        if donation is None or donation.status is not Status.PENDING:
            return "not needed any more"
        found = await self.provider.instructions(tx_id)
        if found is None:
            return "there are none"
        try:
            await self.db.write(instruct(donation.user_id, donation.created_at, found.method, found.pay_by, found.url))
        except ConditionFailed:
            return "not needed any more"
        return found.method

    async def look(self, payment_ref: str) -> str:
        """Ask what became of a payment, and write it down."""
        for _ in range(TRIES_MAX):
            order = await self.db.get(order_of_payment(payment_ref))
            donation = await self._of_payment(payment_ref, order)
            if donation is None or donation.payment_ref != payment_ref:
                tx_id = await self.provider.tx_of(payment_ref)
                if tx_id and await self.surpluses.look(tx_id):
                    return "paid twice"
                if order is None and donation is None:
                    return "not ours"
                if donation is None or donation.tx_id != tx_id:
                    raise ConnectionError("whose payment it is cannot be seen yet")
            if donation.tx_id is None:
                raise ConnectionError("the payment is not settled yet")  # tried again a little later
            if donation.status is Status.PENDING:
                await self._settle(donation)
            elif await self._write(donation, await self.provider.afterwards(donation.tx_id)):
                await self._follow(donation)
                return "written"
        raise ConnectionError("somebody else writes it again and again")

    async def _settle(self, donation: Donation) -> None:
        """News of money that went back prove that it came: whoever has not been told of that asks."""
        if await self.reconciliation.look_at(donation, days.now(self.clock)) != "settled":
            raise ConnectionError("the payment is not settled yet")

    async def _of_payment(self, payment_ref: str, order: PaymentOrder | None) -> Donation | None:
        """By the payment; one of before is found by its checkout."""
        found = None if order is None else await self.orders.named(order.user_id, order.created_at)
        if found is not None:
            return found
        tx_id = await self.provider.tx_of(payment_ref)
        return None if tx_id is None else await self.db.first(donation_of_payment(tx_id))

    async def _write(self, donation: Donation, found: Afterwards) -> bool:
        """False when it was changed since it was read."""
        gone = found.refunded + donation.given_by_hand
        if gone > donation.amount:
            log.error("more was given back than came", extra={"tx_id": donation.tx_id, "refunded": gone})
        found = replace(found, refunded=min(gone, donation.amount))
        update = afterwards(donation, found.refunded, found.dispute, days.now(self.clock))
        try:
            await self.db.transact(update, *await self._told(donation, found))
        except TransactionFailed as failed:
            if failed.failed(update):
                return False
            await self.db.write(update)  # they have been told of this before
        if (donation.refunded, donation.dispute) != (found.refunded, found.dispute):
            _log(donation, found)
        return True

    async def _follow(self, donation: Donation) -> None:
        """The stream tells of it too, and forgets what nobody reads for a day; a message stays until it is done."""
        await self.awards.bring_in_line(donation)
        await self.receipts.correct(donation, changed=False)

    async def _told(self, donation: Donation, found: Afterwards) -> list[Action[Any, Any]]:
        if found.refunded > donation.refunded:
            return await self.letters.to(donation, "refunded", amount=found.refunded)
        if found.refunded < donation.refunded:
            return await self.letters.to(donation, "refund-back", amount=found.refunded)
        return []


def _log(donation: Donation, found: Afterwards) -> None:
    extra = {"tx_id": donation.tx_id, "refunded": found.refunded, "dispute": found.dispute and found.dispute.value}
    if found.refunded < donation.refunded or found.dispute in (Dispute.OPEN, Dispute.LOST):
        log.error("money needs somebody's attention: a refund failed, or a payment is disputed", extra=extra)
    else:
        log.warning("money was refunded or came back", extra=extra)
