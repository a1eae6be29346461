"""The answers of those whom a user follows.

The document asks the whole day for what followees wrote; DynamoDB refuses that filter, and it would read everybody's
answers. Here every followee's answer is fetched by its key, so that the cost grows with whom one follows and not with
how many people use Q. Only while fewer people have answered than the viewer follows, the day is read and theirs are
picked out. Who may be read is asked only of those who have answered, a hundred at a time and in the timeline's order,
until there is a page of them.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from sekkei.design import Database
from sekkei.design.reading import seal, unseal
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Answer, DailyQuestion, User, Visibility
from sekkei_systems.q.design.tables import answers
from sekkei_systems.q.rules.sight import Relation, reads_answers
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.questions import OpenQuestion
from sekkei_systems.q.service.reactions import Reactions, Summary
from sekkei_systems.q.service.sight import Sight

PAGE = 20
PAGE_MAX = 50
FEW = 100
"""So many answers are one read by their keys anyway."""
MANY = 1_000
"""A day with more answers than this is not read, whoever asks."""
JUDGED_AT_ONCE = 100
"""Authors of whom it is asked at once whether the viewer may read them: one read by their keys."""
_Position = tuple[bool, datetime, str]


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
    """How many answers there are for this viewer, on all pages, as far as they were looked at."""
    more: bool
    """There are further ones, which nobody has counted."""
    cursor: str | None
    locked: bool
    """The viewer wants to answer first, and has not."""


def order(answer: Answer) -> _Position:
    """On time first, then the earlier one; the id only settles ties."""
    return not answer.is_on_time, answer.created_at, answer.user_id


@dataclass
class Timelines:
    db: Database
    sight: Sight
    question: OpenQuestion
    reactions: Reactions
    _at_least: tuple[date, int] = field(init=False, default=(date.min, 0))
    """How many have answered on a day, as far as is known; it only grows."""

    async def show(self, member: Member, after: str | None = None, size: int = PAGE) -> Timeline:
        question = await self.question.get()
        apart, answered = await asyncio.gather(self.sight.apart_from(member.id), self._answered(member, question.day))
        fingerprint = hashlib.sha256(f"timeline {member.id} {question.day}".encode()).digest()
        before, rest = 0, answered
        if after is not None:
            before, rest = _rest(answered, unseal(after, fingerprint, self.db.secret))
        size = max(1, min(size, PAGE_MAX))
        found, more = await self._readable(member, rest, apart, size)
        if self.sight.must_answer_first(member) and all(one.user_id != member.id for one in answered):
            return Timeline(question, [], len(found), more, None, locked=True)
        page = found[:size]
        cursor = None
        if len(found) > size:
            cursor = seal(_position(page[-1][0], before + size), fingerprint, self.db.secret)
        entries = await self._entries(member.id, page, apart)
        return Timeline(question, entries, before + len(found), more, cursor, locked=False)

    async def _entries(self, who: str, page: Sequence[tuple[Answer, User]], apart: frozenset[str]) -> list[Entry]:
        """Whom the viewer follows is asked once more, after the authors: to somebody whose follow has ended meanwhile
        an author may have opened their answers in the belief that they are no longer among the readers."""
        summaries, still = await asyncio.gather(
            self.reactions.summaries(who, [answer for answer, _ in page], apart),
            self.sight.follows_among([(who, author.user_id) for _, author in page if author.user_id != who]),
        )
        return [
            Entry(answer, author, summary)
            for (answer, author), summary in zip(page, summaries, strict=True)
            if author.user_id == who or (who, author.user_id) in still
        ]

    async def _answered(self, member: Member, day: date) -> list[Answer]:
        """What the viewer and those whom they follow and do not mute have answered, in order."""
        who = member.id
        followees = [edge.followee_id async for edge in self.db.each(design.following(who).consistent())]
        theirs, own, muted = await asyncio.gather(
            self._answers_of(followees, day),
            self.db.get(answers(day, who).consistent()),
            self.sight.muted_by(who),
        )
        found = [one for one in theirs if one.user_id not in muted] + [own]
        return sorted((one for one in found if one is not None and self.sight.is_shown(who, one)), key=order)

    async def _answers_of(self, followees: Sequence[str], day: date) -> list[Answer]:
        known, count = self._at_least
        most = min(len(followees), MANY)
        if most > FEW and (known != day or count < most):
            # No more of the day is read than there are followees: not more than their keys would cost.
            page = await self.db.page(design.answers_of_day(day), size=most)
            if page.cursor is None:
                theirs = frozenset(followees)
                return [one for one in page if one.user_id in theirs]
            self._at_least = (day, len(page))
        found = await self.sight.get_many([answers(day, followee) for followee in followees])
        return [one for one in found if one is not None]

    async def _readable(
        self, member: Member, answered: Sequence[Answer], apart: frozenset[str], wanted: int
    ) -> tuple[list[tuple[Answer, User]], bool]:
        """Those whose authors let the viewer read them: all, or more than are wanted and whether others are left."""
        found: list[tuple[Answer, User]] = []
        for at in range(0, len(answered), JUDGED_AT_ONCE):
            found += await self._judged(member, answered[at : at + JUDGED_AT_ONCE], apart)
            if len(found) > wanted:
                return found, at + JUDGED_AT_ONCE < len(answered)
        return found, False

    async def _judged(self, member: Member, some: Sequence[Answer], apart: frozenset[str]) -> list[tuple[Answer, User]]:
        who = member.id
        authors = await self.sight.users(who, [one.user_id for one in some if one.user_id != who])
        strict = [id for id, author in authors.items() if author.visibility_type is Visibility.MUTUAL]
        back = await self.sight.follows_among([(id, who) for id in strict])
        authors[who] = member.user
        found = []
        for answer in some:
            id = answer.user_id
            relation = Relation(follows=True, followed=(id, who) in back, blocked=id in apart)
            if id in authors and reads_answers(who, authors[id], relation):
                found.append((answer, authors[id]))
        return found


def _position(answer: Answer, shown: int) -> dict[str, object]:
    at = answer.created_at.isoformat()
    return {"late": not answer.is_on_time, "at": at, "by": answer.user_id, "shown": shown}


def _rest(answered: list[Answer], after: dict[str, object]) -> tuple[int, list[Answer]]:
    """How many were on the pages before, and what comes after them."""
    start: _Position = bool(after["late"]), datetime.fromisoformat(str(after["at"])), str(after["by"])
    return int(str(after.get("shown", 0))), [one for one in answered if order(one) > start]
