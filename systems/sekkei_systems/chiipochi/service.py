"""ちいポチ's operations. Bots, pages and jobs all come through here, and so does the question of who may do what."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

from sekkei.design import Action, TransactionFailed
from sekkei.errors import IdempotentParameterMismatchException
from sekkei.runtime import days
from sekkei.runtime.refusals import NotAllowed
from sekkei.runtime.system import Context
from sekkei_systems.chiipochi import conversation, inbox, messages
from sekkei_systems.chiipochi.conversation import Decision, Incoming, decide
from sekkei_systems.chiipochi.design import (
    await_confirmation,
    clear_state,
    confirm_donation,
    donations,
    handled,
    join,
    leave,
    pledges,
    speak,
    state_even_expired,
    user_settings,
)
from sekkei_systems.chiipochi.inbox import Inbox
from sekkei_systems.chiipochi.line import LineEnd, Quota
from sekkei_systems.chiipochi.links import Links, order_id_of
from sekkei_systems.chiipochi.message_limits import Message
from sekkei_systems.chiipochi.messages import Letter
from sekkei_systems.chiipochi.models import Donation, Pledge, Status, UserSettings, UserState
from sekkei_systems.chiipochi.payments.port import Provider
from sekkei_systems.chiipochi.prefectures import PREFECTURES, Prefecture, pending_text
from sekkei_systems.chiipochi.readers import Readers, spoken
from sekkei_systems.chiipochi.reports import Reports
from sekkei_systems.chiipochi.sayings import Language
from sekkei_systems.chiipochi.settling import Settling

TRIES_MAX = 5
CONFIRMED_KEPT = timedelta(days=60)
"""Long after the last chance to answer a question, or to deliver the answer again."""
HISTORY_LINES = 5
_NAMESPACE = uuid.UUID("5b0a6d0e-3a5f-4f57-8f0c-1d3d7c9d2a11")

log = logging.getLogger("sekkei_systems.chiipochi")

Actions = list[Action[Any, Any]]
Effects = tuple[Actions, Letter | None]
"""What is written, and what is answered."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks for something that not everybody may do."""

    operator: bool = False


