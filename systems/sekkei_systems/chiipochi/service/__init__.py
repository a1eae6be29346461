"""ちいポチ's operations. Bots, pages and jobs all come through here, and so does the question of who may do what."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.ports.line.port import is_simulated
from sekkei_systems.chiipochi.service.access import Access
from sekkei_systems.chiipochi.service.appeals import Appeals
from sekkei_systems.chiipochi.service.awards import Awards
from sekkei_systems.chiipochi.service.books import Books
from sekkei_systems.chiipochi.service.channel import Channel
from sekkei_systems.chiipochi.service.conversations import Conversations
from sekkei_systems.chiipochi.service.details import Details
from sekkei_systems.chiipochi.service.donations import Donations
from sekkei_systems.chiipochi.service.exports import Exports
from sekkei_systems.chiipochi.service.inbox import Inbox
from sekkei_systems.chiipochi.service.later import Later
from sekkei_systems.chiipochi.service.links import Links
from sekkei_systems.chiipochi.service.mine import Mine
from sekkei_systems.chiipochi.service.orders import Orders
from sekkei_systems.chiipochi.service.pledges import Pledges
from sekkei_systems.chiipochi.service.rankings import Rankings
from sekkei_systems.chiipochi.service.readers import Readers
from sekkei_systems.chiipochi.service.receipts import Receipts
from sekkei_systems.chiipochi.service.reconciliation import Reconciliation
from sekkei_systems.chiipochi.service.refunds import Refunds
from sekkei_systems.chiipochi.service.reports import Reports
from sekkei_systems.chiipochi.service.settling import Settling
from sekkei_systems.chiipochi.service.surplus import Surpluses
from sekkei_systems.chiipochi.service.wordings import Wordings


@dataclass
class Service:
    settings: Settings
    links: Links
    access: Access
    donations: Donations
    reports: Reports
    readers: Readers
    rankings: Rankings
    channel: Channel
    orders: Orders
    appeals: Appeals
    wordings: Wordings
    surpluses: Surpluses
    settling: Settling
    reconciliation: Reconciliation
    details: Details
    receipts: Receipts
    awards: Awards
    later: Later
    refunds: Refunds
    pledges: Pledges
    mine: Mine
    books: Books
    exports: Exports
    conversations: Conversations
    inbox: Inbox

    @property
    def simulated(self) -> bool:
        """Do people write in the simulator, and not on LINE?"""
        return is_simulated(self.settings)
