"""The system `q`: how its parts are wired, and how it is called."""

from __future__ import annotations

from sekkei.runtime.ends import MAIL
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Transport
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.transports.expo import Expo
from sekkei.runtime.transports.web_push import WEB_PUSH, WebPush, vapid_of
from sekkei.runtime.wiring import Wiring
from sekkei.web import Given
from sekkei.web.identity.accounts import Accounts
from sekkei.web.identity.design import design as web_design
from sekkei_systems.days import ZONE
from sekkei_systems.q import pages
from sekkei_systems.q.api import api
from sekkei_systems.q.api.posts import Shown
from sekkei_systems.q.demo import demo
from sekkei_systems.q.design.tables import design as q_design
from sekkei_systems.q.jobs import RECURRING, QJobs
from sekkei_systems.q.jobs.questions import Receipts
from sekkei_systems.q.jobs.withdrawal import QPeople
from sekkei_systems.q.reactions import reactions_of
from sekkei_systems.q.rules.notices import PUSH
from sekkei_systems.q.rules.notices import WEB_PUSH as WEB_PUSH_KIND
from sekkei_systems.q.rules.settings import NAMES as TERMS
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.pushes import CountedPush, TheirDevices


def build(context: Context) -> Parts:
    wiring = wiring_of(context)
    service = wiring.build(Service)
    wiring.build(Shown)
    given = Given(wiring=wiring)
    for kind, prove in service.access.proofs.items():
        given.per_request(kind, prove)
    jobs = wiring.build(QJobs)
    return Parts(
        service=service,
        routes=[*pages.routes(given), *api.routes(given)],
        reactions=[reactions_of(wiring)],
        jobs=jobs.definitions(),
        scheduled=jobs.scheduled(),
        recurring=RECURRING,
        personal=wiring.build(QPeople).personal(),
        transports=_transports_of(context, service, jobs.pushes.expo),
    )


def wiring_of(context: Context, expo: Receipts | None = None) -> Wiring:
    """Return what everything here is built from: what the system is given, accounts, and Expo where it is set up."""
    settings = context.settings
    keys = settings.secrets
    web = web_design.open(context.store, env=settings.env, secret=keys.key("cursors"), clock=context.clock)
    accounts = Accounts(web, context.clock, keys, live=context.live)
    url = settings.get("expo_url")
    if expo is None and url:
        expo = Expo(url, settings.get("expo_token"), Http(), context.clock)
    return Wiring.of(context, accounts).value(Receipts | None, expo)


def _transports_of(context: Context, service: Service, expo: object) -> dict[str, Transport]:
    """Devices are told through Q.'s own end, which knows whose they are; locally the outbox shows the messages. What
    becomes of them is counted."""
    found: dict[str, Transport] = {}
    if isinstance(expo, Expo):
        phones = TheirDevices(context.db, service.accounts, expo)
        found[PUSH] = CountedPush(phones, service.numbers)
    vapid = vapid_of(context.settings, context.clock)
    if vapid is not None:
        out = WebPush(vapid, Http(), context.settings.get("push_hosts"))
        browsers = TheirDevices(context.db, service.accounts, out, vapid.public)
        found[WEB_PUSH_KIND] = CountedPush(browsers, service.numbers)
    return found


SYSTEM = System(
    name="q",
    title={"ja": "Q.", "en": "Q."},
    about={
        "ja": "1日1問。友だちの答えと、ちょうどいい距離。",
        "en": "One question a day, and what your friends say.",
    },
    design=q_design,
    build=build,
    demo=demo,
    zone=ZONE,
    ends=[MAIL, WEB_PUSH],
    settings=(
        *("expo_token", "expo_url", "push_hosts", "q_answer_first", "q_flagged", "q_pictures", "q_publish_window"),
        *TERMS,
    ),
    pages=[("/", {"ja": "今日の質問", "en": "Today's question"}), ("/admin", {"ja": "管理", "en": "Admin"})],
)
