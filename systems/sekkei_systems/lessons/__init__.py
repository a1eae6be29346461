"""Studio lessons: favourites, waitlists, bookings and history on one table, and word the moment a place is free."""

from __future__ import annotations

from sekkei.runtime.system import Context, Parts, System
from sekkei.web.identity.accounts import email_of
from sekkei_systems.lessons import api, line_webhook, pages, people_pages, studio_pages
from sekkei_systems.lessons.alerts import Alerts
from sekkei_systems.lessons.contacts import Contacts
from sekkei_systems.lessons.demo import demo
from sekkei_systems.lessons.design import design
from sekkei_systems.lessons.jobs import RECURRING, LessonJobs
from sekkei_systems.lessons.links import Links
from sekkei_systems.lessons.migration.leading import Following
from sekkei_systems.lessons.monitor import Monitor
from sekkei_systems.lessons.notices import Notices
from sekkei_systems.lessons.providers import provider_of
from sekkei_systems.lessons.reactions import reactions_of
from sekkei_systems.lessons.rules import policy_of
from sekkei_systems.lessons.searches import Searches
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.studios import staff_of, studios_of


def build(context: Context) -> Parts:
    settings, db, clock, outbox = context.settings, context.db, context.clock, context.outbox
    policy, studios = policy_of(settings), studios_of(settings)
    links = Links(settings.secrets.key("lessons links"))
    notices = Notices(links, f"{settings.public_url}/lessons", studios, clock)
    provider = provider_of(settings, db, clock, studios)
    old = Following.of(context)
    service = (old.service if old else Service)(db, clock, policy, studios, staff_of(settings))
    contacts = Contacts(db, clock, outbox, notices, links, settings.secrets.key("lessons codes"), email_of)
    searches = Searches(db, clock, outbox, context.schedules, notices)
    monitor = (old.monitor if old else Monitor)(db, clock, outbox, provider, policy, notices.opening)
    alerts = Alerts(db, clock, outbox, notices, policy)
    jobs = LessonJobs(db, clock, context.schedules, monitor, alerts, searches, provider, studios)
    desk = pages.Desk(service, contacts, searches, notices)
    return Parts(
        service=service,
        routes=[
            *pages.routes(desk, context),
            *people_pages.routes(desk, context),
            *studio_pages.routes(desk, context),
            *line_webhook.routes(contacts, context),
            *api.routes(service, contacts, searches, monitor, context),
        ],
        reactions=[reactions_of(context, monitor, alerts, searches)],
        scheduled=jobs.scheduled() | (old.scheduled() if old else {}),
        recurring=RECURRING | (old.recurring if old else {}),
    )


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
    pages=[
        ("/", {"ja": "時間割", "en": "Timetable"}),
        ("/mine", {"ja": "マイリスト", "en": "My list"}),
        ("/docs", {"ja": "API", "en": "API"}),
    ],
)
