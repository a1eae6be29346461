"""Payments: begun when somebody follows the link, settled once by whichever word of the provider comes first.

PENDING  the payer is at the checkout → paid: SUCCEEDED    → failed, expired: FAILED
         → "complete, unpaid": a convenience store or a bank has the rest; pending until the provider says more
FAILED   money comes after all → it is owed back, and the donor is told
paid, and money comes again in another payment → the second is owed back, and the donor is told
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, TransactionFailed
from sekkei.runtime.design import Message
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.jobs import Progress
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.system import Payload
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    afterwards,
    await_money,
    begin_payment,
    donation_of_payment,
    fail,
    found_by,
    instruct,
    looked_at,
    order_of_payment,
    paid_after_all,
    pending_before,
    settle,
)
from sekkei_systems.chiipochi.design.models import Dispute, Donation, Outcome, PaymentOrder, Status
from sekkei_systems.chiipochi.ports.payments import (
    Afterwards,
    LaterEvent,
    Order,
    PaymentEvent,
    Provider,
    ProviderAway,
    ProviderDown,
)
from sekkei_systems.chiipochi.refusals import PaymentsDown, TooLateToPay, UnknownOrder, WrongAmount
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.access import Links, Operator
from sekkei_systems.chiipochi.service.awards import Awards
from sekkei_systems.chiipochi.service.donations import Orders, donation_key, order_id_of
from sekkei_systems.chiipochi.service.letters import Letters
from sekkei_systems.chiipochi.service.receipts import Receipts
from sekkei_systems.chiipochi.service.refunds import AFTERWARDS, Surpluses
from sekkei_systems.chiipochi.texts import LANGUAGES, say

_PAYABLE = timedelta(hours=23)
"""A checkout stays open for at most a day, and the link a little less."""
EVENTS_KEPT = timedelta(days=30)

INSTRUCTIONS = "chiipochi.instructions"
"""The outbox's kind of message that asks how something is to be paid."""

log = logging.getLogger("sekkei_systems.chiipochi.payments")

Result = Literal["settled", "known", "late", "open", "waiting", "later", "not ours"]