class Service:
    def __init__(self, context: Context, provider: Provider, line: LineEnd) -> None:
        self._context, self._db, self._clock, self._line = context, context.db, context.clock, line
        self.day_shards = int(context.settings.get("chiipochi_day_shards", "0") or 0)
        self.links = Links(context.settings, context.clock)
        self.reports = Reports(context.db, context.clock, self.day_shards)
        self.readers = Readers(context.db)
        self.settling = Settling(context, provider, self.links, self.readers)
        self.inbox = Inbox(context.db, context.clock, self.handle_event, self.keep_waiting)

    def must_operate(self, caller: Caller) -> None:
        """Only whoever runs the bot sees payments of others and changes anything about them."""
        if not caller.operator:
            raise NotAllowed()

    async def handle_event(self, incoming: Incoming) -> None:
        """Decide what an event means, and do it together with marking it as handled."""
        for attempt in range(TRIES_MAX):
            found, language = await self.readers.standing(incoming.user_id)
            now = days.now(self._clock)
            decision = decide(incoming, found, now)
            if found is None and isinstance(decision, conversation.Say):
                # A question that has run out is worth a word of its own.
                found = await self._db.first(state_even_expired(incoming.user_id))
                decision = decide(incoming, found, now)
            if attempt == TRIES_MAX - 1:
                decision = conversation.Ignore()  # the state is that of a newer event, again and again
            if await self._carry_out(incoming, decision, language, attempt):
                return

    async def _carry_out(self, incoming: Incoming, decision: Decision, language: Language, attempt: int) -> bool:
        """Do it and mark the event, both or neither; False when the state has changed and it must be thought over."""
        now = days.now(self._clock)
        moment = now + timedelta(milliseconds=attempt)
        effects, answer = await self._effects(incoming, decision, language, moment)
        mark = handled(incoming.event_id, now, now + inbox.KEPT)
        actions: Actions = [mark, *effects]
        if answer is not None:
            body = messages.body(answer, incoming.reply_token)
            to = incoming.group or incoming.user_id
            actions.append(self._context.outbox.message("line", to, body, id=f"reply/{incoming.event_id}"))
        # A retry of ours must not donate twice; everything else is harmless, and the mark makes it happen once.
        token = None
        if isinstance(decision, conversation.Confirm):
            name = incoming.event_id if attempt == 0 else f"{incoming.event_id}/{attempt}"
            token = str(uuid.uuid5(_NAMESPACE, name))
        try:
            await self._db.transact(*actions, token=token)
        except TransactionFailed as failed:
            return failed.failed(mark)  # handled already; anything else means that somebody was quicker
        except IdempotentParameterMismatchException:
            return False  # another delivery of this event was quicker by a moment; the mark will say so
        return True

    async def _effects(self, incoming: Incoming, decision: Decision, language: Language, now: datetime) -> Effects:
        """What a decision writes, and what it answers."""
        user_id, at = incoming.user_id, incoming.at_ms
        match decision:
            case conversation.Ask():
                return self._ask(incoming, decision, language, now)
            case conversation.Confirm():
                return self._confirm(incoming, decision, language, now)
            case conversation.AskAgain(prefecture, amount, nonce):
                return [], messages.confirm_letter(prefecture, amount, nonce, language)
            case conversation.Choose(prefectures, amount):
                return [], messages.letter(messages.choose(prefectures, amount, language))
            case conversation.Cancel():
                return [clear_state(user_id, now, at)], messages.say_letter("cancelled", language)
            case conversation.Expire():
                return [clear_state(user_id, now, at)], messages.say_letter("expired", language)
            case conversation.Withdraw():
                return [clear_state(user_id, now, at).when(UserState.asked_by == incoming.message_id)], None
            case conversation.Join():
                return await self._join(user_id, now, at)
            case conversation.Leave():
                return [leave(user_id, now, at)], None
            case conversation.Speak(chosen):
                return list(speak(user_id, chosen, now).actions), messages.say_letter("language", chosen)
            case conversation.MakePledge(prefecture, amount):
                return self._pledge(user_id, prefecture, amount, language, now)
            case conversation.StopPledge():
                return await self._stop_pledge(user_id, language)
            case conversation.Tell(topic):
                return [], await self._tell(topic, user_id, language)
            case conversation.Say(what):
                return [], messages.say_letter(what, language)
            case conversation.Ignore():
                return [], None

    def _ask(self, incoming: Incoming, asked: conversation.Ask, language: Language, now: datetime) -> Effects:
        nonce = self._clock.uuid().replace("-", "")[:16]
        pending = await_confirmation(
            incoming.user_id,
            pending_text(asked.prefecture.code),
            asked.amount,
            nonce,
            now + conversation.SESSION,
            now,
            incoming.at_ms,
            incoming.message_id,
            language,
        )
        return [pending], messages.confirm_letter(asked.prefecture, asked.amount, nonce, language)

    def _confirm(self, incoming: Incoming, asked: conversation.Confirm, language: Language, now: datetime) -> Effects:
        """The document's transaction: state cleared, donation added, and a key that makes it happen once."""
        user_id = incoming.user_id
        donation = self.new_donation(user_id, asked.prefecture.code, asked.amount, now, f"{user_id}/{asked.nonce}")
        once = self._context.idempotency.mark(f"donation/{donation.idempotency_key}", kept=CONFIRMED_KEPT)
        transaction = confirm_donation(donation, asked.awaiting, asked.nonce, now, incoming.at_ms)
        url = self.links.pay(order_id_of(user_id, donation.created_at))
        return [*transaction.actions, once], messages.pay_letter(asked.prefecture, asked.amount, url, language)

    async def _join(self, user_id: str, now: datetime, at: int) -> Effects:
        """LINE may know which language a new friend reads."""
        chosen = await self._db.get(user_settings(user_id))
        known = chosen.language if chosen is not None else await self._line.language_of(user_id)
        language = spoken(known)
        effects: Actions = [join(user_id, now, at, language)]
        if chosen is None and known is not None:
            effects.append(user_settings.put(UserSettings(user_id=user_id, language=known)))
        return effects, messages.say_letter("welcome", language)

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

    def _pledge(self, user_id: str, prefecture: Prefecture, amount: int, language: Language, now: datetime) -> Effects:
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
        return [pledges.put(pledge)], messages.letter(messages.pledged(prefecture, amount, day, language))

    async def _stop_pledge(self, user_id: str, language: Language) -> Effects:
        if await self._db.get(pledges(user_id).consistent()) is None:
            return [], messages.say_letter("no-pledge", language)
        return [pledges.delete(user_id)], messages.say_letter("pledge-stopped", language)

    async def _tell(self, topic: conversation.Topic, user_id: str, language: Language) -> Letter:
        return messages.letter(await self._told(topic, user_id, language))

    async def _told(self, topic: conversation.Topic, user_id: str, language: Language) -> list[Message]:
        today = days.today(self._clock)
        match topic:
            case "today":
                mine = await self.reports.mine_today(user_id)
                return messages.my_today(mine.amount, mine.count, mine.pending, language)
            case "everyone":
                found = await self.reports.day(today)
                return messages.everyone_today(found.amount, found.count, language)
            case "ranking":
                rows = [(code, total.amount) for code, total in (await self.reports.day(today)).ranking]
                return messages.ranking(rows, self.links.dashboard(), language)
            case "history":
                page = await self.reports.history(user_id, size=HISTORY_LINES)
                return messages.history(list(page), self.links.mine(user_id), language)
            case "stamps":
                return messages.stamp_card(await self.reports.stamps(user_id), self.links.mine(user_id), language)
            case "year":
                year = await self.reports.year(user_id, today.year)
                url = self.links.mine(user_id)
                return messages.year(year.year, year.amount, year.count, len(year.prefectures), url, language)
            case "share":
                return messages.share(self.links.dashboard(), language)
            case "help":
                return messages.say("help", language)

    async def quota(self) -> Quota | None:
        """Pushes of this month, where LINE tells."""
        try:
            return await self._line.quota()
        except Exception as error:
            log.warning("LINE did not tell the quota", extra={"error": repr(error)})
            return None

    async def keep_waiting(self, events: Iterable[Incoming]) -> None:
        """Show those who wait that the bot is at work; whether that succeeds does not matter."""
        for user_id in {incoming.user_id for incoming in events if incoming.group is None}:
            try:
                await self._line.show_loading(user_id)
            except Exception as error:
                log.info("the loading sign could not be shown", extra={"user": user_id, "error": repr(error)})

    async def ask_for_pledge(self, pledge: Pledge) -> bool:
        """Begin this month's donation of a pledge and send the way to pay; False when that has been done, or when the
        one who made it has blocked the bot."""
        language = await self.readers.one(pledge.user_id)
        if language is None:
            return False
        now = days.now(self._clock)
        month = f"{days.today(self._clock):%Y-%m}"
        donation = self.new_donation(
            pledge.user_id, pledge.prefecture, pledge.amount, now, f"{pledge.user_id}/pledge/{month}"
        )
        url = self.links.pay(order_id_of(pledge.user_id, donation.created_at))
        asked = pledges.update(pledge.user_id).set(Pledge.last_month, month)
        body = messages.body(messages.pay_letter(PREFECTURES[pledge.prefecture], pledge.amount, url, language))
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
