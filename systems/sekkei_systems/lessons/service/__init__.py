"""The operations. Every change is one write or one transaction; who may do what is decided here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sekkei.runtime.system import Context, ScheduledJob
from sekkei.runtime.wiring import Wiring
from sekkei_systems.lessons.ports.booking import BookingPort, BookingPorts, booking_ports_of
from sekkei_systems.lessons.ports.timetable import ByStudio, Provider, provider_of
from sekkei_systems.lessons.rules.notices import Notices
from sekkei_systems.lessons.rules.policy import Policy, policy_of
from sekkei_systems.lessons.rules.studios import Sellers, Studio, Studios, sellers_of, studios_of
from sekkei_systems.lessons.service.access import Access, Roster, staff_of
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.alerts import Alerts
from sekkei_systems.lessons.service.bookings import Bookings
from sekkei_systems.lessons.service.connections import Connections, StudioSecrets
from sekkei_systems.lessons.service.contacts import Contacts, Members
from sekkei_systems.lessons.service.desk import ClassMessages, Desk, Undoing
from sekkei_systems.lessons.service.lists import Favorites, Lists
from sekkei_systems.lessons.service.monitor import Monitor
from sekkei_systems.lessons.service.moves import Moves
from sekkei_systems.lessons.service.passes import Entitlements
from sekkei_systems.lessons.service.reservations import Reservations
from sekkei_systems.lessons.service.restoring import Restoring
from sekkei_systems.lessons.service.rulebook import Rulebook
from sekkei_systems.lessons.service.searches import Searches
from sekkei_systems.lessons.service.timetable import Listed, Timetable
from sekkei_systems.lessons.service.waitlist import Waitlist
from sekkei_systems.lessons.service.weekly import Weekly


class Following(Protocol):
    """An old waitlist table that may still lead (`sekkei_lessons_migration`)."""

    recurring: dict[str, str]

    def wire(self, wiring: Wiring) -> None:
        """Hold a waitlist and a monitor that ask which table leads."""

    def scheduled(self) -> dict[str, ScheduledJob]: ...


class OwnStudio(Provider, BookingPort, Protocol):
    """A studio of the demo that has a system of its own (`sekkei_fakes.studio`)."""

    @property
    def studio(self) -> Studio: ...


@dataclass(frozen=True, slots=True)
class Service:
    """All operations, by what they are about."""

    policy: Policy
    access: Access
    timetable: Timetable
    lists: Lists
    favorites: Favorites
    waitlist: Waitlist
    bookings: Bookings
    reservations: Reservations
    desk: Desk
    contacts: Contacts
    searches: Searches
    notices: Notices
    monitor: Monitor
    alerts: Alerts
    provider: ByStudio
    sellers: Sellers
    listed: Listed
    acts: Acts
    members: Members
    moves: Moves
    restoring: Restoring
    class_messages: ClassMessages
    undoing: Undoing
    rulebook: Rulebook
    entitlements: Entitlements
    weekly: Weekly
    roster: Roster
    studio_secrets: StudioSecrets
    connections: Connections


def wiring_of(context: Context, studio: OwnStudio | None = None) -> Wiring:
    """What the operations are built from. `studio` is one of the demo that has a system of its own."""
    settings = context.settings
    local = {studio.studio.code: studio} if studio else {}
    studios = [*studios_of(settings), *([studio.studio] if studio else [])]
    provider = provider_of(settings, context.db, context.clock, studios, local)
    sellers = sellers_of(settings, local)
    wiring = Wiring.of(context, settings.secrets, policy_of(settings), staff_of(settings), sellers, provider)
    return wiring.value(Studios, studios).value(BookingPorts, booking_ports_of(settings) | local)
