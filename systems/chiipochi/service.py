"""ちいポチ's operations. Bots, pages and jobs all come through here, and so does the question of who may do what."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

from sekkei.design import Action, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.refusals import NotAllowed
from sekkei.runtime.system import Context
from systems.chiipochi import conversation, messages
from systems.chiipochi.conversation import Decision, Incoming, decide, says_yes
from systems.chiipochi.design import (
    await_confirmation,
    clear_state,
    confirm_donation,
    donations,
    handled,
    join,
    leave,
    pledges,
    state,
    state_even_expired,
)
from systems.chiipochi.inbox import Inbox
from systems.chiipochi.line import read_stored
from systems.chiipochi.links import Links, order_id_of
from systems.chiipochi.models import Donation, LineEvent, Pledge, Status, UserState
from systems.chiipochi.payments.port import Provider
from systems.chiipochi.prefectures import PREFECTURES, Prefecture, pending_text
from systems.chiipochi.reports import Reports
from systems.chiipochi.settling import Settling

TRIES_MAX = 5
CONFIRMED_KEPT = timedelta(days=365)
HISTORY_LINES = 5
_NAMESPACE = uuid.UUID("5b0a6d0e-3a5f-4f57-8f0c-1d3d7c9d2a11")

log = logging.getLogger("systems.chiipochi")

Actions = list[Action[Any, Any]]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks for something that not everybody may do."""

    operator: bool = False


