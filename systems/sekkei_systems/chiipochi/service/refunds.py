"""Giving money back: asked for by somebody, carried out through the outbox until the provider has done it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, First, TransactionFailed, Update
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Outbox, Undeliverable
from sekkei.runtime.refusals import Conflict, NotThere
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    all_surplus,
    ask_refund,
    donations,
    found_by,
    given_back,
    name_refund,
    paid_twice,
    refund_failed,
    refunded,
    surpluses,
    to_refund,
)
from sekkei_systems.chiipochi.design.models import Dispute, Donation, Surplus, by_hand, is_by_hand
from sekkei_systems.chiipochi.ports.payments import PaymentEvent, Provider, RefundRefused
from sekkei_systems.chiipochi.refusals import NotRefundable, UnknownOrder
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.donations import Orders, order_id_of
from sekkei_systems.chiipochi.service.letters import Letters

REFUNDS = "chiipochi.refund"
"""The outbox's kind of message that gives money back."""
AFTERWARDS = "chiipochi.afterwards"
"""The one that asks what became of a payment (`later.py`)."""

_OVERTAKEN = "overtaken"
"""Of a try that no longer stands in the row: it came to nothing by what was heard since, or another one was begun.
Whoever carried it out again would believe what the provider repeats of it."""

log = logging.getLogger("sekkei_systems.chiipochi.refunds")

_SHOWN_MAX = 50


@dataclass
class Surpluses:
    """A donation that was paid twice: the second money is owed back, and waits on the operator's page."""

    db: Database
    clock: Clock
    outbox: Outbox
    provider: Provider
    letters: Letters

    async def file(self, donation: Donation, event: PaymentEvent) -> bool:
        """Write a second payment down and tell the donor; False when that has been done. Then it is asked what became
        of it: news of that may have come before it was known as ours."""
        found = Surplus(
            tx_id=event.tx_id,
            user_id=donation.user_id,
            created_at=donation.created_at,
            prefecture=donation.prefecture,
            amount=event.amount,
            paid_at=event.paid_at or days.now(self.clock),
        )
        said = await self.letters.to(donation, "paid-twice", about=event.tx_id)
        if event.payment_ref is not None:
            asked = f"afterwards/filed/{event.tx_id}"
            said.append(self.outbox.message(AFTERWARDS, event.payment_ref, {}, id=asked))
        there = donations.must_exist(donation.user_id, donation.created_at)
        try:
            await self.db.transact(paid_twice(found), *found_by(donation, event.payment_ref), there, *said)
        except TransactionFailed as failed:
            if failed.failed(there):
                raise UnknownOrder() from None  # its donor was forgotten meanwhile; the provider tells us again
            return False
        log.error("a donation was paid twice", extra={"order": event.order_id, "tx_id": event.tx_id})
        return True

    async def owed(self, operator: Operator) -> list[Surplus]:
        return [found for found in await self.db.all(all_surplus()) if found.refunded_at is None]

    async def refund(self, operator: Operator, tx_id: str) -> None:
        """Ask for it to be given back; asking twice is asking once."""
        found = await self._find(tx_id)
        if found.is_refund_running or found.refunded_at is not None:
            return
        now = days.now(self.clock)
        key = key_of(now)
        body = {"order": _order(found), "tx_id": tx_id, "key": key, "surplus": True}
        asked = surpluses.update(tx_id).set(Surplus.refund_asked_at, now).set(Surplus.refund_asked_by, operator.id)
        asked = asked.remove(Surplus.refund_failed_at).when(Surplus.refund_asked_at == found.refund_asked_at)
        try:
            await self.db.transact(asked, self.outbox.message(REFUNDS, tx_id, body, id=f"refund/{tx_id}/{key}"))
        except TransactionFailed:
            raise Conflict() from None
        log.warning("a refund was asked for", extra={"tx_id": tx_id, "amount": found.amount, "by": operator.id})

    async def give_back(self, order_id: str, tx_id: str, key: str) -> str:
        """Have the provider do it, and write it down. Raises RefundRefused for good."""
        found = await self._find(tx_id)
        if found.refunded_at is not None:
            return found.refund_id or ""
        if not _is_of(found.refund_asked_at, key):
            return _OVERTAKEN
        refund_id = await self.provider.refund(tx_id, order_id, key)
        if not await self._returned(found, refund_id):
            raise Conflict()  # tried again a little later
        return refund_id

    async def give_up(self, tx_id: str, key: str) -> None:
        """This try has come to nothing: somebody has to look at it, and may try again."""
        found = await self._find(tx_id)
        if _is_of(found.refund_asked_at, key):
            failed = surpluses.update(tx_id).set(Surplus.refund_failed_at, days.now(self.clock))
            await self.db.write(failed.when(Surplus.refund_asked_at == found.refund_asked_at))

    async def mark_refunded(self, operator: Operator, tx_id: str) -> None:
        found = await self._find(tx_id)
        if found.refunded_at is None and not await self._returned(found, by_hand(operator.id)):
            raise Conflict()

    async def look(self, tx_id: str) -> bool:
        """Was it given back at the provider, and did it stay there? False when this is no second payment."""
        found = await self.db.get(surpluses(tx_id).consistent())
        if found is None:
            return False
        gone = (await self.provider.afterwards(tx_id)).refunded >= found.amount
        if gone and found.refunded_at is None:
            written = await self._returned(found, "refunded at the provider")
        elif not gone and found.refunded_at is not None and not is_by_hand(found.refund_id):
            written = await self._came_back(found)
        else:
            written = await self._write(found, surpluses.update(tx_id), [])
        if not written:
            raise ConnectionError("somebody else has written it meanwhile")  # asked again a little later
        return True

    async def _returned(self, found: Surplus, refund_id: str) -> bool:
        done = surpluses.update(found.tx_id).set(Surplus.refunded_at, days.now(self.clock))
        done = done.set(Surplus.refund_id, refund_id).remove(Surplus.refund_failed_at)
        return await self._write(found, done, await self.letters.to(_as_donation(found), "refunded", about=found.tx_id))

    async def _came_back(self, found: Surplus) -> bool:
        """The payer's bank did not take it: it is owed again."""
        back = surpluses.update(found.tx_id).set(Surplus.refund_failed_at, days.now(self.clock))
        back = back.remove(Surplus.refunded_at).remove(Surplus.refund_asked_at)
        log.error("the refund of a second payment failed", extra={"tx_id": found.tx_id, "amount": found.amount})
        said = await self.letters.to(_as_donation(found), "refund-back", amount=0, about=found.tx_id)
        return await self._write(found, back, said)

    async def _write(self, found: Surplus, update: Update[Surplus], said: list[Action[Any, Any]]) -> bool:
        """What the provider says now; False when somebody has written since `found` was read: ours may be older."""
        update = update.add(Surplus.answers, 1)
        update = update.when(Surplus.answers == found.answers, Surplus.user_id == found.user_id)
        try:
            await self.db.transact(update, *said)
        except TransactionFailed as failed:
            if failed.failed(update):
                return False
            await self.db.write(update)  # they have been told of this before
        return True

    async def _find(self, tx_id: str) -> Surplus:
        found = await self.db.get(surpluses(tx_id).consistent())
        if found is None:
            raise NotThere()
        return found


