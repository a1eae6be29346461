"""ちいポチ's operations. Bots, pages and jobs all come through here, and so does the question of who may do what."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.ports.line import is_simulated
from sekkei_systems.chiipochi.service.access import Access, Links
from sekkei_systems.chiipochi.service.appeals import Appeals, Wordings
from sekkei_systems.chiipochi.service.awards import Awards
from sekkei_systems.chiipochi.service.books import Books
from sekkei_systems.chiipochi.service.conversations import Conversations
from sekkei_systems.chiipochi.service.donations import Donations, Orders
from sekkei_systems.chiipochi.service.inbox import Inbox
from sekkei_systems.chiipochi.service.letters import Channel, Readers
from sekkei_systems.chiipochi.service.mine import Mine
from sekkei_systems.chiipochi.service.payments import Later, Reconciliation, Settling
from sekkei_systems.chiipochi.service.pledges import Pledges
from sekkei_systems.chiipochi.service.receipts import Details, Receipts
from sekkei_systems.chiipochi.service.refunds import Refunds, Surpluses
from sekkei_systems.chiipochi.service.reports import Exports, Rankings, Reports


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
