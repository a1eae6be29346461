"""One reaction from each reader to each answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Answer, Reaction, ReactionType, User
from sekkei_systems.q.refusals import AnswerFirst, BadReaction, NoSuchAnswer
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.answers import Remembered, remembered
from sekkei_systems.q.service.visibility import Visibility as Sight

READ_MAX = 300
"""Reactions that are looked at for one answer; the count says so when there are more."""
DIGEST_DAYS = 7
_HEARTS = {"❤": ReactionType.HEART}


def reaction_of(text: str) -> ReactionType:
    """The heart is written with and without the sign that makes it red; it is one reaction."""
    try:
        return _HEARTS.get(text) or ReactionType(text)
    except ValueError:
        raise BadReaction(field="reaction") from None


@dataclass(frozen=True, slots=True)
class Summary:
    counts: Mapping[ReactionType, int]
    mine: ReactionType | None
    more: bool = False
    """There are more than were counted."""


@dataclass(frozen=True, slots=True)
class Digest:
    since: date
    until: date
    total: int
    counts: Mapping[ReactionType, int]
    answers: Sequence[tuple[Remembered, Mapping[ReactionType, int]]]


class Reactions:
    def __init__(self, db: Database, clock: Clock, sight: Sight) -> None:
        self._db = db
        self._clock = clock
        self._sight = sight

    async def react(self, member: Member, day: date, author: str, kind: ReactionType) -> Summary:
        """Give one, or change it; only to what one may see."""
        answer, _ = await self._sight.answer(member, day, author)
        try:
            await self._db.transact(design.react(day, author, member.id, kind, days.now(self._clock)))
        except TransactionFailed as failed:
            raise NoSuchAnswer() from failed
        return (await self.summaries(member.id, [answer]))[0]

    async def take_back(self, member: Member, day: date, author: str) -> Summary:
        """Always, also from what one may no longer see; of that, one is shown nothing."""
        await self._db.write(design.remove_reaction(day, author, member.id))
        try:
            answer, _ = await self._sight.answer(member, day, author)
        except (NoSuchAnswer, AnswerFirst):
            return Summary({}, None)
        return (await self.summaries(member.id, [answer]))[0]

    async def of(self, member: Member, day: date, author: str) -> list[tuple[Reaction, User]]:
        """Who reacted, oldest first."""
        answer, _ = await self._sight.answer(member, day, author)
        found, _ = await self._read(answer)
        people = await self._shown_reactors(member.id, found)
        pairs = [(one, people[one.reactor_id]) for one in found if one.reactor_id in people]
        return sorted(pairs, key=lambda pair: pair[0].created_at)

    async def digest(self, member: Member) -> Digest:
        """What came for one's answers of the last seven days."""
        return await self.digest_of(member.id)

    async def digest_of(self, who: str) -> Digest:
        until = days.today(self._clock)
        since = until - timedelta(days=DIGEST_DAYS - 1)
        found = await self._db.all(design.answers_since(who, since))
        mine = [one for one in found if not one.is_deleted]
        summaries = await self.summaries(who, mine)
        total: Counter[ReactionType] = Counter()
        for one in summaries:
            total.update(one.counts)
        asked = await remembered(self._db, mine)
        answers = [(one, summary.counts) for one, summary in zip(asked, summaries, strict=True) if summary.counts]
        return Digest(since, until, total.total(), dict(total.most_common()), answers)

    async def summaries(self, viewer: str, to: Sequence[Answer]) -> list[Summary]:
        """Counts without those whom the viewer blocks or is blocked by, and without those who are not there."""
        lists = await asyncio.gather(*(self._read(answer) for answer in to))
        people = await self._shown_reactors(viewer, [one for found, _ in lists for one in found])
        summaries = []
        for found, more in lists:
            counts = Counter(one.reaction_type for one in found if one.reactor_id in people)
            mine = next((one.reaction_type for one in found if one.reactor_id == viewer), None)
            summaries.append(Summary(dict(counts), mine, more))
        return summaries

    async def _read(self, answer: Answer) -> tuple[list[Reaction], bool]:
        query = design.reactions_to(answer.day, answer.user_id).consistent()
        page = await self._db.page(query, size=READ_MAX)
        return list(page), page.cursor is not None

    async def _shown_reactors(self, viewer: str, found: Sequence[Reaction]) -> dict[str, User]:
        ids = list(dict.fromkeys(one.reactor_id for one in found))
        people, apart = await asyncio.gather(self._sight.users(ids), self._sight.apart_from(viewer))
        return {id: user for id, user in people.items() if id not in apart}
