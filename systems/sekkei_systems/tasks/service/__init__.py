"""The operations, by what they are about. Who may do what is decided here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei_systems.tasks.service.access import Access
from sekkei_systems.tasks.service.comments import Comments
from sekkei_systems.tasks.service.feeds import Feeds
from sekkei_systems.tasks.service.flows import Flows
from sekkei_systems.tasks.service.hooks import HookLog, Hooks
from sekkei_systems.tasks.service.imports import Imports
from sekkei_systems.tasks.service.invitations import Invitations
from sekkei_systems.tasks.service.mail import Digest, MailBlocks
from sekkei_systems.tasks.service.notes import Notes
from sekkei_systems.tasks.service.numbers import Numbers
from sekkei_systems.tasks.service.people import People
from sekkei_systems.tasks.service.plans import Plans, Recurrence
from sekkei_systems.tasks.service.quick import Quick
from sekkei_systems.tasks.service.tasks import Batches, Tasks, Trash
from sekkei_systems.tasks.service.teams import Tags, Teams
from sekkei_systems.tasks.service.views import Views


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