@dataclass
class Settling:
    surpluses: Surpluses
    db: Database
    clock: Clock
    provider: Provider
    idempotency: Idempotency
    outbox: Outbox
    links: Links
    orders: Orders
    letters: Letters

    async def start(self, token: str) -> str:
        """Where the payer goes, out of the token in the link that the bot gave."""
        donation = await self.orders.of_link(token)
        link = self.links.pay(order_id_of(donation.user_id, donation.created_at))
        if donation.status is not Status.PENDING or donation.waiting_for is not None:
            return f"{link}/done"
        until = donation.created_at + _PAYABLE
        if days.now(self.clock) >= until - timedelta(minutes=30):
            raise TooLateToPay()
        try:
            checkout = await self.provider.create(self._order(donation, link))
        except ProviderDown as error:
            log.error("the provider takes no checkout", extra={"error": str(error)})
            raise PaymentsDown() from error
        try:
            await self.db.write(begin_payment(donation.user_id, donation.created_at, checkout.tx_id))
        except ConditionFailed:
            return f"{link}/done"  # settled meanwhile
        return checkout.url

    def _order(self, donation: Donation, link: str) -> Order:
        # In both languages: a provider that is asked again must be asked the same, whatever is spoken by then.
        place = recipient_of(donation)
        description = " / ".join(say(one, "bot.pay.description", place=place.name(one)) for one in LANGUAGES)
        order_id = order_id_of(donation.user_id, donation.created_at)
        until = donation.created_at + _PAYABLE
        return Order(order_id, donation.amount, description, f"{link}/done", f"{link}/back", until)

    async def receive(self, provider: str, body: bytes, headers: Mapping[str, str]) -> Result:
        """A provider's callback. An order that is not there (yet) is refused, so that the provider tries again."""
        if provider != self.provider.name:
            raise NotThere()
        event = self.provider.verify(body, headers)
        if event is None:
            return "not ours"
        if isinstance(event, LaterEvent):
            await self.outbox.put(AFTERWARDS, event.payment_ref, {}, id=f"afterwards/{event.id}")
            return "later"
        return await self.apply(event)

    async def apply(self, event: PaymentEvent) -> Result:
        """Write down what became of a payment; once, however often and in whatever order it is told."""
        if donation_key(event.order_id) is None:
            return "not ours"
        donation = await self.orders.ordered(event.order_id, event.tx_id)
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
        if event.outcome is Outcome.WAITING:
            return await self._wait(donation, event)
        if event.outcome is Outcome.FAILED and donation.tx_id not in (None, event.tx_id):
            return "known"  # another checkout of this donation has ended; its own can still be paid
        return await self._settle(donation, event)

    async def _wait(self, donation: Donation, event: PaymentEvent) -> Result:
        """The payer goes to a shop or a bank now; how and until when, the provider is asked."""
        order_id = order_id_of(donation.user_id, donation.created_at)
        body = {"order": order_id, "tx_id": event.tx_id}
        waits = await_money(donation.user_id, donation.created_at, event.tx_id, event.method or "later")
        asked = self.outbox.message(INSTRUCTIONS, order_id, body, id=f"instructions/{order_id}")
        try:
            await self.db.transact(waits.when(Donation.waiting_for.absent()), asked)
        except TransactionFailed:
            return "known"
        return "waiting"

    async def _settle(self, donation: Donation, event: PaymentEvent) -> Result:
        seen = self.idempotency.mark(f"payment/{event.id}", {"order": event.order_id}, EVENTS_KEPT)
        changes = await self._changes(donation, event)
        try:
            await self.db.transact(*changes, seen)
        except TransactionFailed as failed:
            if failed.failed(seen) and not failed.failed(changes[0]):
                return "known"  # this very event has been heard before
            return await self._after_the_end(await self._settled_meanwhile(event), event)
        return "settled"

    async def _settled_meanwhile(self, event: PaymentEvent) -> Donation:
        """As it stands now. One that has just moved to a forgotten donor's name is told of again by the provider."""
        found = await self.orders.ordered(event.order_id, event.tx_id)
        if found is None or found.status is Status.PENDING:
            raise UnknownOrder() from None
        return found

    async def _changes(self, donation: Donation, event: PaymentEvent) -> list[Action[Any, Any]]:
        if event.outcome is Outcome.PAID:
            paid_at = event.paid_at or days.now(self.clock)
            return list(settle(donation, event.tx_id, event.payment_ref, paid_at).actions)
        failed = fail(donation.user_id, donation.created_at, event.tx_id or None)
        return [failed, *await self.letters.to(donation, "failed")]

    async def _after_the_end(self, donation: Donation, event: PaymentEvent) -> Result:
        """The donation is settled. Money that comes for one that was given up must be refunded, and so must money
        that comes twice."""
        if event.outcome is not Outcome.PAID:
            return "known"
        if donation.status is Status.SUCCEEDED or donation.paid_late_at is not None:
            twice = event.tx_id != donation.tx_id and await self.surpluses.file(donation, event)
            return "late" if twice else "known"
        said = await self.letters.to(donation, "paid-late")
        late = paid_after_all(donation, event.tx_id, event.payment_ref, event.paid_at or days.now(self.clock))
        try:
            await self.db.transact(late, *found_by(donation, event.payment_ref), *said)
        except TransactionFailed:
            now = await self._settled_meanwhile(event)
            if now == donation:
                raise UnknownOrder() from None  # the provider tells us again
            return await self._after_the_end(now, event)  # it has moved, or other money has come
        log.error("money came for a donation that was given up", extra={"order": event.order_id, "event": event.id})
        return "late"


_GIVEN_UP = timedelta(hours=24)
"""A donation that nobody has begun to pay by then is given up."""
STALE = timedelta(minutes=30)
"""A payment that has not been heard of for so long is asked for."""
ASK = "chiipochi.ask"
"""The outbox's kind of message that asks about one payment."""
PAGE = 25
LOOKED_AHEAD = timedelta(days=1)
"""Beyond our own clock: that of whoever wrote a donation down may be ahead."""


