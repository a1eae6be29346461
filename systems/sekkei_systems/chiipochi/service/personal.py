"""Accounts that take their data along, or leave. Donors are people on LINE and leave there; accounts are those who run
the bot, and on one's own machine those who write to it in the simulator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from sekkei.design import ConditionFailed, Database, Query, Update
from sekkei.runtime.data_subjects import Exported, Person, Personal, as_data
from sekkei.runtime.jobs import Payload, Progress, Step
from sekkei.runtime.sweeping import NOBODY
from sekkei_systems.chiipochi.design import (
    all_surplus,
    appeal_changes,
    book_months,
    changes_of_appeals,
    closed_months,
    donations,
    given_back,
    surpluses,
    to_refund,
)
from sekkei_systems.chiipochi.design.models import AppealChange, BookMonth, Donation, Surplus, by_hand
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.mine import Mine

_SIGNED = (to_refund, given_back, to_refund, all_surplus, changes_of_appeals, closed_months)
"""Where those who run the bot stand in its records. A refund that fails goes back among those to do, so: twice."""
PAGE = 100
ABOUT = {
    "ja": "運営の記録(返金・帳簿など)は残りますが、あなたの名前は消えます。"
    "LINE での寄付の記録は、LINE から開く自分の寄付のページで消せます。",
    "en": "Records of running the bot, such as refunds and books, stay without your name. What you gave on LINE can be "
    "deleted on LINE, on the page of your donations.",
}


Record = Donation | Surplus | AppealChange | BookMonth


@dataclass
class BotPeople:
    db: Database
    mine: Mine
    forget: Sequence[tuple[str, Step]]
    line_id: Callable[[str], str] | None

    def personal(self) -> Personal:
        chat = [(f"chat-{name}", self._in_chat(step)) for name, step in self.forget] if self.line_id else []
        signed = [("signed", self._unsign)]
        # Once more a day later: what a donor who is forgotten took along meanwhile is signed under another name.
        return Personal(ABOUT, self.export, [*chat, *signed], late=signed)

    async def export(self, person: Person) -> AsyncIterator[Exported]:
        if self.line_id is not None:
            donor = Donor(self.line_id(person.user_id))
            given = [as_data(donation) async for donation in self.mine.all(donor)]
            if given:
                yield "donations.json", given

    async def _unsign(self, payload: Payload, cursor: str | None) -> Progress:
        """One page of one list; the lists are short beside all donations, and an index leads to each."""
        number, after = orjson.loads(cursor) if cursor else (0, None)
        query: Query[Any] = _SIGNED[number]()
        page = await self.db.page(query, size=PAGE, after=after)
        updates = [_without(found, payload["user_id"]) for found in page]
        done = sum([await self._write(update) for update in updates if update is not None])
        if page.cursor is None and number + 1 == len(_SIGNED):
            return Progress(done)
        following = (number, page.cursor) if page.cursor else (number + 1, None)
        return Progress(done, orjson.dumps(following).decode())

    async def _write(self, update: Update[Any]) -> int:
        try:
            await self.db.write(update)
        except ConditionFailed:
            return 0  # moved to a forgotten donor's name, or signed by somebody else by now
        return 1

    def _in_chat(self, step: Step) -> Step:
        """The same for whoever they are in the simulator."""
        line_id = self.line_id
        assert line_id is not None

        async def forgetting(payload: Payload, cursor: str | None) -> Progress:
            return await step({"user_id": line_id(payload["user_id"])}, cursor)

        return forgetting


def _row(found: Record) -> Update[Any]:
    match found:
        case Donation():
            return donations.update(found.user_id, found.created_at)
        case Surplus():
            return surpluses.update(found.tx_id)
        case AppealChange():
            return appeal_changes.update(found.at, found.code)
        case BookMonth():
            return book_months.update(found.month)


def _signatures(found: Record) -> list[tuple[Any, str | None]]:
    """Where a name can stand in it, and what stands there."""
    match found:
        case Donation():
            return [(Donation.refund_asked_by, found.refund_asked_by), (Donation.refund_id, found.refund_id)]
        case Surplus():
            return [(Surplus.refund_asked_by, found.refund_asked_by), (Surplus.refund_id, found.refund_id)]
        case AppealChange():
            return [(AppealChange.by, found.by)]
        case BookMonth():
            return [(BookMonth.closed_by, found.closed_by)]


def _without(found: Record, user_id: str) -> Update[Any] | None:
    """The record without this name, unless it has changed meanwhile; None where the name does not stand."""
    theirs = (user_id, by_hand(user_id))
    held = [(place, said) for place, said in _signatures(found) if said in theirs]
    update = _row(found)
    for place, said in held:
        update = update.set(place, NOBODY if said == user_id else by_hand(NOBODY)).when(place == said)
    return update if held else None
