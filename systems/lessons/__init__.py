"""Studio lessons: favourites, waitlists, bookings and history on one table, and word the moment a place is free."""

from __future__ import annotations

from datetime import timedelta

from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import Context, Parts, System
from systems.lessons import api, pages, studio_pages
from systems.lessons.alerts import Alerts
from systems.lessons.demo import demo
from systems.lessons.design import design
from systems.lessons.jobs import RECURRING, LessonJobs
from systems.lessons.links import Links
from systems.lessons.monitor import Monitor
from systems.lessons.notices import Notices
from systems.lessons.providers import Catalogue, Feed, Provider
from systems.lessons.reactions import reactions_of
from systems.lessons.rules import Fairness, Policy
from systems.lessons.service import Service
from systems.lessons.studios import staff_of, studios_of


def policy_of(settings: Settings) -> Policy:
    """`SEKKEI_LESSONS_FAIRNESS=first-in-line`, `SEKKEI_LESSONS_HOLD_MINUTES=30`."""
    fairness = Fairness(settings.get("lessons_fairness", Fairness.BROADCAST.value))
    return Policy(fairness=fairness, hold=timedelta(minutes=float(settings.get("lessons_hold_minutes", "30"))))


def build(context: Context) -> Parts:
    settings = context.settings
    policy, studios = policy_of(settings), studios_of(settings)
    service = Service(context.db, context.clock, policy)
    links = Links(settings.secrets.key("lessons links"))
    notices = Notices(links, f"{settings.public_url}/lessons", studios)
    url = settings.get("lessons_feed_url")
    feed = Feed(url, Http(), context.clock) if url else None
    provider: Provider = feed or Catalogue(context.db)
    monitor = Monitor(context.db, context.clock, context.outbox, provider, policy, notices.opening)
    alerts = Alerts(context.db, context.clock, context.outbox, notices, policy)
    jobs = LessonJobs(context.db, context.clock, monitor, alerts, service, studios, feed)
    desk = pages.Desk(service, links, notices, studios, staff_of(settings))
    return Parts(
        service=service,
        routes=[
            *pages.routes(desk, context),
            *studio_pages.routes(desk, context),
            *api.routes(service, monitor, context),
        ],
        reactions=[reactions_of(context, monitor, alerts)],
        scheduled=jobs.scheduled(),
        recurring=RECURRING,
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
