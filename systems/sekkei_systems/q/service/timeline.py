"""The answers of those whom a user follows.

The document asks the whole day for what followees wrote; DynamoDB refuses that filter, and it would read everybody's
answers. Here every followee's answer is fetched by its key, so that the cost grows with whom one follows and not with
how many people use Q. Only while fewer people have answered than the viewer follows, the day is read and theirs are
picked out. Who may be read is asked only of those who have answered.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sekkei.design import Database
from sekkei.design.cursors import seal, unseal
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Answer, DailyQuestion, User, Visibility
from sekkei_systems.q.design.tables import answers
from sekkei_systems.q.rules.sight import Relation, reads_answers
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.open_question import OpenQuestion
from sekkei_systems.q.service.reactions import Reactions, Summary
from sekkei_systems.q.service.visibility import Visibility as Sight

PAGE = 20
PAGE_MAX = 50
FEW = 100
"""So many answers are one read by their keys anyway."""
MANY = 1_000
"""A day with more answers than this is not read, whoever asks."""
Position = tuple[bool, datetime, str]


@dataclass(frozen=True, slots=True)
class Entry:
    answer: Answer
    author: User
    reactions: Summary


@dataclass(frozen=True, slots=True)
class Timeline:
    question: DailyQuestion
    entries: list[Entry]
    total: int
    """How many answers there are for this viewer, on all pages."""
    cursor: str | None
    locked: bool
    """The viewer wants to answer first, and has not."""


def order(answer: Answer) -> Position:
    """On time first, then the earlier one; the id only settles ties."""
    return not answer.is_on_time, answer.created_at, answer.user_id


class Timelines:
    def __init__(self, db: Database, sight: Sight, question: OpenQuestion, reactions: Reactions) -> None:
        self._db = db
        self._sight = sight
        self._open = question
        self._reactions = reactions
        self._at_least: tuple[date, int] = (date.min, 0)
        """How many have answered on a day, as far as is known; it only grows."""

    async def show(self, member: Member, after: str | None = None, size: int = PAGE) -> Timeline:
        question = await self._open.get()
        apart = await self._sight.apart_from(member.id)
        found = await self.visible(member, question.day, apart)
        own = any(answer.user_id == member.id for answer, _ in found)
        if not own and self._sight.must_answer_first(member):
            return Timeline(question, [], len(found), None, locked=True)
        fingerprint = hashlib.sha256(f"timeline {member.id} {question.day}".encode()).digest()
        rest = found if after is None else _rest(found, unseal(after, fingerprint, self._db.secret))
        page = rest[: max(1, min(size, PAGE_MAX))]
        cursor = None
        if len(rest) > len(page):
            cursor = seal(_position(page[-1][0]), fingerprint, self._db.secret)
        summaries = await self._reactions.summaries(member.id, [answer for answer, _ in page], apart)
        entries = [Entry(answer, author, summary) for (answer, author), summary in zip(page, summaries, strict=True)]
        return Timeline(question, entries, len(found), cursor, locked=False)

    async def visible(self, member: Member, day: date, apart: frozenset[str]) -> list[tuple[Answer, User]]:
        """All answers of a day that a viewer may see, in order; their own among them."""
        who = member.id
        followees = [edge.followee_id async for edge in self._db.each(design.following(who).consistent())]
        theirs, own, muted = await asyncio.gather(
            self._answers_of(followees, day),
            self._db.get(answers(day, who).consistent()),
            self._sight.muted_by(who),
        )
        shown = [one for one in theirs if self._sight.is_shown(who, one) and one.user_id not in muted]
        found = await self._readable(who, shown, apart)
        if own is not None and self._sight.is_shown(who, own):
            found.append((own, member.user))
        return sorted(found, key=lambda pair: order(pair[0]))

    async def _answers_of(self, followees: Sequence[str], day: date) -> list[Answer]:
        known, count = self._at_least
        most = min(len(followees), MANY)
        if most > FEW and (known != day or count < most):
            # No more of the day is read than there are followees: not more than their keys would cost.
            page = await self._db.page(design.answers_of_day(day), size=most)
            if page.cursor is None:
                theirs = frozenset(followees)
                return [one for one in page if one.user_id in theirs]
            self._at_least = (day, len(page))
        found = await self._sight.get_many([answers(day, followee) for followee in followees])
        return [one for one in found if one is not None]

    async def _readable(self, who: str, shown: Sequence[Answer], apart: frozenset[str]) -> list[tuple[Answer, User]]:
        """Of answers of followees, those whose authors let the viewer read them."""
        authors = await self._sight.users(who, [answer.user_id for answer in shown])
        strict = [id for id, author in authors.items() if author.visibility_type is Visibility.MUTUAL]
        back = await self._sight.followers_among(who, strict)
        found = []
        for answer in shown:
            id = answer.user_id
            relation = Relation(follows=True, followed=id in back, blocked=id in apart)
            if id in authors and reads_answers(who, authors[id], relation):
                found.append((answer, authors[id]))
        return found


def _position(answer: Answer) -> dict[str, object]:
    return {"late": not answer.is_on_time, "at": answer.created_at.isoformat(), "by": answer.user_id}


def _rest(found: list[tuple[Answer, User]], after: dict[str, object]) -> list[tuple[Answer, User]]:
    start: Position = bool(after["late"]), datetime.fromisoformat(str(after["at"])), str(after["by"])
    return [pair for pair in found if order(pair[0]) > start]
