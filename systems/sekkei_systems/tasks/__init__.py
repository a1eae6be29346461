"""Team tasks: boards, tags, late work, counters and invitations on task-table-v3 and task-table-invitation-v3."""

from __future__ import annotations

from sekkei.runtime.system import Context, Parts, System
from sekkei_systems.tasks import api, pages
from sekkei_systems.tasks.demo import demo
from sekkei_systems.tasks.design import design
from sekkei_systems.tasks.jobs import RECURRING, TaskJobs
from sekkei_systems.tasks.reactions import reactions_of
from sekkei_systems.tasks.service import open_service
from sekkei_systems.tasks.service.digest import Digest
from sekkei_systems.tasks.webhooks import mail_events


def build(context: Context) -> Parts:
    service = open_service(context)
    key = context.settings.secrets.key("tasks digest")
    digest = Digest(context.db, context.outbox, service.people, service.blocks, key, context.settings.public_url)
    jobs = TaskJobs(context.db, context.clock, context.jobs, digest)
    return Parts(
        service=service,
        routes=[
            *pages.routes(service, context, digest),
            *api.routes(service, context),
            *mail_events.routes(service.blocks, context),
        ],
        reactions=[reactions_of(context, service.invitations)],
        jobs=jobs.definitions(),
        scheduled=jobs.scheduled(),
        recurring=RECURRING,
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
    pages=[("/", {"ja": "マイワークとチーム", "en": "My work and teams"}), ("/docs", {"ja": "API", "en": "API"})],
)
