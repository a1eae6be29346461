"""Reading what the rules of `sight` need, for one author or for many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from sekkei.design import Database, Ref
from sekkei.runtime.settings import Settings
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Answer, User
from sekkei_systems.q.design.tables import answers, blocks, follows, users
from sekkei_systems.q.refusals import AnswerFirst, NoSuchAnswer, NoSuchUser
from sekkei_systems.q.rules.settings import is_first
from sekkei_systems.q.rules.sight import Relation, has_answered, is_present, is_shown, reads_answers, veiled
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.questions import OpenQuestion

M = TypeVar("M")
_KEYS_PER_BATCH = 100
BATCHES_AT_ONCE = 8


@dataclass
class Sight:
    """All of it is read consistently: a block or a ban holds from the moment it is answered."""

    db: Database
    settings: Settings
    question: OpenQuestion

    def __post_init__(self) -> None:
        self.answer_first = is_first(self.settings, "q_answer_first", "on", "off")
        """Whether the open question's answers are closed to those who have not answered it."""
        self.hides_flagged = is_first(self.settings, "q_flagged", "hide", "show")
        """Whether what holds a forbidden word waits, unseen, for a moderator to look at it."""

    def is_shown(self, viewer: str, answer: Answer | None) -> bool:
        return is_shown(viewer, answer, self.hides_flagged)

    def shown(self, viewer: str, user: User) -> User:
        """Somebody as this viewer sees them."""
        return veiled(viewer, user, self.hides_flagged)

    async def get_many(self, refs: Sequence[Ref[M]]) -> list[M | None]:
        """Any number of items, several batches at a time."""
        turn = asyncio.Semaphore(BATCHES_AT_ONCE)

        async def batch(start: int) -> list[M | None]:
            async with turn:
                return await self.db.get_many(refs[start : start + _KEYS_PER_BATCH])

        parts = await asyncio.gather(*(batch(start) for start in range(0, len(refs), _KEYS_PER_BATCH)))
        return [item for part in parts for item in part]

    async def relation(self, viewer: str, other: str) -> Relation:
        return (await self.relations(viewer, [other]))[other]

    async def relations(self, viewer: str, others: Sequence[str]) -> dict[str, Relation]:
        """How the viewer stands to each of them: both edges, and blocks both ways."""
        count = len(others)
        edges, barriers = await asyncio.gather(
            self.get_many(
                [follows(viewer, other).consistent() for other in others]
                + [follows(other, viewer).consistent() for other in others]
            ),
            self.get_many(
                [blocks(viewer, other).consistent() for other in others]
                + [blocks(other, viewer).consistent() for other in others]
            ),
        )
        return {
            other: Relation(
                follows=edges[at] is not None,
                followed=edges[count + at] is not None,
                blocks=barriers[at] is not None,
                blocked=barriers[count + at] is not None,
            )
            for at, other in enumerate(others)
        }

    async def apart_from(self, viewer: str) -> frozenset[str]:
        """Everybody whom the viewer blocks or is blocked by: few, so that two queries beat two reads for each author.

        The second is an index and may be a moment behind. That hides nothing from the one who is protected: a block
        ends both follows in its own transaction, and without a follow nothing is read.
        """
        mine, theirs = await asyncio.gather(
            self.db.all(design.blocked(viewer).consistent()), self.db.all(design.blockers_of(viewer))
        )
        return frozenset([*(one.blocked_id for one in mine), *(one.blocker_id for one in theirs)])

    async def muted_by(self, viewer: str) -> frozenset[str]:
        """Whom the viewer does not want in their timeline."""
        return frozenset(one.muted_id for one in await self.db.all(design.muted(viewer).consistent()))

    async def follows_among(self, pairs: Sequence[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Those of them of which the first follows the second."""
        found = await self.get_many([follows(*pair).consistent() for pair in pairs])
        return frozenset((edge.follower_id, edge.followee_id) for edge in found if edge is not None)

    async def users(self, viewer: str, ids: Sequence[str]) -> dict[str, User]:
        """Those of them that are there for others, by id, as the viewer sees them."""
        found = await self.get_many([users(id).consistent() for id in ids])
        return {user.user_id: self.shown(viewer, user) for user in found if user is not None and is_present(user)}

    async def person(self, viewer: str, other: str) -> tuple[User, Relation]:
        """Another user, unless there is none for this viewer: gone, suspended, leaving, or blocking them."""
        found, relation = await asyncio.gather(self.db.get(users(other).consistent()), self.relation(viewer, other))
        if found is None or (other != viewer and (not is_present(found) or relation.blocked)):
            raise NoSuchUser()
        return self.shown(viewer, found), relation

    async def author(self, viewer: str, author: str) -> User:
        """An author whose answers the viewer may read."""
        found, relation = await asyncio.gather(self.db.get(users(author).consistent()), self.relation(viewer, author))
        if found is None or not reads_answers(viewer, found, relation):
            raise NoSuchAnswer()
        return self.shown(viewer, found)

    def must_answer_first(self, member: Member) -> bool:
        """The operator's rule, or else the member's own wish."""
        return self.answer_first or member.user.answers_first

    async def closed_day(self, member: Member) -> date | None:
        """The open question's day, while others' answers to it are closed to this member."""
        question = await self.question.find() if self.must_answer_first(member) else None
        if question is None:
            return None
        own = await self.db.get(answers(question.day, member.id).consistent())
        return None if has_answered(own) else question.day

    async def answer(self, member: Member, day: date, author: str) -> tuple[Answer, User]:
        """One answer that the member may see, and its author. Why not is never said, but for one reason: that they
        have not answered yet, which they hear whether there is something to see or not.

        The answer is read first: one that is written when they may no longer read it is not shown."""
        found = await self.db.get(answers(day, author).consistent())
        by = await self.author(member.id, author)
        if author != member.id and day == await self.closed_day(member):
            raise AnswerFirst()
        if found is None or not self.is_shown(member.id, found):
            raise NoSuchAnswer()
        return found, by
