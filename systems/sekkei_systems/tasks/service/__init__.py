"""The operations, by what they are about. Who may do what is decided here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sekkei.runtime.sealed_texts import SealedTexts
from sekkei.runtime.system import Context
from sekkei_systems.tasks.rules.hooks import allowed_by
from sekkei_systems.tasks.service.access import Access, Admin, Member
from sekkei_systems.tasks.service.comments import Comments
from sekkei_systems.tasks.service.feeds import Feeds
from sekkei_systems.tasks.service.flows import Flows
from sekkei_systems.tasks.service.hooks import HookLog, Hooks
from sekkei_systems.tasks.service.imports import Imports, ImportWork
from sekkei_systems.tasks.service.invitations import Invitations
from sekkei_systems.tasks.service.mail import Digest, MailBlocks
from sekkei_systems.tasks.service.notes import Notes
from sekkei_systems.tasks.service.numbers import Numbers
from sekkei_systems.tasks.service.people import People, Visitor
from sekkei_systems.tasks.service.plans import Plans, Recurrence
from sekkei_systems.tasks.service.quick import Quick
from sekkei_systems.tasks.service.search import Search
from sekkei_systems.tasks.service.subtasks import Subtasks
from sekkei_systems.tasks.service.tasks import Batches, Tasks, Trash
from sekkei_systems.tasks.service.teams import Tags, Teams
from sekkei_systems.tasks.service.views import Views

__all__ = [
    "Access",
    "Admin",
    "Batches",
    "Comments",
    "Digest",
    "Feeds",
    "Flows",
    "HookLog",
    "Hooks",
    "Imports",
    "Invitations",
    "MailBlocks",
    "Member",
    "Notes",
    "Numbers",
    "People",
    "Plans",
    "Quick",
    "Recurrence",
    "Search",
    "Service",
    "Tags",
    "Tasks",
    "Teams",
    "Trash",
    "Views",
    "Visitor",
    "open_service",
]


@dataclass(frozen=True, slots=True)
class Service:
    access: Access
    people: People
    teams: Teams
    tags: Tags
    tasks: Tasks
    comments: Comments
    trash: Trash
    batches: Batches
    numbers: Numbers
    quick: Quick
    plans: Plans
    recurrence: Recurrence
    flows: Flows
    views: Views
    invitations: Invitations
    feeds: Feeds
    notes: Notes
    blocks: MailBlocks
    digest: Digest
    hooks: Hooks
    hook_log: HookLog
    imports: Imports

    def parts(self) -> list[object]:
        return [getattr(self, each.name) for each in fields(self)]


def open_service(context: Context) -> Service:
    db, clock, jobs = context.db, context.clock, context.jobs
    secrets, url = context.settings.secrets, f"{context.settings.public_url}/tasks"
    access, blocks = Access(db), MailBlocks(db, clock)
    people, teams, numbers = People(db, clock, jobs), Teams(db, clock, jobs), Numbers(db, clock)
    subtasks = Subtasks(db, numbers)
    tasks = Tasks(db, clock, Search(db, numbers), numbers, subtasks)
    trash, tags = Trash(db, clock, tasks), Tags(db, clock, jobs)
    invited, sealed = secrets.signer("tasks invitations"), SealedTexts(*secrets.keys("tasks webhooks"))
    return Service(
        access=access,
        people=people,
        teams=teams,
        tags=tags,
        tasks=tasks,
        comments=Comments(db, clock),
        trash=trash,
        batches=Batches(db, clock, tasks, trash),
        numbers=numbers,
        quick=Quick(db, clock, tasks),
        plans=Plans(db, clock, tasks, numbers),
        recurrence=Recurrence(db, clock, tasks),
        flows=Flows(db, clock),
        views=Views(db, clock),
        invitations=Invitations(db, clock, context.outbox, invited, people, teams, blocks),
        feeds=Feeds(db, clock, secrets.signer("tasks calendars"), access, url),
        notes=Notes(db),
        blocks=blocks,
        digest=Digest(db, context.outbox, people, blocks, secrets.signer("tasks digest"), context.settings.public_url),
        hooks=Hooks(db, clock, jobs, context.outbox, sealed, context.settings.public_url, allowed_by(context.settings)),
        hook_log=HookLog(db, clock, sealed),
        imports=Imports(db, clock, jobs, tags, teams, ImportWork(db, clock, access, tasks, tags, teams)),
    )
