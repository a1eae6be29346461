"""The operations, by what they are about. Who may do what is decided here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.runtime.system import Context
from sekkei_systems.tasks.service.access import Access
from sekkei_systems.tasks.service.feeds import Feeds
from sekkei_systems.tasks.service.invitations import Invitations
from sekkei_systems.tasks.service.mail import MailBlocks
from sekkei_systems.tasks.service.notes import Notes
from sekkei_systems.tasks.service.people import People, Visitor
from sekkei_systems.tasks.service.tasks import Tasks
from sekkei_systems.tasks.service.teams import Teams

__all__ = [
    "Access",
    "Feeds",
    "Invitations",
    "MailBlocks",
    "Notes",
    "People",
    "Service",
    "Tasks",
    "Teams",
    "Visitor",
    "open_service",
]


@dataclass(frozen=True, slots=True)
class Service:
    access: Access
    people: People
    teams: Teams
    tasks: Tasks
    invitations: Invitations
    feeds: Feeds
    notes: Notes
    blocks: MailBlocks


def open_service(context: Context) -> Service:
    db, clock, jobs = context.db, context.clock, context.jobs
    access = Access(db)
    people = People(db, clock, jobs)
    blocks = MailBlocks(db, clock)
    teams = Teams(db, clock, jobs, access)
    secrets, url = context.settings.secrets, f"{context.settings.public_url}/tasks"
    key = secrets.key("tasks invitations")
    return Service(
        access=access,
        people=people,
        teams=teams,
        tasks=Tasks(db, clock, jobs, access),
        invitations=Invitations(db, clock, context.outbox, key, access, people, teams, blocks),
        feeds=Feeds(db, clock, secrets.key("tasks calendars"), access, url),
        notes=Notes(db),
        blocks=blocks,
    )
