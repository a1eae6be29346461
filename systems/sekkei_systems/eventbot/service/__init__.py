"""The bot's operations. Everything that may be refused is refused here, so that commands, buttons and pages agree."""

from __future__ import annotations

from sekkei.runtime.schedules import Schedules, StoredSchedules
from sekkei.runtime.system import Context
from sekkei_systems.eventbot.rules.drafts import Details, Draft
from sekkei_systems.eventbot.rules.views import EventView, NoticeView, has_started, is_joinable
from sekkei_systems.eventbot.service.access import Access, Actor, Creator, Host, Manager, Organiser
from sekkei_systems.eventbot.service.desk import Desk, Request
from sekkei_systems.eventbot.service.events import Events
from sekkei_systems.eventbot.service.guilds import Guilds, LookUp
from sekkei_systems.eventbot.service.joining import Joining
from sekkei_systems.eventbot.service.members import Hands, Queue
from sekkei_systems.eventbot.service.notices import NewNotice, Notices


class Service:
    """All of them, on one store."""

    def __init__(self, context: Context, schedules: Schedules, look_up: LookUp) -> None:
        self.desk = Desk(
            db=context.db,
            clock=context.clock,
            outbox=context.outbox,
            soon=StoredSchedules(context.runtime, context.clock, context.system),
            schedules=schedules,
            live=context.live,
            idempotency=context.idempotency,
        )
        self.access = Access(self.desk)
        self.events = Events(self.desk, look_up)
        self.queue = Queue(self.desk)
        self.joining = Joining(self.desk, self.access, self.queue)
        self.hands = Hands(self.desk, self.queue)
        self.notices = Notices(self.desk)
        self.guilds = Guilds(self.desk, context.settings.secrets, look_up)


__all__ = [
    "Access",
    "Actor",
    "Creator",
    "Desk",
    "Details",
    "Draft",
    "EventView",
    "Events",
    "Guilds",
    "Hands",
    "Host",
    "Joining",
    "Manager",
    "NewNotice",
    "NoticeView",
    "Notices",
    "Organiser",
    "Queue",
    "Request",
    "Service",
    "has_started",
    "is_joinable",
]
