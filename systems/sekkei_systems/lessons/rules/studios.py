"""The studios: their codes and names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field

from sekkei.runtime.settings import Settings
from sekkei_systems.lessons.design import Lesson


@dataclass(frozen=True, slots=True)
class Studio:
    code: str
    name: str


Studios = list[Studio]
DEFAULT_STUDIOS = "gnz=銀座,sby=渋谷,snj=新宿,ykh=横浜"


def studios_of(settings: Settings) -> Studios:
    """`SEKKEI_LESSONS_STUDIOS=gnz=銀座,sby=渋谷`: code and name of each."""
    return studios_in(settings.get("lessons_studios", DEFAULT_STUDIOS))


def studios_in(text: str) -> Studios:
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    return [Studio(code.strip(), name.strip() or code.strip()) for code, _, name in pairs]


# Who sells the places of a lesson: we, a studio's own system in which we can book, or one that only tells us what is
# free.
#
# A place is sold only by one side. `SEKKEI_LESSONS_BOOKING_PAGE=gnz=https://…/{date}/{time}` says where people book
# when it is not here; a studio with a feed, or whose system pushes, sells its lessons itself.


@dataclass(frozen=True, slots=True)
class Own:
    """What a studio's managers have set for it, instead of the environment."""

    told: bool
    page: str | None
    port: bool
    counts_ours: bool = False
    """Bookings made here before were entered in its system."""


async def _nothing_newer() -> None:
    """Only the environment says who sells."""


@dataclass(slots=True)
class Sellers:
    """By studio; under "" for all that are not named."""

    told: frozenset[str] = frozenset()
    """Whose systems tell us what is free."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """Where to book there."""
    ports: frozenset[str] = frozenset()
    """In whose systems we can book, so that a place is sold only when both sides agree."""

    local: frozenset[str] = frozenset()
    """Whose systems only stand in for real ones, on this machine."""

    own: dict[str, Own] = field(default_factory=dict)
    """Of the table; a studio that is here is not asked of the environment."""
    refresh: Callable[[], Awaitable[None]] = _nothing_newer

    async def fresh(self) -> None:
        """What the table says, before anything is decided by it."""
        await self.refresh()

    def by_port(self, lesson: Lesson) -> bool:
        own = self.own.get(lesson.studio_code)
        return bool({lesson.studio_code, ""} & self.ports) if own is None else own.port

    def counts_ours(self, lesson: Lesson) -> bool:
        """Whether what its studio's system says is taken includes what was booked here."""
        own = self.own.get(lesson.studio_code)
        return self.by_port(lesson) or (own is not None and own.counts_ours)

    def tells(self, lesson: Lesson) -> bool:
        """Whether its studio's system says what is free."""
        own = self.own.get(lesson.studio_code)
        told = bool({lesson.studio_code, ""} & self.told) if own is None else own.told
        return lesson.pushed_at is not None or told

    def holds(self, lesson: Lesson) -> bool:
        """Whether a free place can be held for the first in line: nobody else sells it."""
        return self.sells_here(lesson) and not self.by_port(lesson)

    def sells_here(self, lesson: Lesson) -> bool:
        return self.by_port(lesson) or (lesson.pushed_at is None and self.is_ours(lesson.studio_code))

    def is_ours(self, studio_code: str) -> bool:
        """Whether no other system has a part in selling its places."""
        own = self.own.get(studio_code)
        if own is not None:
            return not (own.told or own.page is not None or own.port)
        return not ({studio_code, ""} & (self.told | self.ports | self.pages.keys()))

    def is_local(self, studio_code: str) -> bool:
        """Whether its system stands in for a real one, and no real one was set."""
        return studio_code in self.local and studio_code not in self.own

    def page(self, lesson: Lesson) -> str | None:
        """Where a lesson is booked that is not sold here, as far as we know."""
        own = self.own.get(lesson.studio_code)
        found = self.pages.get(lesson.studio_code, self.pages.get("")) if own is None else own.page
        if found is None:
            return None
        values = {"studio": lesson.studio_code, "date": f"{lesson.lesson_date}", "time": f"{lesson.start_time:%H:%M}"}
        for name, value in values.items():
            found = found.replace(f"{{{name}}}", value)
        return found


def by_studio(text: str) -> dict[str, str]:
    """`https://…` for all studios (under ""), or `gnz=https://…,sby=https://…` for each its own."""
    found = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        code, named, url = part.partition("=")
        if not named or "://" in code:
            code, url = "", part  # an address alone, with a = somewhere in it
        found[code.strip()] = url.strip()
    return found


def sellers_of(settings: Settings, local: Collection[str] = ()) -> Sellers:
    """`local` are studios whose systems run in this process: they tell, and we can book in them."""
    told = frozenset((*by_studio(settings.get("lessons_feed_url")), *local))
    ports = frozenset((*by_studio(settings.get("lessons_booking_url")), *local))
    return Sellers(told, by_studio(settings.get("lessons_booking_page")), ports, local=frozenset(local))
