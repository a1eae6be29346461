"""The operations, by what they are about. Who may do what is decided here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sekkei.runtime.settings import Settings
from sekkei.runtime.system import Context
from sekkei.runtime.transports.web_push import vapid_of
from sekkei.web.identity.accounts import Accounts
from sekkei.web.identity.design import design as web_design
from sekkei_systems.q.rules.terms import terms_of
from sekkei_systems.q.rules.times import window_of
from sekkei_systems.q.service.access import Access
from sekkei_systems.q.service.answers import Answers
from sekkei_systems.q.service.cases import Cases
from sekkei_systems.q.service.contacts import Contacts
from sekkei_systems.q.service.decisions import Decisions
from sekkei_systems.q.service.devices import Devices
from sekkei_systems.q.service.editing import Editing
from sekkei_systems.q.service.erasing import Erasing
from sekkei_systems.q.service.graph import Graph
from sekkei_systems.q.service.inbox import Inbox
from sekkei_systems.q.service.invites import Invites
from sekkei_systems.q.service.leaving import Leaving
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.moderation import Moderation
from sekkei_systems.q.service.notices import Notices
from sekkei_systems.q.service.numbers import Numbers
from sekkei_systems.q.service.open_question import OpenQuestion
from sekkei_systems.q.service.people import People
from sekkei_systems.q.service.planning import Planning
from sekkei_systems.q.service.profiles import Profiles
from sekkei_systems.q.service.queue import Queue
from sekkei_systems.q.service.reactions import Reactions
from sekkei_systems.q.service.reports import Reports
from sekkei_systems.q.service.sanctions import Sanctions
from sekkei_systems.q.service.submissions import Submissions
from sekkei_systems.q.service.suggestions import Suggestions
from sekkei_systems.q.service.timeline import Timelines
from sekkei_systems.q.service.visibility import Visibility
from sekkei_systems.q.service.words import ForbiddenWords

__all__ = ["Service", "open_service"]


@dataclass(frozen=True, slots=True)
class Service:
    access: Access
    sight: Visibility
    question: OpenQuestion
    people: People
    graph: Graph
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

    @property
    def nouns(self) -> list[object]:
        """Its parts, for handlers that ask for them by type."""
        return [getattr(self, each.name) for each in fields(self)]


def hides_flagged(settings: Settings) -> bool:
    """SEKKEI_Q_FLAGGED: `hide` what holds a forbidden word until it was looked at, or `show` it meanwhile."""
    wanted = settings.get("q_flagged") or "hide"
    if wanted not in ("hide", "show"):
        raise ValueError(f"SEKKEI_Q_FLAGGED is hide or show, not {wanted!r}.")
    return wanted == "hide"


def reviews_pictures(settings: Settings) -> bool:
    """SEKKEI_Q_PICTURES: `show` new pictures at once, or `hide` them until somebody has looked."""
    wanted = settings.get("q_pictures") or "show"
    if wanted not in ("hide", "show"):
        raise ValueError(f"SEKKEI_Q_PICTURES is hide or show, not {wanted!r}.")
    return wanted == "hide"


def answers_first(settings: Settings) -> bool:
    """SEKKEI_Q_ANSWER_FIRST: `on`, so that today's answers of others open with one's own, or `off`."""
    wanted = settings.get("q_answer_first") or "on"
    if wanted not in ("on", "off"):
        raise ValueError(f"SEKKEI_Q_ANSWER_FIRST is on or off, not {wanted!r}.")
    return wanted == "on"


def open_service(context: Context) -> Service:
    db, clock = context.db, context.clock
    terms = terms_of(context.settings)
    access, words, question = Access(db, clock, terms), ForbiddenWords(db, clock), OpenQuestion(db, clock)
    hides, first = hides_flagged(context.settings), answers_first(context.settings)
    sight = Visibility(db, question, hides_flagged=hides, answer_first=first)
    logs = Logs(db, clock)
    settings = context.settings
    web = web_design.open(context.store, env=settings.env, secret=settings.secrets.key("cursors"), clock=clock)
    accounts = Accounts(web, clock, settings.secrets, live=context.live)
    erasing = Erasing(db, clock, context.schedules)
    answers = Answers(db, clock, question, sight, words, erasing)
    reactions = Reactions(db, clock, sight)
    planning = Planning(db, clock, context.jobs, window_of(context.settings.get("q_publish_window")))
    graph = Graph(db, clock, sight)
    vapid = vapid_of(settings, clock)
    decisions = Decisions(db, clock)
    cases = Cases(db, clock, logs, decisions)
    sanctions = Sanctions(db, clock, logs, accounts, context.jobs, context.schedules, decisions, cases)
    moderation = Moderation(db, clock, logs, words, decisions, sanctions, erasing, cases)
    return Service(
        access=access,
        sight=sight,
        question=question,
        people=People(
            db, clock, sight, graph, words, settings.secrets.signer("q-banned"), reviews_pictures(settings), terms
        ),
        graph=graph,
        suggestions=Suggestions(db, clock, sight, graph),
        invites=Invites(db, clock, sight, settings.secrets.signer("q-invites")),
        contacts=Contacts(db, clock, graph, settings.secrets.signer("q-contacts")),
        answers=answers,
        timelines=Timelines(db, sight, question, reactions),
        reactions=reactions,
        reports=Reports(db, clock, sight),
        submissions=Submissions(db, clock, words),
        devices=Devices(db, clock, context.outbox, vapid.public if vapid else None, settings.get("push_hosts")),
        notices=Notices(db, clock, context.outbox),
        leaving=Leaving(db, clock, context.schedules),
        erasing=erasing,
        planning=planning,
        editing=Editing(db, clock, logs, planning),
        moderation=moderation,
        decisions=decisions,
        sanctions=sanctions,
        profiles=Profiles(db, clock, logs, decisions, cases),
        queue=Queue(db, decisions),
        inbox=Inbox(db, clock, sight),
        numbers=Numbers(db, clock),
        accounts=accounts,
        logs=logs,
        words=words,
    )
