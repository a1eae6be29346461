"""ちいポチ's operations. Bots, pages and jobs all come through here, and so does the question of who may do what."""

from __future__ import annotations

from sekkei.runtime.system import Context
from sekkei_systems.chiipochi.ports.line.port import LineEnd, is_simulated
from sekkei_systems.chiipochi.ports.payments.port import Provider
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.service.access import Access
from sekkei_systems.chiipochi.service.answers import Answers
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
from sekkei_systems.chiipochi.service.letters import Letters
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


class Service:
    def __init__(self, context: Context, provider: Provider, line: LineEnd) -> None:
        db, clock = context.db, context.clock
        self.simulated = is_simulated(context.settings)
        self.organisation = Organisation.configured(context.settings)
        self.links = Links(context.settings, clock)
        self.access = Access(self.links)
        self.donations = Donations(context)
        self.reports = Reports(db, clock, self.donations.day_shards)
        self.readers = Readers(db)
        self.rankings = Rankings(db, clock)
        self.channel = Channel(line)
        self.orders = Orders(context, self.links)
        self.appeals = Appeals(context)
        self.wordings = Wordings(context)
        letters = Letters(context, self.readers)
        self.surpluses = Surpluses(context, provider, letters)
        self.settling = Settling(context, provider, self.links, self.orders, letters, self.surpluses)
        self.reconciliation = Reconciliation(context, provider, self.settling, self.orders)
        self.details = Details(context)
        self.receipts = Receipts(context, self.organisation, self.details)
        self.awards = Awards(context, self.readers, self.links)
        self.later = Later(
            context, provider, self.orders, letters, self.surpluses, self.reconciliation, self.awards, self.receipts
        )
        self.refunds = Refunds(context, provider, self.orders, letters)
        self.pledges = Pledges(context, self.donations, self.links, self.readers, self.appeals, self.wordings)
        self.mine = Mine(db, clock)
        self.books = Books(context, provider, self.details)
        key = context.settings.secrets.key("chiipochi/exports")
        self.exports = Exports(context.settings.data / "exports" / "chiipochi", self.reports, key)
        answers = Answers(self.reports, self.mine, self.links, self.organisation, self.wordings, clock)
        self.conversations = Conversations(
            context,
            self.donations,
            self.pledges,
            answers,
            self.readers,
            self.links,
            self.channel,
            self.access,
            self.appeals,
            self.wordings,
        )
        self.inbox = Inbox(db, clock, self.conversations.handle, self.channel.keep_waiting)
        self.nouns = (
            self.links,
            self.reports,
            self.rankings,
            self.mine,
            self.details,
            self.receipts,
            self.books,
            self.appeals,
            self.wordings,
            self.readers,
            self.channel,
            self.orders,
            self.settling,
            self.reconciliation,
            self.refunds,
            self.surpluses,
            self.exports,
            self.inbox,
        )
