"""Payments: begun when somebody follows the link, settled once by whichever word of the provider comes first."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sekkei.design import Action, ConditionFailed, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.refusals import Conflict, Gone, NotThere, say
from sekkei.runtime.system import Context
from sekkei_systems.chiipochi import messages
from sekkei_systems.chiipochi.design import (
    ask_refund,
    begin_payment,
    donation_of_payment,
    donations,
    given_back,
    history_of_user,
    paid_after_all,
    pending_before,
    refunded,
    settle,
    to_refund,
)
from sekkei_systems.chiipochi.links import Links, donation_key, order_id_of
from sekkei_systems.chiipochi.models import Donation, Outcome, Status
from sekkei_systems.chiipochi.payments.port import PaymentEvent, Provider, RefundRefused
from sekkei_systems.chiipochi.prefectures import PREFECTURES
from sekkei_systems.chiipochi.readers import Readers
from sekkei_systems.chiipochi.sayings import LANGUAGES, words

PAYABLE = timedelta(hours=23)
"""A checkout stays open for at most a day, and the link a little less."""
GIVEN_UP = timedelta(hours=24)
"""A donation that nobody has begun to pay by then is given up."""
STALE = timedelta(minutes=30)
"""A payment that has not been heard of for so long is asked for."""
EVENTS_KEPT = timedelta(days=30)
REFUNDS = "chiipochi.refund"
"""The outbox's kind of message that gives money back."""

log = logging.getLogger("sekkei_systems.chiipochi.settling")

Result = Literal["settled", "known", "late", "open"]


class UnknownOrder(NotThere):
    code = "unknown-order"
    words = say("この注文はありません。", "There is no such order.")


