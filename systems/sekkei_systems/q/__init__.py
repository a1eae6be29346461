"""Q.: one question a day, and what one's friends answer. With everything that its operators need."""

from __future__ import annotations

from sekkei.runtime.http import Http
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.transports.expo import Expo
from sekkei_systems.q import api
from sekkei_systems.q.demo import demo
from sekkei_systems.q.design.tables import design as q_design
from sekkei_systems.q.jobs import RECURRING, QJobs
from sekkei_systems.q.pages import client, drawings
from sekkei_systems.q.pages import desk as admin
from sekkei_systems.q.reactions import reactions_of
from sekkei_systems.q.service import open_service


def build(context: Context) -> Parts:
    service = open_service(context)
    settings = context.settings
    expo = Expo(settings.get("expo_url"), settings.get("expo_token"), Http()) if settings.get("expo_url") else None
    jobs = QJobs(context, service, expo)
    return Parts(
        service=service,
        routes=[
            *client.routes(service, context),
            *drawings.routes(service, context),
            *admin.routes(service, context),
            *api.routes(service, context),
        ],
        reactions=[reactions_of(context, service)],
        jobs=jobs.definitions(),
        scheduled=jobs.scheduled(),
        recurring=RECURRING,
    )


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
    pages=[("/", {"ja": "今日の質問", "en": "Today's question"}), ("/admin", {"ja": "管理", "en": "Admin"})],
)