class Service:
    def __init__(self, context: Context, provider: Provider) -> None:
        self._context, self._db, self._clock = context, context.db, context.clock
        self.day_shards = int(context.settings.get("chiipochi_day_shards", "0") or 0)
        self.links = Links(context.settings, context.clock)
        self.reports = Reports(context.db, context.clock, self.day_shards)
        self.settling = Settling(context.db, context.clock, provider, context.idempotency, context.outbox, self.links)
        self.inbox = Inbox(context.db, context.clock, self.handle_event)

    def must_operate(self, caller: Caller) -> None:
        """Only whoever runs the bot sees payments of others and changes anything about them."""
        if not caller.operator:
            raise NotAllowed()

    async def handle_event(self, event: LineEvent) -> None:
        """Decide what an event means, and do it together with marking it as handled."""
        incoming = read_stored(event.event)
        if incoming is None:
            return
        for attempt in range(TRIES_MAX):
            found = await self._state(incoming)
            decision = decide(incoming, found, days.now(self._clock))
            if attempt == TRIES_MAX - 1:
                decision = conversation.Ignore()  # the state is that of a newer event, again and again
            if await self._carry_out(incoming, decision, attempt):
                return

    async def _state(self, incoming: Incoming) -> UserState | None:
        found = await self._db.get(state(incoming.user_id))
        if found is None and says_yes(incoming):
            # A question that has run out is worth a word of its own.
            found = await self._db.first(state_even_expired(incoming.user_id))
        return found

    async def _carry_out(self, incoming: Incoming, decision: Decision, attempt: int) -> bool:
        """Do it and mark the event, both or neither; False when the state has changed and it must be thought over."""
        now = days.now(self._clock)
        effects, answer = await self._effects(incoming, decision, now + timedelta(milliseconds=attempt))
        mark = handled(incoming.event_id, now)
        actions: Actions = [mark, *effects]
        if answer:
            body = messages.letter(answer, incoming.reply_token)
            to = incoming.group or incoming.user_id
            actions.append(self._context.outbox.message("line", to, body, id=f"reply/{incoming.event_id}"))
        name = incoming.event_id if attempt == 0 else f"{incoming.event_id}/{attempt}"
        try:
            await self._db.transact(*actions, token=str(uuid.uuid5(_NAMESPACE, name)))
        except TransactionFailed as failed:
            return failed.failed(mark)  # handled already; anything else means that somebody was quicker
        return True

    async def _effects(
        self, incoming: Incoming, decision: Decision, now: datetime
    ) -> tuple[Actions, list[messages.Message]]:
        """What a decision writes, and what it answers."""
        user_id, at = incoming.user_id, incoming.at_ms
        match decision:
            case conversation.Ask(prefecture, amount):
                return self._ask(user_id, prefecture, amount, now, at)
            case conversation.Confirm():
                return self._confirm(user_id, decision, now, at)
            case conversation.AskAgain(prefecture, amount, nonce):
                return [], messages.confirm(prefecture, amount, nonce)
            case conversation.Choose(prefectures, amount):
                return [], messages.choose(prefectures, amount)
            case conversation.Cancel():
                return [clear_state(user_id, now, at)], messages.say("cancelled")
            case conversation.Join():
                return [join(user_id, now, at)], messages.say("welcome")
            case conversation.Leave():
                return [leave(user_id, now, at)], []
            case conversation.MakePledge(prefecture, amount):
                return self._pledge(user_id, prefecture, amount, now)
            case conversation.StopPledge():
                return await self._stop_pledge(user_id)
            case conversation.Tell(topic):
                return [], await self._tell(topic, user_id)
            case conversation.Say(what):
                return [], messages.say(what)
            case conversation.Ignore():
                return [], []

    def _ask(
        self, user_id: str, prefecture: Prefecture, amount: int, now: datetime, at: int
    ) -> tuple[Actions, list[messages.Message]]:
        nonce = self._clock.uuid().replace("-", "")[:16]
        expires = now + conversation.SESSION
        pending = pending_text(prefecture.code)
        return (
            [await_confirmation(user_id, pending, amount, nonce, expires, now, at)],
            messages.confirm(prefecture, amount, nonce),
        )

    def _confirm(
        self, user_id: str, asked: conversation.Confirm, now: datetime, at: int
    ) -> tuple[Actions, list[messages.Message]]:
        """The document's transaction: state cleared, donation added, and a key that makes it happen once."""
        donation = self.new_donation(user_id, asked.prefecture.code, asked.amount, now, f"{user_id}/{asked.nonce}")
        once = self._context.idempotency.mark(
            f"donation/{donation.idempotency_key}", {"created_at": donation.created_at.isoformat()}, CONFIRMED_KEPT
        )
        transaction = confirm_donation(donation, asked.awaiting, asked.nonce, now, at)
        url = self.links.pay(order_id_of(user_id, donation.created_at))
        return [*transaction.actions, once], messages.pay(asked.prefecture, asked.amount, url)

    def new_donation(self, user_id: str, prefecture: str, amount: int, now: datetime, key: str) -> Donation:
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

    def _pledge(
        self, user_id: str, prefecture: Prefecture, amount: int, now: datetime
    ) -> tuple[Actions, list[messages.Message]]:
        today = days.day_of(now)
        day = min(today.day, 28)  # every month has it
        pledge = Pledge(
            user_id=user_id,
            prefecture=prefecture.code,
            amount=amount,
            day_of_month=day,
            created_at=now,
            last_month=f"{today:%Y-%m}",
        )
        return [pledges.put(pledge)], messages.pledged(prefecture, amount, day)

    async def _stop_pledge(self, user_id: str) -> tuple[Actions, list[messages.Message]]:
        if await self._db.get(pledges(user_id).consistent()) is None:
            return [], messages.say("no-pledge")
        return [pledges.delete(user_id)], messages.say("pledge-stopped")

    async def _tell(self, topic: conversation.Topic, user_id: str) -> list[messages.Message]:
        today = days.today(self._clock)
        match topic:
            case "today":
                mine = await self.reports.mine_today(user_id)
                return messages.my_today(mine.amount, mine.count, mine.pending)
            case "everyone":
                found = await self.reports.day(today)
                return messages.everyone_today(found.amount, found.count)
            case "ranking":
                ranking = (await self.reports.day(today)).ranking
                rows = [(code, total.amount) for code, total in ranking]
                return messages.ranking(rows, self.links.dashboard())
            case "history":
                page = await self.reports.history(user_id, size=HISTORY_LINES)
                return messages.history([_line(found) for found in page], self.links.mine(user_id))
            case "stamps":
                stamps = sorted((await self.reports.stamps(user_id)).items(), key=_by_number)
                return messages.stamp_card(stamps, self.links.mine(user_id))
            case "year":
                year = await self.reports.year(user_id, today.year)
                return messages.year(
                    year.year, year.amount, year.count, len(year.prefectures), self.links.mine(user_id)
                )
            case "share":
                return messages.share(self.links.dashboard())
            case "help":
                return messages.say("help")

    async def is_reachable(self, user_id: str) -> bool:
        """False for somebody who has blocked the bot."""
        found = await self._db.get(state(user_id))
        return found is None or found.unfollowed_at is None

    async def ask_for_pledge(self, pledge: Pledge) -> bool:
        """Begin this month's donation of a pledge and send the way to pay; False when that has been done."""
        now = days.now(self._clock)
        month = f"{days.today(self._clock):%Y-%m}"
        donation = self.new_donation(
            pledge.user_id, pledge.prefecture, pledge.amount, now, f"{pledge.user_id}/pledge/{month}"
        )
        prefecture = PREFECTURES[pledge.prefecture]
        url = self.links.pay(order_id_of(pledge.user_id, donation.created_at))
        asked = pledges.update(pledge.user_id).set(Pledge.last_month, month)
        body = messages.letter(messages.pay(prefecture, pledge.amount, url))
        try:
            await self._db.transact(
                asked.when(Pledge.last_month.absent() | (Pledge.last_month < month)),
                donations.create(donation),
                self._context.idempotency.mark(f"donation/{donation.idempotency_key}", kept=CONFIRMED_KEPT),
                self._context.outbox.message("line", pledge.user_id, body, id=f"pledge/{pledge.user_id}/{month}"),
            )
        except TransactionFailed:
            return False
        return True


_MARKS = {Status.PENDING: "⏳", Status.SUCCEEDED: "✅", Status.FAILED: "✖"}


def _line(donation: Donation) -> str:
    local = donation.created_at.astimezone(days.JST)
    prefecture = PREFECTURES[donation.prefecture]
    return f"{_MARKS[donation.status]} {local:%m/%d} {prefecture.full} {donation.amount:,}円"


def _by_number(found: tuple[str, int]) -> int:
    return PREFECTURES[found[0]].number
