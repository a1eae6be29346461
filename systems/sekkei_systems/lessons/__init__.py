"""Studio lessons: favourites, waitlists, bookings and history on one table, and word the moment a place is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sekkei.clock import Clock
from sekkei.runtime.ends import MAIL
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.transports.line import ChannelSecrets
from sekkei.web import Given
from sekkei_systems.lessons import api, pages
from sekkei_systems.lessons.demo import demo
from sekkei_systems.lessons.design import design
from sekkei_systems.lessons.jobs import ONCE, RECURRING, LessonJobs
from sekkei_systems.lessons.local.studio_end import local_studio
from sekkei_systems.lessons.reactions import reactions_of
from sekkei_systems.lessons.rules.policy import MINUTES
from sekkei_systems.lessons.service import Service, open_service
from sekkei_systems.lessons.service.personal import LessonPeople
from sekkei_systems.lessons.webhooks import line
from sekkei_systems.lessons.webhooks.availability import Pushes

if TYPE_CHECKING:
    from sekkei_systems.lessons_migration.leading import Following


def build(context: Context) -> Parts:
    old = _old_table(context)
    service = open_service(context, old, local_studio(context.settings, context.db, context.clock))
    jobs = LessonJobs(service, context.db, context.clock, context.schedules)
    return Parts(
        service=service,
        routes=[
            *pages.routes(given_of(service, context)),
            *line.pages.routes(given_of(service, context)),
            *api.routes(given_of(service, context)),
        ],
        reactions=[reactions_of(context, service.monitor, service.alerts, service.searches)],
        scheduled=jobs.scheduled() | (old.scheduled() if old else {}),
        jobs=jobs.definitions(),
        recurring=RECURRING | (old.recurring if old else {}),
        once=ONCE,
        personal=LessonPeople(context.db, service.bookings).personal(),
    )


def given_of(service: Service, context: Context) -> Given:
    """What handlers are given by type; pages and API add what they make for each request."""
    given = Given(*service.parts(), context.live, context.idempotency, context.outbox, context.settings)
    given.value(Clock, context.clock)
    return given.value(Pushes, Pushes(context)).value(ChannelSecrets, line.channel_secrets(context.settings))


def _old_table(context: Context) -> Following | None:
    """The move from an old waitlist table, if one is set."""
    if not (context.settings.get("lessons_old_table") or context.settings.get("lessons_old_mapping")):
        return None
    from sekkei_systems.lessons_migration.leading import Following

    return Following.of(context)


SYSTEM = System(
    name="lessons",
    title={"ja": "スタジオレッスン", "en": "Studio lessons"},
    about={
        "ja": "気になるレッスン、キャンセル待ち、予約。席が空いたらすぐにお知らせ。",
        "en": "Favourites, waitlists and bookings. Told the moment a place is free.",
    },
    design=design,
    build=build,
    demo=demo,
    ends=[MAIL],
    settings=(
        *("lessons_studios", "lessons_staff", "lessons_fairness", *(f"lessons_{name}_minutes" for name in MINUTES)),
        *("lessons_booking_page", "lessons_booking_token", "lessons_booking_url", "lessons_feed_url"),
        *("lessons_push_secret", "line_channel_secret", "line_channel_secret_previous"),
        *("line_channel_token", "webhook_allow"),
        *("expo_token", "expo_url"),
    ),
    pages=[
        ("/", {"ja": "時間割", "en": "Timetable"}),
        ("/mine", {"ja": "マイリスト", "en": "My list"}),
        ("/docs", {"ja": "API", "en": "API"}),
    ],
)