class WrongAmount(Conflict):
    code = "wrong-amount"
    words = say("金額が注文と一致しません。", "The amount is not that of the order.")


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a round of asking the provider came to."""

    settled: int
    open: int
    given_up: int


class NotRefundable(Conflict):
    code = "not-refundable"
    words = say("この寄付には返金できる入金がありません。", "There is no money of this donation to give back.")


class Settling:
    def __init__(self, context: Context, provider: Provider, links: Links, readers: Readers) -> None:
        self._db, self._clock, self._provider = context.db, context.clock, provider
        self._idempotency, self._outbox = context.idempotency, context.outbox
        self._links, self._readers = links, readers

    @property
    def provider(self) -> Provider:
        return self._provider

    async def start(self, token: str) -> str:
        """Where the payer goes, out of the token in the link that the bot gave."""
        donation = await self.order(token)
        order_id = order_id_of(donation.user_id, donation.created_at)
        if donation.status is not Status.PENDING:
            return f"{self._links.pay(order_id)}/done"
        until = donation.created_at + PAYABLE
        if days.now(self._clock) >= until - timedelta(minutes=30):
            raise Gone(
                words=say(
                    "お支払いの期限が過ぎました。もう一度ちいポチに話しかけてください。",
                    "The time to pay is over. Please talk to the bot again.",
                )
            )
        # In both languages: a provider that is asked again must be asked the same, whatever is spoken by then.
        place = PREFECTURES[donation.prefecture]
        description = " / ".join(words("pay.description", one, place=place.name(one)) for one in LANGUAGES)
        done = f"{self._links.pay(order_id)}/done"
        checkout = await self._provider.create(order_id, donation.amount, description, done, until)
        try:
            await self._db.write(begin_payment(donation.user_id, donation.created_at, checkout.tx_id))
        except ConditionFailed:
            return f"{self._links.pay(order_id)}/done"  # settled meanwhile
        return checkout.url

    async def order(self, token: str) -> Donation:
        """The donation behind a payment link."""
        key = donation_key(self._links.order_of(token))
        if key is None:
            raise UnknownOrder()
        return await self.find(*key)

    async def find(self, user_id: str, created_at: datetime) -> Donation:
        found = await self._db.get(donations(user_id, created_at).consistent())
        if found is None:
            raise UnknownOrder()
        return found

    async def _ordered(self, order_id: str, tx_id: str | None) -> Donation | None:
        """By the order, which is the donation's key; by the payment where the donation has been moved since."""
        key = donation_key(order_id)
        found = None if key is None else await self._db.get(donations(*key).consistent())
        if found is None and tx_id:
            found = await self._db.first(donation_of_payment(tx_id))
        return found

    async def receive(self, provider: str, body: bytes, headers: Mapping[str, str]) -> Result:
        """A provider's callback. An order that is not there (yet) is refused, so that the provider tries again."""
        if provider != self._provider.name:
            raise NotThere()
        event = self._provider.verify(body, headers)
        return "open" if event is None else await self.apply(event)

    async def apply(self, event: PaymentEvent) -> Result:
        """Write down what became of a payment; once, however often and in whatever order it is told."""
        donation = await self._ordered(event.order_id, event.tx_id)
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
            actions += await self._told(donation, "failed")
        try:
            await self._db.transact(*actions)
        except TransactionFailed as failed:
            if failed.failed(seen) and not failed.failed(now_settled):
                return "known"  # this very event has been heard before
            return await self._after_the_end(
                await self._db.need(donations(donation.user_id, donation.created_at).consistent()), event
            )
        return "settled"

    async def _told(self, donation: Donation, what: Literal["failed", "refunded"]) -> list[Action[Any, Any]]:
        """A word to the donor, if there is a way to them."""
        language = await self._readers.one(donation.user_id)
        if language is None:
            return []
        said = messages.say(what, language)
        if what == "refunded":
            said = messages.refunded(PREFECTURES[donation.prefecture], donation.amount, language)
        reason = f"{what}/{order_id_of(donation.user_id, donation.created_at)}"
        return [self._outbox.message("line", donation.user_id, messages.body(messages.letter(said)), id=reason)]

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

    # By the clock, and by hand

    async def reconcile(self) -> Reconciled:
        """Ask the provider about every payment that has been silent for too long."""
        now = days.now(self._clock)
        counts = {"settled": 0, "open": 0, "given_up": 0}
        async for donation in self._db.each(pending_before(now - STALE)):
            try:
                counts[await self.look_at(donation, now)] += 1
            except Exception:
                # One payment that cannot be looked at must not keep the others from it.
                log.exception("a payment could not be reconciled", extra={"user": donation.user_id})
                counts["open"] += 1
        return Reconciled(**counts)

    async def look_at(self, donation: Donation, now: datetime) -> Literal["settled", "open", "given_up"]:
        event = None if donation.tx_id is None else await self._provider.fetch(donation.tx_id)
        if event is not None and event.outcome is not Outcome.OPEN:
            await self.apply(event)
            return "settled"
        if now - donation.created_at < GIVEN_UP:
            return "open"
        over = PaymentEvent(
            f"given-up/{order_id_of(donation.user_id, donation.created_at)}",
            donation.tx_id or "",
            order_id_of(donation.user_id, donation.created_at),
            donation.amount,
            Outcome.FAILED,
        )
        await self.apply(over)
        return "given_up"

    async def pending(self, limit: int | None = None) -> list[Donation]:
        """What waits for its payment, the oldest first."""
        query = pending_before(days.now(self._clock) + timedelta(seconds=1))
        return await self._db.all(query) if limit is None else list(await self._db.page(query, size=limit))

    async def owed(self) -> list[Donation]:
        """What must be given back."""
        return await self._db.all(to_refund())

    async def given_back(self) -> list[Donation]:
        """What has been given back, newest first."""
        return list(await self._db.page(given_back()))

    async def search(self, words: str) -> list[Donation]:
        """Donations by a payment's id, by our order or by a LINE user."""
        found = await self._ordered(words, words)
        return [found] if found is not None else list(await self._db.page(history_of_user(words)))

    # Giving money back: asked for by somebody, carried out through the outbox until the provider has done it

    async def refund(self, user_id: str, created_at: datetime, by: str) -> None:
        """Ask for a donation's money to be given back; asking twice is asking once."""
        donation = await self.find(user_id, created_at)
        if donation.refund_asked_at is not None or donation.refunded_at is not None:
            return
        if donation.tx_id is None or not (donation.counts or donation.paid_late_at):
            raise NotRefundable()
        order_id = order_id_of(user_id, created_at)
        body = {"order": order_id, "tx_id": donation.tx_id}
        asked = ask_refund(donation, by, days.now(self._clock))
        try:
            await self._db.transact(asked, self._outbox.message(REFUNDS, by, body, id=f"refund/{order_id}"))
        except TransactionFailed:
            raise Conflict() from None
        log.warning("a refund was asked for", extra={"order": order_id, "amount": donation.amount, "by": by})

    async def give_back(self, order_id: str, tx_id: str) -> str:
        """Have the provider do it, and write it down; the refund's id. Raises RefundRefused for good."""
        donation = await self._ordered(order_id, tx_id)
        if donation is None:
            raise RefundRefused("there is no such donation")
        if donation.refunded_at is not None:
            return donation.refund_id or ""
        refund_id = await self._provider.refund(tx_id, order_id)
        await self._returned(donation, refund_id)
        return refund_id

    async def mark_refunded(self, user_id: str, created_at: datetime, by: str) -> None:
        """Somebody gave the money back by hand; saying so twice is saying it once."""
        donation = await self.find(user_id, created_at)
        if donation.refund_pk is None:
            raise NotRefundable()
        if donation.refunded_at is None:
            await self._returned(donation, f"by hand: {by}")

    async def _returned(self, donation: Donation, refund_id: str) -> None:
        order_id = order_id_of(donation.user_id, donation.created_at)
        done = refunded(donation, refund_id, days.now(self._clock))
        try:
            await self._db.transact(done, *await self._told(donation, "refunded"))
        except TransactionFailed as failed:
            found = await self._ordered(order_id, donation.tx_id)
            if found is None or found.refunded_at is None:  # moved meanwhile: the money must be in the books
                raise Conflict() from failed
            log.info("a refund was written down before", extra={"user": donation.user_id, "error": repr(failed)})
            return
        log.warning("money was given back", extra={"order": order_id, "refund": refund_id, "amount": donation.amount})
