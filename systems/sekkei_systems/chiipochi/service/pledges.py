"""Monthly pledges: made and stopped in the chat, asked for by the clock."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed, replace
from sekkei.runtime.outbox import Outbox
from sekkei_systems import days
from sekkei_systems.chiipochi.design import confirm_pledge, donations, pledges, pledges_on
from sekkei_systems.chiipochi.design.models import APPEAL, Pledge
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.conversation import MakePledge
from sekkei_systems.chiipochi.rules.recipients import Named, recipient_of
from sekkei_systems.chiipochi.service.access import Links
from sekkei_systems.chiipochi.service.appeals import Appeals, Wordings
from sekkei_systems.chiipochi.service.donations import Donations, Effects, order_id_of
from sekkei_systems.chiipochi.service.letters import Readers
from sekkei_systems.chiipochi.texts import Language

_DAY_MAX = 28
"""Every month has it."""


def pledge_day(now: datetime) -> int:
    return min(days.day_of(now).day, _DAY_MAX)


def _month_due(day: int, today: date) -> str:
    """The month in which a day of the month came last."""
    return f"{today:%Y-%m}" if day <= today.day else f"{today.replace(day=1) - timedelta(days=1):%Y-%m}"


@dataclass
class Pledges:
    appeals: Appeals
    wordings: Wordings
    db: Database
    clock: Clock
    outbox: Outbox
    donations: Donations
    links: Links
    readers: Readers

    def make(self, user_id: str, asked: MakePledge, language: Language, now: datetime, event_ts: int) -> Effects:
        """After a はい: the question is answered and the pledge is there, both or neither."""
        day = pledge_day(now)
        pledge = Pledge(
            user_id=user_id,
            prefecture=asked.prefecture.code,
            amount=asked.amount,
            day_of_month=day,
            created_at=now,
            last_month=f"{days.day_of(now):%Y-%m}",
        )
        if isinstance(asked.prefecture, Named):
            pledge = replace(pledge, recipient_ja=asked.prefecture.ja, recipient_en=asked.prefecture.en)
        made = confirm_pledge(pledge, asked.awaiting, asked.nonce, now, event_ts)
        return list(made.actions), messages.letter(messages.pledged(asked.prefecture, asked.amount, day, language))

    async def stop(self, user_id: str, language: Language) -> Effects:
        if await self.db.get(pledges(user_id).consistent()) is None:
            return [], await self.wordings.letter("no-pledge", language)
        return [pledges.delete(user_id)], await self.wordings.letter("pledge-stopped", language)

    async def ask_all(self) -> int:
        """Ask for every pledge whose day has come. One whose day passed while nothing ran is asked for once, for the
        month that it fell in; months before that are let go."""
        today = days.today(self.clock)
        asked = 0
        for day in range(1, _DAY_MAX + 1):
            month = _month_due(day, today)
            async for pledge in self.db.each(pledges_on(day)):
                if pledge.last_month is None or pledge.last_month < month:
                    asked += await self.ask(pledge, month)
        return asked

    async def ask(self, pledge: Pledge, month: str) -> bool:
        """Begin this month's donation of a pledge and send the way to pay; False when that has been done, or when the
        one who made it has blocked the bot. What was pledged to an appeal ends with it."""
        language = await self.readers.one(pledge.user_id)
        if language is None:
            return False
        if pledge.prefecture.startswith(APPEAL) and await self.appeals.one(pledge.prefecture) is None:
            return await self._end(pledge, language)
        now = days.now(self.clock)
        donation = self.donations.new(
            pledge.user_id, pledge.prefecture, pledge.amount, now, f"{pledge.user_id}/pledge/{month}"
        )
        donation = replace(donation, recipient_ja=pledge.recipient_ja, recipient_en=pledge.recipient_en)
        url = self.links.pay(order_id_of(pledge.user_id, donation.created_at))
        asked = pledges.update(pledge.user_id).set(Pledge.last_month, month)
        said = messages.pay_letter(recipient_of(pledge), pledge.amount, url, language)
        body = messages.body(said, "pledge")
        try:
            await self.db.transact(
                asked.when(Pledge.last_month.absent() | (Pledge.last_month < month)),
                donations.create(donation),
                self.donations.once(donation),
                self.outbox.message("line", pledge.user_id, body, id=f"pledge/{pledge.user_id}/{month}"),
            )
        except TransactionFailed:
            return False
        return True

    async def _end(self, pledge: Pledge, language: Language) -> bool:
        """The appeal is over: so is the pledge, and whoever made it is told."""
        said = messages.letter(messages.pledge_over(recipient_of(pledge), language))
        body, id = messages.body(said, "pledge-over"), f"pledge-over/{pledge.user_id}/{pledge.prefecture}"
        ends = pledges.delete(pledge.user_id).when(Pledge.created_at == pledge.created_at)
        with suppress(TransactionFailed):  # stopped or made anew meanwhile
            await self.db.transact(ends, self.outbox.message("line", pledge.user_id, body, id=id))
        return False
