"""One reaction from each reader to each answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed, replace
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Answer, Reaction, ReactionType, User
from sekkei_systems.q.design.tables import reactions
from sekkei_systems.q.refusals import AnswerFirst, BadReaction, NoSuchAnswer
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.answers import Remembered, remembered
from sekkei_systems.q.service.sight import Sight

READ_MAX = 300
"""Reactions that are looked at for one answer; the count says so when there are more."""
_DIGEST_DAYS = 7
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


@dataclass
class Reactions:
    db: Database
    clock: Clock
    sight: Sight

    async def react(self, member: Member, day: date, author: str, kind: ReactionType) -> Summary:
        """Give one, or change it; only to what one may see."""
        answer, _ = await self.sight.answer(member, day, author)
        known = answer.reactors
        on_answer = known is not None and (member.id in known or len(known) < READ_MAX)
        now = days.now(self.clock)
        try:
            await self.db.transact(design.react(day, author, member.id, kind, now, on_answer=on_answer))
        except TransactionFailed as failed:
            raise NoSuchAnswer() from failed
        if known is not None and on_answer:
            answer = replace(answer, reactors={**known, member.id: kind.value})
        return (await self.summaries(member.id, [answer]))[0]

    async def take_back(self, member: Member, day: date, author: str) -> Summary:
        """Always, also from what one may no longer see; of that, one is shown nothing."""
        await self.end(day, author, member.id)
        try:
            answer, _ = await self.sight.answer(member, day, author)
        except (NoSuchAnswer, AnswerFirst):
            return Summary({}, None)
        return (await self.summaries(member.id, [answer]))[0]

    async def end(self, day: date, author: str, reactor: str) -> None:
        """Whatever has become of the answer."""
        try:
            await self.db.transact(design.remove_reaction(day, author, reactor))
        except TransactionFailed:  # the answer is gone, or of an older version
            await self.db.write(reactions.delete(day, author, reactor))

    async def of(self, member: Member, day: date, author: str) -> list[tuple[Reaction, User]]:
        """Who reacted, oldest first."""
        answer, _ = await self.sight.answer(member, day, author)
        found, _ = await self._read(answer)
        people = await self._shown_reactors(member.id, [one.reactor_id for one in found])
        pairs = [(one, people[one.reactor_id]) for one in found if one.reactor_id in people]
        return sorted(pairs, key=lambda pair: pair[0].created_at)

    async def digest(self, member: Member) -> Digest:
        """What came for one's answers of the last seven days."""
        return await self.digest_of(member.id)

    async def digest_of(self, who: str) -> Digest:
        until = days.today(self.clock)
        since = until - timedelta(days=_DIGEST_DAYS - 1)
        found = await self.db.all(design.answers_since(who, since))
        mine = [one for one in found if not one.is_deleted]
        summaries = await self.summaries(who, mine)
        total: Counter[ReactionType] = Counter()
        for one in summaries:
            total.update(one.counts)
        asked = await remembered(self.db, mine)
        answers = [(one, summary.counts) for one, summary in zip(asked, summaries, strict=True) if summary.counts]
        return Digest(since, until, total.total(), dict(total.most_common()), answers)

    async def summaries(self, viewer: str, to: Sequence[Answer], apart: frozenset[str] | None = None) -> list[Summary]:
        """Counts without those whom the viewer blocks or is blocked by, and without those who are not there."""
        lists = await asyncio.gather(*(self._given_to(answer) for answer in to))
        people = await self._shown_reactors(viewer, [id for given in lists for id in given], apart)
        summaries = []
        for given in lists:
            counts = Counter(kind for id, kind in given.items() if id in people)
            summaries.append(Summary(dict(counts), given.get(viewer), len(given) >= READ_MAX))
        return summaries

    async def _given_to(self, answer: Answer) -> dict[str, ReactionType]:
        """Who reacted, and how: from the answer, or for one of an older version from the reactions."""
        if answer.reactors is not None:
            return {id: ReactionType(kind) for id, kind in answer.reactors.items()}
        found, _ = await self._read(answer)
        return {one.reactor_id: one.reaction_type for one in found}

    async def _read(self, answer: Answer) -> tuple[list[Reaction], bool]:
        query = design.reactions_to(answer.day, answer.user_id).consistent()
        page = await self.db.page(query, size=READ_MAX)
        return list(page), page.cursor is not None

    async def _shown_reactors(
        self, viewer: str, found: Iterable[str], apart: frozenset[str] | None = None
    ) -> dict[str, User]:
        ids = list(dict.fromkeys(found))
        if not ids:
            return {}
        if apart is None:
            apart = await self.sight.apart_from(viewer)
        return {id: user for id, user in (await self.sight.users(viewer, ids)).items() if id not in apart}
