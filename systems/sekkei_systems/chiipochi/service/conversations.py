"""An event of somebody's, decided and carried out: its effects, its answer and its mark in one transaction."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed, replace
from sekkei.errors import IdempotentParameterMismatchException
from sekkei.runtime.outbox import Outbox
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    await_confirmation,
    clear_state,
    confirm_donation,
    handled,
    join,
    leave,
    speak,
    state_even_expired,
    user_settings,
)
from sekkei_systems.chiipochi.design.models import UserSettings, UserState
from sekkei_systems.chiipochi.rules import conversation, messages
from sekkei_systems.chiipochi.rules.conversation import Decision, Incoming, Topic, decide
from sekkei_systems.chiipochi.rules.events import EVENTS_KEPT
from sekkei_systems.chiipochi.rules.messages import Letter, Message, News
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.rules.recipients import Named, Prefecture, monthly_text, pending_text
from sekkei_systems.chiipochi.service.access import Access, Donor, Links
from sekkei_systems.chiipochi.service.appeals import Appeals, Wordings
from sekkei_systems.chiipochi.service.donations import Actions, Donations, Effects, order_id_of
from sekkei_systems.chiipochi.service.letters import Channel, Readers, spoken
from sekkei_systems.chiipochi.service.mine import Mine
from sekkei_systems.chiipochi.service.pledges import Pledges, pledge_day
from sekkei_systems.chiipochi.service.reports import Reports
from sekkei_systems.chiipochi.texts import Language

_HISTORY_LINES = 5


@dataclass
class Answers:
    """What somebody asks for in the chat and the bot has to look up."""

    reports: Reports
    mine: Mine
    links: Links
    organisation: Organisation
    wordings: Wordings
    clock: Clock

    async def to(self, topic: Topic, donor: Donor, language: Language) -> list[Message]:
        today = days.today(self.clock)
        match topic:
            case "today":
                mine = await self.mine.today(donor)
                return messages.my_today(mine.amount, mine.count, mine.pending, language)
            case "everyone":
                found = await self.reports.day(today)
                return messages.everyone_today(found.amount, found.count, language)
            case "ranking":
                rows = [(code, total.amount) for code, total in (await self.reports.day(today)).ranking]
                return messages.ranking(rows, self.links.dashboard(), language)
            case "history":
                page = await self.mine.history(donor, size=_HISTORY_LINES)
                return messages.history(list(page), self.links.mine(donor.user_id), language)
            case "stamps":
                return messages.stamp_card(await self.mine.stamps(donor), self.links.mine(donor.user_id), language)
            case "year":
                year = await self.mine.year(donor, today.year)
                url = self.links.mine(donor.user_id)
                return messages.year(year.year, year.amount, year.count, len(year.prefectures), url, language)
            case "receipts":
                return messages.receipts(self.links.receipts(donor.user_id), language)
            case "share":
                return messages.share(self.links.dashboard(), self.organisation.friend_url, language)
            case "help":
                return messages.fixed("help", language, (await self.wordings.known()).of("help", language))


TRIES_MAX = 5
_NAMESPACE = uuid.UUID("5b0a6d0e-3a5f-4f57-8f0c-1d3d7c9d2a11")


@dataclass
class Conversations:
    appeals: Appeals
    wordings: Wordings
    outbox: Outbox
    db: Database
    clock: Clock
    donations: Donations
    pledges: Pledges
    channel: Channel
    answers: Answers
    readers: Readers
    links: Links
    access: Access

    async def handle(self, incoming: Incoming) -> None:
        """Decide what an event means, and do it together with marking it as handled."""
        for attempt in range(TRIES_MAX):
            found, language = await self.readers.standing(incoming.user_id)
            now, appeals = days.now(self.clock), await self.appeals.open()
            incoming = conversation.in_time(incoming, found, now)
            offered = (await self.wordings.known()).amounts
            decision = decide(incoming, found, now, appeals, offered)
            if found is None and isinstance(decision, conversation.Say):
                # A question that has run out is worth a word of its own.
                found = await self.db.first(state_even_expired(incoming.user_id))
                decision = decide(incoming, found, now, appeals, offered)
            if attempt == TRIES_MAX - 1:
                decision = conversation.Ignore()  # the state is that of a newer event, again and again
            if await self._carry_out(incoming, decision, language, attempt):
                return

    async def _carry_out(self, incoming: Incoming, decision: Decision, language: Language, attempt: int) -> bool:
        """Do it and mark the event, both or neither; False when the state has changed and it must be thought over."""
        now = days.now(self.clock)
        moment = now + timedelta(milliseconds=attempt)
        effects, answer = await self._effects(incoming, decision, language, moment)
        mark = handled(incoming.event_id, now, now + EVENTS_KEPT)
        actions: Actions = [mark, *effects]
        if answer is not None:
            body = messages.body(answer, _news(decision), incoming.reply_token)
            to = incoming.group or incoming.user_id
            actions.append(self.outbox.message("line", to, body, id=f"reply/{incoming.event_id}"))
        # A retry of ours must not donate twice; everything else is harmless, and the mark makes it happen once.
        token = None
        if isinstance(decision, conversation.Confirm):
            name = incoming.event_id if attempt == 0 else f"{incoming.event_id}/{attempt}"
            token = str(uuid.uuid5(_NAMESPACE, name))
        try:
            await self.db.transact(*actions, token=token)
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
                return await self._ask(incoming, decision, language, now)
            case conversation.Confirm():
                return self._confirm(incoming, decision, language, now)
            case conversation.AskAgain(prefecture, amount, nonce, monthly):
                return [], await self._card(prefecture, amount, nonce, monthly, language, now)
            case conversation.Browse():
                return [], messages.letter(await self._shown(decision, language))
            case conversation.Choose(prefectures, amount):
                return [], messages.letter(messages.choose(prefectures, amount, language))
            case conversation.Cancel():
                return [clear_state(user_id, now, at)], await self.wordings.letter("cancelled", language)
            case conversation.Expire():
                return [clear_state(user_id, now, at)], await self.wordings.letter("expired", language)
            case conversation.Withdraw(nonce):
                return [clear_state(user_id, now, at).when(UserState.confirm_nonce == nonce)], None
            case conversation.Join(returning):
                return await self._join(user_id, returning, now, at)
            case conversation.Leave():
                return [leave(user_id, now, at)], None
            case conversation.Speak(chosen):
                return list(speak(user_id, chosen, now).actions), messages.say_letter("language", chosen)
            case conversation.MakePledge():
                return self.pledges.make(user_id, decision, language, now, at)
            case conversation.StopPledge():
                return await self.pledges.stop(user_id, language)
            case conversation.Tell(topic):
                return [], messages.letter(await self.answers.to(topic, self.access.writer_of(user_id), language))
            case conversation.Say(what):
                return [], await self.wordings.letter(what, language)
            case conversation.Ignore():
                return [], None

    async def _ask(self, incoming: Incoming, asked: conversation.Ask, language: Language, now: datetime) -> Effects:
        nonce = self.clock.uuid().replace("-", "")[:16]
        pending = await_confirmation(
            incoming.user_id,
            monthly_text(asked.prefecture.code) if asked.monthly else pending_text(asked.prefecture.code),
            asked.amount,
            nonce,
            now + conversation.SESSION,
            now,
            incoming.at_ms,
            asked.asked_by or None,
            language,
        )
        return [pending], await self._card(asked.prefecture, asked.amount, nonce, asked.monthly, language, now)

    async def _card(
        self, prefecture: Prefecture, amount: int, nonce: str, monthly: bool, language: Language, now: datetime
    ) -> Letter:
        if not monthly:
            usual = (await self.wordings.known()).amounts
            return messages.confirm_letter(prefecture, amount, nonce, language, usual)
        return messages.letter(messages.confirm_pledge(prefecture, amount, pledge_day(now), nonce, language))

    def _confirm(self, incoming: Incoming, asked: conversation.Confirm, language: Language, now: datetime) -> Effects:
        """The document's transaction: state cleared, donation added, and a key that makes it happen once."""
        user_id = incoming.user_id
        donation = self.donations.new(user_id, asked.prefecture.code, asked.amount, now, f"{user_id}/{asked.nonce}")
        if isinstance(asked.prefecture, Named):
            donation = replace(donation, recipient_ja=asked.prefecture.ja, recipient_en=asked.prefecture.en)
        once = self.donations.once(donation)
        transaction = confirm_donation(donation, asked.awaiting, asked.nonce, now, incoming.at_ms)
        url = self.links.pay(order_id_of(user_id, donation.created_at))
        return [*transaction.actions, once], messages.pay_letter(asked.prefecture, asked.amount, url, language)

    async def _join(self, user_id: str, returning: bool, now: datetime, at: int) -> Effects:
        """LINE may know which language a new friend reads."""
        chosen = await self.db.get(user_settings(user_id))
        known = chosen.language if chosen is not None else await self.channel.language_of(user_id)
        language = spoken(known)
        effects: Actions = [join(user_id, now, at, language)]
        if chosen is None and known is not None:
            effects.append(user_settings.put(UserSettings(user_id=user_id, language=known)))
        back = returning or chosen is not None
        return effects, await self.wordings.letter("welcome-back" if back else "welcome", language)

    async def _shown(self, wanted: conversation.Browse, language: Language) -> list[Message]:
        if wanted.prefecture is not None:
            offered = (await self.wordings.known()).amounts
            return messages.specialities(wanted.prefecture, language, offered[0])
        if wanted.region:
            return messages.prefectures_of(wanted.region, language)
        return messages.regions(language, await self.appeals.open())


def _news(decision: Decision) -> News:
    """A way to pay and a promise are worth a push when the reply token is dead; an answer is not."""
    if isinstance(decision, conversation.Confirm):
        return "payment-link"
    return "pledged" if isinstance(decision, conversation.MakePledge) else "answer"
