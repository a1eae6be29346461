"""Every studio's own provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.store.http import Limits
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.ports.timetable.catalogue import Catalogue
from sekkei_systems.lessons.ports.timetable.feed import Feed
from sekkei_systems.lessons.ports.timetable.provider import Provider
from sekkei_systems.lessons.rules.drafts import LessonDraft
from sekkei_systems.lessons.rules.places import Availability
from sekkei_systems.lessons.rules.selling import by_studio
from sekkei_systems.lessons.rules.studios import Studio

FEED_BYTES_MAX = 2 * 1024 * 1024
"""Two weeks of one studio are less; reading more would keep everybody else waiting."""
TIMEOUTS = Limits(
    connections=4, connect_seconds=3.0, answer_seconds=5.0, idle_seconds=30.0, answer_bytes=FEED_BYTES_MAX
)


@dataclass
class ByStudio:
    """Every studio's own feed, and our timetable for the rest."""

    feeds: Mapping[str, Provider]
    otherwise: Provider
    own: dict[str, Provider | None] = field(default_factory=dict, init=False)

    @property
    def has_feeds(self) -> bool:
        return bool(self.feeds) or any(self.own.values())

    def feed(self, studio_code: str) -> Provider | None:
        if studio_code in self.own:
            return self.own[studio_code]
        return self.feeds.get(studio_code, self.feeds.get(""))

    async def list(self, studio_code: str, first: date, last: date) -> list[LessonDraft] | None:
        return await (self.feed(studio_code) or self.otherwise).list(studio_code, first, last)

    async def availability(self, lesson: Lesson) -> Availability | None:
        return await (self.feed(lesson.studio_code) or self.otherwise).availability(lesson)


def provider_of(
    settings: Settings,
    db: Database,
    clock: Clock,
    studios: Sequence[Studio],
    local: Mapping[str, Provider] | None = None,
) -> ByStudio:
    """`SEKKEI_LESSONS_FEED_URL=https://…` for all studios, or `gnz=https://…,sby=https://…` for each its own."""
    feeds: dict[str, Provider] = dict(local or {})
    http = Http(TIMEOUTS)
    for code, url in by_studio(settings.get("lessons_feed_url")).items():
        feeds[code] = Feed(url, http, clock, studios)
    return ByStudio(feeds, Catalogue(db))