def key_of(asked_at: datetime) -> str:
    """Under which a refund is asked for; another try is another one."""
    return f"{round(asked_at.timestamp() * 1000)}"


def _is_of(asked_at: datetime | None, key: str) -> bool:
    """Is this the try that stands in the row?"""
    return asked_at is not None and key == key_of(asked_at)


def _as_donation(found: Surplus) -> Donation:
    """As one speaks of it to the donor."""
    return Donation(
        user_id=found.user_id,
        created_at=found.created_at,
        amount=found.amount,
        prefecture=found.prefecture,
        refund_asked_at=found.refund_asked_at,
        refund_failed_at=found.refund_failed_at,
        refunded_at=found.refunded_at,
    )


def _order(found: Surplus) -> str:
    return order_id_of(found.user_id, found.created_at)


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
    return message.body["order"], message.body["tx_id"], message.body["key"]


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

    async def given_back(self, operator: Operator) -> First[Donation]:
        """What has been given back, newest first."""
        return await self.db.first_items(given_back(), _SHOWN_MAX)

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
        if not _is_of(donation.refund_asked_at, key):
            return _OVERTAKEN
        refund_id = await self.provider.refund(tx_id, order_id, key)
        if _is_done(donation):  # its news were quicker than its answer
            await self.db.write(name_refund(donation, refund_id))
        else:
            await self._returned(donation, refund_id)
        return refund_id

    async def give_up(self, order_id: str, tx_id: str, key: str) -> None:
        """This try has come to nothing: somebody has to look at it, and may try again."""
        donation = await self.orders.ordered(order_id, tx_id)
        if donation is not None and _is_of(donation.refund_asked_at, key):
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
