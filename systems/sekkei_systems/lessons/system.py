"""The system `lessons`: how its parts are wired, and how it is called."""

from __future__ import annotations

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime.discovery import optional
from sekkei.runtime.ends import MAIL
from sekkei.runtime.fakes import fake, has_fake
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.transports.line import ChannelSecrets
from sekkei.web import Given
from sekkei_systems.days import ZONE
from sekkei_systems.lessons import api, pages
from sekkei_systems.lessons.demo import demo
from sekkei_systems.lessons.design import design
from sekkei_systems.lessons.jobs import RECURRING, LessonJobs
from sekkei_systems.lessons.reactions import reactions_of
from sekkei_systems.lessons.rules.policy import MINUTES
from sekkei_systems.lessons.service import Following, OwnStudio, Service, wiring_of
from sekkei_systems.lessons.service.personal import LessonPeople
from sekkei_systems.lessons.webhooks import line
from sekkei_systems.lessons.webhooks.availability import Pushes


def build(context: Context) -> Parts:
    old = _old_table(context)
    wiring = wiring_of(context, demo_studio(context.settings, context.db, context.clock))
    if old:
        old.wire(wiring)
    service, jobs, people = wiring.build(Service), wiring.build(LessonJobs), wiring.build(LessonPeople)
    wiring.build(Pushes)
    wiring.value(ChannelSecrets, line.channel_secrets(context.settings))
    return Parts(
        service=service,
        routes=[
            *pages.routes(Given(wiring=wiring)),
            *line.pages.routes(Given(wiring=wiring)),
            *api.routes(Given(wiring=wiring)),
        ],
        reactions=[reactions_of(context, service.monitor, service.alerts, service.searches)],
        scheduled=jobs.scheduled() | (old.scheduled() if old else {}),
        recurring=RECURRING | (old.recurring if old else {}),
        personal=people.personal(),
    )


def _old_table(context: Context) -> Following | None:
    """The move from an old waitlist table, if one is set."""
    if not (context.settings.get("lessons_old_table") or context.settings.get("lessons_old_mapping")):
        return None
    found: Following = optional("sekkei.lessons.migration", "following", "sekkei-lessons-migration").of(context)
    return found


_STUDIO_SETTINGS = ("lessons_studios", "lessons_feed_url", "lessons_booking_url", "lessons_booking_page")


def demo_studio(settings: Settings, db: Database, clock: Clock) -> OwnStudio | None:
    """A studio with a system of its own, in a demo where nothing is set about studios and `sekkei-fakes` is there."""
    if not settings.demo or any(settings.get(name) for name in _STUDIO_SETTINGS) or not has_fake("studio"):
        return None
    found: OwnStudio = fake("studio")(db, clock)
    return found


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
    zone=ZONE,
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
