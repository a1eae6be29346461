"""How each studio's own system is reached, in the table: its feed, its booking system with the sealed token, its page.

What a studio's managers set here holds for it instead of the environment. It is read again every few seconds, and
before anything is sold.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime.http import Http
from sekkei.runtime.sealed_texts import SealedTexts
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.transports.webhook import allowed_networks
from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    StudioConnection,
    StudioSecret,
    connection_of,
    studio_connections,
    studio_secrets,
    timetable,
)
from sekkei_systems.lessons.ports import booking
from sekkei_systems.lessons.ports.booking import BookingPorts
from sekkei_systems.lessons.ports.public import PublicHttp
from sekkei_systems.lessons.ports.timetable import TIMEOUTS, ByStudio, Feed
from sekkei_systems.lessons.rules.slots import LAST_DAY, slot_of
from sekkei_systems.lessons.rules.studios import Own, Sellers, Studios
from sekkei_systems.lessons.service.access import Staff

KEPT_SECONDS = 10.0
_URL_LENGTH_MAX = 500
_TOKEN_LENGTH_MAX = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a manager types; an empty token keeps the one that is there."""

    feed_url: str = ""
    booking_url: str = ""
    booking_page: str = ""
    token: str = ""
    bookings_entered: bool = False
    """What is booked here already was entered in the studio's system."""

    @property
    def is_none(self) -> bool:
        return not (self.feed_url or self.booking_url or self.booking_page)


@dataclass
class Connections:
    db: Database
    clock: Clock
    secrets: Secrets
    settings: Settings
    studios: Studios
    sellers: Sellers
    provider: ByStudio
    ports: BookingPorts
    _read: dict[str, StudioConnection] = field(default_factory=dict, init=False)
    _read_at: float = field(default=float("-inf"), init=False)

    def __post_init__(self) -> None:
        self._texts, allowed = SealedTexts(*self.secrets.keys("lessons connections")), allowed_networks(self.settings)
        self._feed_http, self._booking_http = (
            PublicHttp(Http(TIMEOUTS), allowed),
            PublicHttp(Http(booking.TIMEOUTS), allowed),
        )
        self._environment: BookingPorts = dict(self.ports)
        self.sellers.refresh = self.fresh

    async def fresh(self) -> None:
        """What the table says, at most a few seconds old."""
        if self.clock.now() - self._read_at <= KEPT_SECONDS:
            return
        found = await self.db.get_many(connection_of(studio.code) for studio in self.studios)
        for studio, row in zip(self.studios, found, strict=True):
            if row != self._read.get(studio.code):
                self._use(studio.code, row)
        self._read_at = self.clock.now()

    def _use(self, code: str, row: StudioConnection | None) -> None:
        if row is None:
            self._read.pop(code, None)
            self.sellers.own.pop(code, None)
            self.provider.own.pop(code, None)
            self.ports.pop(code, None)
            if code in self._environment:
                self.ports[code] = self._environment[code]
            return
        self._read[code] = row
        self.sellers.own[code] = Own(bool(row.feed_url), row.booking_page, bool(row.booking_url), row.counts_ours)
        feed = Feed(row.feed_url, self._feed_http, self.clock, self.studios) if row.feed_url else None
        self.provider.own[code] = feed
        self.ports.pop(code, None)
        if row.booking_url:
            self.ports[code] = booking.HttpBooking(row.booking_url, self._opened(row), self._booking_http)

    async def of(self, staff: Staff) -> StudioConnection | None:
        return await self.db.get(connection_of(staff.managing().studio.code))

    async def save(self, staff: Staff, wanted: Wanted) -> StudioConnection:
        """All of it at once; this process uses it from now on, others within seconds. Raises BookingsOnlyHere: a system
        that does not know of a booking would sell its place again."""
        code, before = staff.managing().studio.code, await self.of(staff)
        _check(wanted)
        kept = before.sealed_token if before else None
        sealed = self._texts.close(wanted.token.encode(), code) if wanted.token else kept
        if wanted.booking_url and sealed is None:
            raise refusals.BadConnection(field="token")
        await self.fresh()
        begins = self.sellers.is_ours(code) and not wanted.is_none
        if begins and not wanted.bookings_entered:
            await self._check_nothing_is_booked(code)
        row = StudioConnection(
            studio_code=code,
            feed_url=wanted.feed_url or None,
            booking_url=wanted.booking_url or None,
            booking_page=wanted.booking_page or None,
            sealed_token=sealed if wanted.booking_url else None,
            counts_ours=begins or (before is not None and before.counts_ours),
            updated_by=staff.user_id,
            updated_at=days.now(self.clock),
        )
        await self.db.write(studio_connections.put(row))
        self._use(code, row)
        return row

    async def _check_nothing_is_booked(self, code: str) -> None:
        now = days.now(self.clock)
        coming = await self.db.all(timetable(code, days.today(self.clock), LAST_DAY).consistent())
        booked = [one for one in coming if one.booked_here and slot_of(one).starts_at > now]
        if booked:
            first, last = booked[0].lesson_date, booked[-1].lesson_date
            n = sum(one.booked_here for one in booked)
            raise refusals.BookingsOnlyHere(field="bookings_entered", n=n, first=f"{first}", last=f"{last}")

    async def forget(self, staff: Staff) -> None:
        """The environment's holds again."""
        code = staff.managing().studio.code
        await self.db.write(studio_connections.delete(code))
        self._use(code, None)

    def _opened(self, row: StudioConnection) -> str:
        """One that does not open (another SEKKEI_SECRET) is sent as nothing, and the studio's system refuses it."""
        return (self._texts.open(row.sealed_token or "", row.studio_code) or b"").decode()


def _check(wanted: Wanted) -> None:
    for name in ("feed_url", "booking_url", "booking_page"):
        url = getattr(wanted, name)
        if url and not _is_address(url):
            raise refusals.BadConnection(field=name)
    printable = wanted.token.isascii() and wanted.token.isprintable() and " " not in wanted.token
    if wanted.token and not (printable and len(wanted.token) <= _TOKEN_LENGTH_MAX):
        raise refusals.BadConnection(field="token")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url and "@" not in parts.netloc
    return plain and parts.scheme in ("https", "http") and bool(parts.hostname) and len(url) <= _URL_LENGTH_MAX


# What a studio's own system signs its pushes with: one secret for each studio, sealed in the table.
#
# It is shown once, when it is made.


@dataclass
class StudioSecrets:
    db: Database
    clock: Clock
    keys: Secrets

    def __post_init__(self) -> None:
        self._texts = SealedTexts(*self.keys.keys("lessons studio secrets"))

    async def renew(self, staff: Staff) -> str:
        """A new one; the old one is void."""
        code, made = staff.managing().studio.code, secrets.token_urlsafe(32)
        sealed = self._texts.close(made.encode(), code)
        row = StudioSecret(studio_code=code, sealed=sealed, made_at=days.now(self.clock))
        await self.db.write(studio_secrets.put(row))
        return made

    async def forget(self, staff: Staff) -> None:
        """The environment's holds again."""
        await self.db.write(studio_secrets.delete(staff.managing().studio.code))

    async def find(self, studio_code: str) -> StudioSecret | None:
        return await self.db.get(studio_secrets(studio_code).consistent())

    async def secret(self, studio_code: str) -> bytes | None:
        """None when the studio has none of its own. One that does not open (another SEKKEI_SECRET) verifies nothing."""
        found = await self.find(studio_code)
        if found is None:
            return None
        return self._texts.open(found.sealed, studio_code) or secrets.token_bytes(32)
