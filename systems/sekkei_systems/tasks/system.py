"""The system `tasks`: how its parts are wired, and how it is called."""

from __future__ import annotations

from sekkei.clock import Clock
from sekkei.runtime.ends import MAIL
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.transports.webhook import Sender
from sekkei.web import Given
from sekkei_systems.days import ZONE
from sekkei_systems.tasks import pages
from sekkei_systems.tasks.api import api
from sekkei_systems.tasks.demo import demo
from sekkei_systems.tasks.design import design
from sekkei_systems.tasks.jobs import RECURRING, TaskJobs
from sekkei_systems.tasks.pages import view
from sekkei_systems.tasks.pages.settings import Desk
from sekkei_systems.tasks.reactions import reactions_of
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.rules.hooks import allowed_by
from sekkei_systems.tasks.service import Admin, Member, Service, Visitor, open_service
from sekkei_systems.tasks.service.hooks import KIND, HookSender
from sekkei_systems.tasks.service.personal import TaskPeople
from sekkei_systems.tasks.webhooks import mail_events


def given_by(service: Service, context: Context) -> Given:
    """What handlers may ask for."""
    desk = Desk(service.invitations, service.feeds, context.settings)
    given = Given(*service.parts(), context.live, context.idempotency, desk).value(Clock, context.clock)
    given.per_request(Visitor, view.signed_in)
    given.per_request(Member, view.member_of)
    given.per_request(Admin, view.admin_of)
    given.per_request(view.View, view.view_of)
    given.per_request(view.Card, view.card_of)
    given.per_request(view.Listening, view.listening)
    given.per_request(Filter, view.filter_of)
    return given


def build(context: Context) -> Parts:
    service = open_service(context)
    given = given_by(service, context)
    jobs = TaskJobs(context.db, context.clock, context.jobs, service.digest, service.imports.work)
    sender = Sender(context.clock, allowed_by(context.settings))
    return Parts(
        service=service,
        routes=[*pages.routes(given), *api.routes(given), *mail_events.routes(service.blocks, context)],
        reactions=[reactions_of(context, service)],
        jobs=jobs.definitions(),
        scheduled=jobs.scheduled(),
        recurring=RECURRING,
        transports={KIND: HookSender(service.hook_log, sender, context.clock)},
        personal=TaskPeople(context.db, service.access, service.teams).personal(),
    )


SYSTEM = System(
    name="tasks",
    title={"ja": "チームタスク", "en": "Team tasks"},
    about={
        "ja": "チームのタスクをボードで。タグ、遅れ、バーンダウン、招待メール。",
        "en": "A team's work on a board: tags, what is late, burndown, invitations by mail.",
    },
    design=design,
    build=build,
    demo=demo,
    zone=ZONE,
    ends=[MAIL],
    settings=("mail_events_secret", "mail_topic", "webhook_allow"),
    pages=[("/", {"ja": "マイワークとチーム", "en": "My work and teams"}), ("/docs", {"ja": "API", "en": "API"})],
)
