"""Accounts that take their data along, or leave: the ties of an account to guilds. What people do in Discord is theirs
there, with an account or without."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sekkei.design import Database
from sekkei.runtime.data_subjects import Exported, Person, Personal, as_data
from sekkei.runtime.jobs import Payload, Progress
from sekkei_systems.eventbot.design import guilds_of_account, organiser_links

ABOUT = {
    "ja": "主催者ページと Discord のつながりが消えます。Discord で作ったイベントや参加はそのまま残り、"
    "Discord から取り消せます。",
    "en": "The link between your organiser pages and Discord is deleted. Events you made or joined in Discord stay; "
    "you can cancel them in Discord.",
}


class EventPeople:
    def __init__(self, db: Database) -> None:
        self._db = db

    def personal(self) -> Personal:
        return Personal(ABOUT, self.export, [("links", self._links)])

    async def export(self, person: Person) -> AsyncIterator[Exported]:
        links = await self._db.all(guilds_of_account(person.user_id))
        if links:
            yield "guilds.json", [as_data(link) for link in links]

    async def _links(self, payload: Payload, cursor: str | None) -> Progress:
        links = await self._db.all(guilds_of_account(payload["user_id"]))
        await self._db.write_many(organiser_links.delete(one.account_id, one.guild_id) for one in links)
        return Progress(len(links))
