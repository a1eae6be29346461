"""The bot's operations. Everything that may be refused is refused here, so that commands, buttons and pages agree."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei_systems.eventbot.service.access import Access
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.events import Events
from sekkei_systems.eventbot.service.guilds import Guilds
from sekkei_systems.eventbot.service.joining import Joining
from sekkei_systems.eventbot.service.members import Hands, Queue
from sekkei_systems.eventbot.service.notices import Notices


@dataclass
class Service:
    """All of them, on one store."""

    desk: Desk
    access: Access
    events: Events
    queue: Queue
    joining: Joining
    hands: Hands
    notices: Notices
    guilds: Guilds
