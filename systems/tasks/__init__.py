"""Team tasks: boards, tags, late work, counters and invitations on task-table-v3 and task-table-invitation-v3."""

from __future__ import annotations

from sekkei.runtime.system import Context, Parts, System
from systems.tasks import api, pages
from systems.tasks.demo import demo
from systems.tasks.design import design
from systems.tasks.jobs import RECURRING, TaskJobs
from systems.tasks.reactions import reactions_of
from systems.tasks.service import open_service


def build(context: Context) -> Parts:
    service = open_service(context)
    jobs = TaskJobs(context.db, context.clock, context.jobs)
    return Parts(
        service=service,
        routes=[*pages.routes(service, context), *api.routes(service, context)],
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
