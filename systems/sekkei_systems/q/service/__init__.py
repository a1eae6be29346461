"""The operations, by what they are about. Who may do what is decided here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.web.identity.accounts import Accounts
from sekkei_systems.q.service.access import Access
from sekkei_systems.q.service.answers import Answers, Erasing
from sekkei_systems.q.service.cases import Profiles, Queue, Reports
from sekkei_systems.q.service.decisions import Decisions
from sekkei_systems.q.service.finding import Contacts, Invites, Suggestions
from sekkei_systems.q.service.following import Following
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.moderation import Moderation
from sekkei_systems.q.service.notices import Devices, Inbox, Notices
from sekkei_systems.q.service.numbers import Numbers
from sekkei_systems.q.service.people import Leaving, People
from sekkei_systems.q.service.questions import Editing, OpenQuestion, Planning, Submissions
from sekkei_systems.q.service.reactions import Reactions
from sekkei_systems.q.service.sanctions import Sanctions
from sekkei_systems.q.service.sight import Sight
from sekkei_systems.q.service.timeline import Timelines
from sekkei_systems.q.service.words import ForbiddenWords


@dataclass(frozen=True, slots=True)
class Service:
    access: Access
    sight: Sight
    question: OpenQuestion
    people: People
    following: Following
    suggestions: Suggestions
    invites: Invites
    contacts: Contacts
    answers: Answers
    timelines: Timelines
    reactions: Reactions
    reports: Reports
    submissions: Submissions
    devices: Devices
    notices: Notices
    leaving: Leaving
    erasing: Erasing
    planning: Planning
    editing: Editing
    moderation: Moderation
    decisions: Decisions
    sanctions: Sanctions
    profiles: Profiles
    queue: Queue
    inbox: Inbox
    numbers: Numbers
    accounts: Accounts
    """Who can sign in: the house's, not Q.'s own."""
    logs: Logs
    words: ForbiddenWords
