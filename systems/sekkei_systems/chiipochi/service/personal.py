"""Accounts that take their data along, or leave. Donors are people on LINE and leave there; accounts are those who run
the bot, and on one's own machine those who write to it in the simulator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

from sekkei.design import Database
from sekkei.runtime.jobs import Payload, Progress, Step
from sekkei.runtime.personal import Exported, Person, Personal, as_data
from sekkei.runtime.sweeping import Sweep
from sekkei_systems.chiipochi.design import appeals_table, books_table, donations_table, payments_table
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.mine import Mine

SIGNED = ("refund_asked_by", "by", "closed_by")
"""Where somebody who runs the bot stands in its records."""
ABOUT = {
    "ja": "運営の記録(返金・帳簿など)は残りますが、あなたの名前は消えます。"
    "LINE での寄付の記録は、LINE から開く自分の寄付のページで消せます。",
    "en": "Records of running the bot, such as refunds and books, stay without your name. What you gave on LINE can be "
    "deleted on LINE, on the page of your donations.",
}


class BotPeople:
    def __init__(
        self, db: Database, mine: Mine, forget: Sequence[tuple[str, Step]], line_id: Callable[[str], str] | None
    ) -> None:
        """`forget` are the steps that forget a donor; `line_id` says who an account is in the simulator."""
        self._db, self._mine = db, mine
        self._forget, self._line_id = forget, line_id

    def personal(self) -> Personal:
        signed = Sweep(self._db, [donations_table, payments_table, appeals_table, books_table], SIGNED)
        chat = [(f"chat-{name}", self._in_chat(step)) for name, step in self._forget] if self._line_id else []
        return Personal(ABOUT, self.export, [*chat, ("signed", signed.step)])

    async def export(self, person: Person) -> AsyncIterator[Exported]:
        if self._line_id is not None:
            donor = Donor(self._line_id(person.user_id))
            given = [as_data(donation) async for donation in self._mine.all(donor)]
            if given:
                yield "donations.json", given

    def _in_chat(self, step: Step) -> Step:
        """The same for whoever they are in the simulator."""
        line_id = self._line_id
        assert line_id is not None

        async def forgetting(payload: Payload, cursor: str | None) -> Progress:
            return await step({"user_id": line_id(payload["user_id"])}, cursor)

        return forgetting
