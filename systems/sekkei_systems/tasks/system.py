"""The system `tasks`: how its parts are wired, and how it is called."""

from __future__ import annotations

from sekkei.runtime.ends import MAIL
from sekkei.runtime.sealed_texts import SealedTexts
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.transports.webhook import Sender
from sekkei.runtime.wiring import Wiring
from sekkei.web import Given
from sekkei_systems.days import ZONE
from sekkei_systems.tasks import pages
from sekkei_systems.tasks.api import api
from sekkei_systems.tasks.demo import demo
from sekkei_systems.tasks.design import design
from sekkei_systems.tasks.jobs import RECURRING, TaskJobs
from sekkei_systems.tasks.pages import view
from sekkei_systems.tasks.pages.settings import Desk
from sekkei_systems.tasks.reactions import TaskReactions
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.rules.hooks import allowed_by
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.access import Admin, Member
from sekkei_systems.tasks.service.hooks import KIND, HookSender
from sekkei_systems.tasks.service.people import Visitor
from sekkei_systems.tasks.service.personal import TaskPeople
from sekkei_systems.tasks.webhooks import mail_events


def wiring_of(context: Context) -> Wiring:
    """Return what everything here is built from."""
    settings = context.settings
    sealed = SealedTexts(*settings.secrets.keys("tasks webhooks"))
    return Wiring.of(context, sealed, Sender(context.clock, allowed_by(settings)))


def _given_by(wiring: Wiring) -> Given:
    """What handlers may ask for."""
    given = Given(wiring=wiring)
    given.per_request(Visitor, view.signed_in)
    given.per_request(Member, view.member_of)
    given.per_request(Admin, view.admin_of)
    given.per_request(view.View, view.view_of)
    given.per_request(view.Card, view.card_of)
    given.per_request(view.Listening, view.listening)
    given.per_request(Filter, view.filter_of)
    return given


def build(context: Context) -> Parts:
    wiring = wiring_of(context)
    service = wiring.build(Service)
    wiring.build(Desk)
    given = _given_by(wiring)
    jobs = wiring.build(TaskJobs)
    return Parts(
        service=service,
        routes=[*pages.routes(given), *api.routes(given), *mail_events.routes(service.blocks, context)],
        reactions=[wiring.build(TaskReactions).reactions()],
        jobs=jobs.definitions(),
        scheduled=jobs.scheduled(),
        recurring=RECURRING,
        transports={KIND: wiring.build(HookSender)},
        personal=wiring.build(TaskPeople).personal(),
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