Found = Literal["settled", "open", "given_up"]


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a round of asking the provider came to."""

    settled: int
    open: int
    given_up: int


def is_due(donation: Donation, now: datetime) -> bool:
    """Can anything have changed, and has enough time passed since we last asked?"""
    age = now - donation.created_at
    if donation.tx_id is None:
        return age >= _GIVEN_UP
    if donation.looked_at is None:
        return age >= STALE
    return age >= max(_GIVEN_UP, 2 * (donation.looked_at - donation.created_at))


@dataclass
class Reconciliation:
    """Asks the provider about payments that have been silent for too long, by the clock and by hand.

    The provider tells us by itself; asking is for what got lost. So a checkout is asked for after half an hour, after
    a day, when it has run out, and then ever more rarely: 2,000 abandoned checkouts are 4,000 questions, not half a
    million. Also the transport of questions about one payment."""

    db: Database
    clock: Clock
    outbox: Outbox
    provider: Provider
    settling: Settling
    orders: Orders

    async def none_due_before(self) -> datetime:
        """When the oldest payment that waits is due at the earliest; further ones are later."""
        ahead = days.now(self.clock) + LOOKED_AHEAD
        oldest = await self.db.first(pending_before(ahead))
        return (oldest.created_at if oldest else ahead) + STALE

    async def run(self) -> Reconciled:
        """Ask the provider about every payment that is due; while it is away, what nobody began to pay ends as well."""
        now, away = days.now(self.clock), False
        counts = {"settled": 0, "open": 0, "given_up": 0}
        async for donation in self.db.each(pending_before(now - STALE)):
            if not is_due(donation, now) or (away and donation.tx_id is not None):
                continue
            try:
                counts[await self._carefully(donation, now)] += 1
            except ProviderAway as error:
                away = True
                log.warning(
                    "the provider is away; the rest is asked for in the next round", extra={"error": str(error)}
                )
        return Reconciled(**counts)

    async def step(self, payload: Payload, cursor: str | None) -> Progress:
        """One page of a job that asks about everything that waits."""
        now = days.now(self.clock)
        page = await self.db.page(pending_before(now), size=PAGE, after=cursor)
        for donation in page:
            await self._carefully(donation, now)
        return Progress(len(page), page.cursor)

    async def _carefully(self, donation: Donation, now: datetime) -> Found:
        """One payment that cannot be looked at must not keep the others from it."""
        try:
            return await self.look_at(donation, now)
        except ProviderAway:
            raise
        except Exception:
            log.exception("a payment could not be reconciled", extra={"user": donation.user_id})
            return "open"

    async def look_at(self, donation: Donation, now: datetime) -> Found:
        """Only the provider ends a checkout; what nobody began to pay ends by itself."""
        event = None if donation.tx_id is None else await self.provider.fetch(donation.tx_id)
        if event is not None:
            await self.settling.apply(event)
            if event.outcome in (Outcome.PAID, Outcome.FAILED):
                return "settled"
        if event is not None or now - donation.created_at < _GIVEN_UP:
            await self._looked(donation, now)
            return "open"
        order_id = order_id_of(donation.user_id, donation.created_at)
        over = PaymentEvent(f"given-up/{order_id}", donation.tx_id or "", order_id, donation.amount, Outcome.FAILED)
        await self.settling.apply(over)
        return "given_up"

    async def _looked(self, donation: Donation, now: datetime) -> None:
        if donation.tx_id is None:
            return
        try:
            await self.db.write(looked_at(donation.user_id, donation.created_at, now))
        except ConditionFailed:
            log.info("a payment was settled while it was asked for", extra={"tx_id": donation.tx_id})

    async def ask(self, operator: Operator, user_id: str, created_at: datetime) -> None:
        """Have one payment asked for soon; no page waits for a provider."""
        donation = await self.orders.find(user_id, created_at)
        order_id = order_id_of(donation.user_id, donation.created_at)
        moment = int(days.now(self.clock).timestamp())
        await self.outbox.put(ASK, operator.id, {"order": order_id}, id=f"ask/{order_id}/{moment}")

    async def send(self, message: Message) -> str:
        donation = await self.orders.ordered(message.body["order"], None)
        return "unknown" if donation is None else await self.look_at(donation, days.now(self.clock))

    async def pending(self, limit: int | None = None) -> list[Donation]:
        """What waits for its payment, the oldest first."""
        query = pending_before(days.now(self.clock) + timedelta(seconds=1))
        return await self.db.all(query) if limit is None else list(await self.db.first_items(query, limit))


TRIES_MAX = 5


@dataclass
class Later:
    """What the provider is asked after a callback, so that no callback waits for it: instructions, refunds, disputes.

    News of a refund or a dispute come twice, late and in any order, and name one payment. So none of them is believed:
    each leads to one question, and the answer is what is written, unless somebody has written meanwhile; then it is
    asked again. Both kinds of outbox messages end here.
    """

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
