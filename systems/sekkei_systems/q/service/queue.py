"""All that waits for a moderator, of every kind, the oldest first: one place to begin."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

from sekkei.design import Database
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Answer, Decision, Report, ReportStatus, User
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.rules.profile import TEXTS
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.decisions import Decisions
from sekkei_systems.q.service.reports import concerned

PAGE = 50


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thing to decide, about one person."""

    kind: str
    """reports, answer, name, bio, picture, appeal or approval"""
    since: datetime
    user_id: str
    user: User | None = None
    text: str = ""
    count: int = 1
    day: str = ""
    decision: Decision | None = None


@dataclass
class Queue:
    db: Database
    decisions: Decisions

    async def show(self, by: Admin) -> list[Waiting]:
        """The oldest fifty of each kind. Reports about one person, their account or answers, are one matter."""
        told, flagged, profiles, appeals, approvals = await asyncio.gather(
            self.db.page(design.reports_with_status(ReportStatus.PENDING), size=PAGE),
            self.db.page(design.flagged_answers(), size=PAGE),
            self.db.page(design.profiles_to_review(), size=PAGE),
            self.decisions.waiting(by, "appeal"),
            self.decisions.waiting(by, "approval"),
        )
        found = [
            *_by_person(list(told)),
            *map(_answer, flagged),
            *(Waiting(one.part.value, one.since, one.user_id) for one in profiles),
            *(_decision("appeal", one) for one in appeals),
            *(_decision("approval", one) for one in approvals),
        ]
        return sorted(await self._with_people(found), key=lambda one: one.since)

    async def _with_people(self, found: list[Waiting]) -> list[Waiting]:
        ids = list(dict.fromkeys(one.user_id for one in found))
        people = {one.user_id: one for one in await self.db.get_many([users(id) for id in ids]) if one is not None}
        return [_shown(one, people.get(one.user_id)) for one in found]


def _by_person(found: list[Report]) -> list[Waiting]:
    by_person: dict[str, list[Report]] = {}
    for one in found:
        by_person.setdefault(concerned(one), []).append(one)
    return [
        Waiting("reports", some[0].created_at, who, text=some[0].seen_text or "", count=len(some))
        for who, some in by_person.items()
    ]


def _answer(one: Answer) -> Waiting:
    return Waiting("answer", one.created_at, one.user_id, text=one.text, day=one.day.isoformat())


def _decision(kind: str, one: Decision) -> Waiting:
    text = (one.appeal_text if kind == "appeal" else one.reason) or ""
    return Waiting(kind, one.since, one.user_id, text=text, decision=one)


def _shown(one: Waiting, user: User | None) -> Waiting:
    text = one.text
    texts = {part.value: found.field.name for part, found in TEXTS.items()}
    if user is not None and one.kind in texts:
        text = getattr(user, texts[one.kind]) or ""
    return Waiting(one.kind, one.since, one.user_id, user, text, one.count, one.day, one.decision)
