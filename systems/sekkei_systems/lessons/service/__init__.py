"""The operations. Every change is one write or one transaction; who may do what is decided here."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Protocol

from sekkei.runtime.sealed_texts import SealedTexts
from sekkei.runtime.system import Context, ScheduledJob
from sekkei.runtime.transports.webhook import allowed_networks
from sekkei.web.identity.accounts import email_of
from sekkei_systems.lessons.ports.booking.http import booking_ports_of
from sekkei_systems.lessons.ports.booking.port import BookingPort
from sekkei_systems.lessons.ports.timetable.by_studio import ByStudio, provider_of
from sekkei_systems.lessons.ports.timetable.provider import Provider
from sekkei_systems.lessons.rules.links import Links
from sekkei_systems.lessons.rules.notices import Notices
from sekkei_systems.lessons.rules.policy import Policy, policy_of
from sekkei_systems.lessons.rules.selling import Sellers, sellers_of
from sekkei_systems.lessons.rules.studios import Studio, studios_of
from sekkei_systems.lessons.service.access import Access, staff_of
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.alerts import Alerts
from sekkei_systems.lessons.service.auto_booking import AutoBooking
from sekkei_systems.lessons.service.bookings import Bookings
from sekkei_systems.lessons.service.class_messages import ClassMessages
from sekkei_systems.lessons.service.connections import Connections
from sekkei_systems.lessons.service.contacts import Contacts
from sekkei_systems.lessons.service.counts import Counts
from sekkei_systems.lessons.service.desk import Desk
from sekkei_systems.lessons.service.entitlements import Entitlements
from sekkei_systems.lessons.service.favorites import Favorites
from sekkei_systems.lessons.service.listed import Listed
from sekkei_systems.lessons.service.lists import Lists
from sekkei_systems.lessons.service.members import Members, account_of_mail
from sekkei_systems.lessons.service.monitor import Monitor
from sekkei_systems.lessons.service.moves import Moves
from sekkei_systems.lessons.service.reservations import Reservations
from sekkei_systems.lessons.service.restoring import Restoring
from sekkei_systems.lessons.service.roster import StoredRoster
from sekkei_systems.lessons.service.rulebook import Rulebook
from sekkei_systems.lessons.service.searches import Searches
from sekkei_systems.lessons.service.studio_secrets import StudioSecrets
from sekkei_systems.lessons.service.ties import Ties
from sekkei_systems.lessons.service.timetable import Timetable
from sekkei_systems.lessons.service.undoing import Undoing
from sekkei_systems.lessons.service.waitlist import Waitlist
from sekkei_systems.lessons.service.weekly import Weekly


class Following(Protocol):
    """An old waitlist table that may still lead (`sekkei_lessons_migration`)."""

    recurring: dict[str, str]

    def waitlist(self, *parts: Any) -> Waitlist: ...
    def monitor(self, *parts: Any) -> Monitor: ...
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
    counts: Counts
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
    roster: StoredRoster
    studio_secrets: StudioSecrets
    connections: Connections

    def parts(self) -> list[object]:
        return [getattr(self, one.name) for one in fields(self)]


def open_service(context: Context, old: Following | None = None, local: OwnStudio | None = None) -> Service:
    """With an old waitlist table beside it, waitlist and monitor ask which table leads. `local` is a studio of the demo
    that has a system of its own."""
    settings, db, clock, outbox = context.settings, context.db, context.clock, context.outbox
    policy, studios = policy_of(settings), [*studios_of(settings), *([local.studio] if local else [])]
    roster = StoredRoster(db, clock, email_of)
    access = Access(studios, staff_of(settings), roster)
    links = Links(settings.secrets)
    notices = Notices(links, f"{settings.public_url}/lessons", studios, clock)
    locals_ = {local.studio.code: local} if local else {}
    provider = provider_of(settings, db, clock, studios, locals_)
    rulebook = Rulebook(db, clock, policy)
    entitlements = Entitlements(db, clock, rulebook)
    ports: dict[str, BookingPort] = booking_ports_of(settings) | locals_
    sealed, allowed = SealedTexts(*settings.secrets.keys("lessons connections")), allowed_networks(settings)
    reservations = Reservations(db, clock, context.schedules, ports, outbox, notices, entitlements)
    ties, timetable, sellers = Ties(db, clock, rulebook), Timetable(db, clock), sellers_of(settings, locals_)
    connections = Connections(db, clock, sealed, studios, sellers, provider, ports, allowed)
    bookings = Bookings(ties, timetable, sellers, reservations, entitlements)
    acts, told = Acts(db, clock), (outbox, notices, context.schedules)
    contacts = Contacts(db, clock, outbox, notices, links, settings.secrets, email_of)
    desk = Desk(ties, timetable, access, bookings, outbox, notices, acts, entitlements)
    auto = AutoBooking(db, bookings, sellers, outbox, notices)
    moves = Moves(ties, timetable, sellers, acts, *told, entitlements)
    restoring = Restoring(ties, timetable, sellers, *told, entitlements)
    return Service(
        policy=policy,
        access=access,
        timetable=timetable,
        lists=Lists(ties, timetable),
        favorites=Favorites(ties, timetable),
        waitlist=(old.waitlist if old else Waitlist)(ties, timetable),
        bookings=bookings,
        reservations=reservations,
        desk=desk,
        contacts=contacts,
        searches=Searches(db, clock, outbox, context.schedules, notices),
        notices=notices,
        monitor=(old.monitor if old else Monitor)(
            db, clock, outbox, provider, rulebook, notices.opening, sellers, auto
        ),
        alerts=Alerts(db, clock, outbox, notices, entitlements, reservations),
        provider=provider,
        sellers=sellers,
        counts=Counts(db, clock),
        listed=Listed(db, clock, timetable),
        acts=acts,
        members=Members(contacts, account_of_mail(context)),
        moves=moves,
        restoring=restoring,
        class_messages=ClassMessages(db, timetable, acts, *told),
        undoing=Undoing(acts, desk, moves, restoring),
        rulebook=rulebook,
        entitlements=entitlements,
        weekly=Weekly(db, clock, timetable, acts, restoring),
        roster=roster,
        studio_secrets=StudioSecrets(db, clock, *settings.secrets.keys("lessons studio secrets")),
        connections=connections,
    )
