"""What somebody asks for in the chat and the bot has to look up."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei_systems import days
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.conversation import Topic
from sekkei_systems.chiipochi.rules.messages import Message
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.links import Links
from sekkei_systems.chiipochi.service.mine import Mine
from sekkei_systems.chiipochi.service.reports import Reports
from sekkei_systems.chiipochi.service.wordings import Wordings
from sekkei_systems.chiipochi.texts import Language

HISTORY_LINES = 5


@dataclass
class Answers:
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
                page = await self.mine.history(donor, size=HISTORY_LINES)
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
