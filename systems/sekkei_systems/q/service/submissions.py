"""Questions that users propose, one a day, and the votes for those that wait to be asked."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import (
    Question,
    QuestionStatus,
    QuestionType,
    QuestionVote,
    Submission,
)
from sekkei_systems.q.design.tables import question_votes, questions
from sekkei_systems.q.refusals import AlreadySubmitted, NoSuchThing
from sekkei_systems.q.rules import writing
from sekkei_systems.q.service.access import Author, Member
from sekkei_systems.q.service.words import ForbiddenWords

CANDIDATES = 30


@dataclass
class Submissions:
    db: Database
    clock: Clock
    words: ForbiddenWords

    async def submit(self, author: Author, text: str) -> Question:
        """Propose a question, one a day."""
        clean = writing.text_of(text, writing.QUESTION_MAX, "text")
        now = days.now(self.clock)
        question = Question(
            question_id=self.clock.uuid(),
            text=clean,
            type=QuestionType.USER,
            submitted_by=author.id,
            status=QuestionStatus.PENDING,
            is_flagged=await self.words.flags(clean),
            created_at=now,
            updated_at=now,
        )
        today = days.today(self.clock)
        given = Submission(day=today, user_id=author.id, question_id=question.question_id, created_at=now)
        try:
            await self.db.transact(design.submit_question(given, question))
        except TransactionFailed as failed:
            raise AlreadySubmitted() from failed
        return question

    async def mine(self, member: Member) -> list[Question]:
        page = await self.db.page(design.questions_by(member.id).backwards(), size=50)
        return list(page)

    # Votes

    async def candidates(self, member: Member) -> list[tuple[Question, bool]]:
        """Proposals that wait to be asked, the most wanted first, and whether one has voted for each."""
        page = await self.db.page(design.candidates(), size=CANDIDATES)
        mine = await self.db.get_many([question_votes(one.question_id, member.id).consistent() for one in page])
        found = list(zip(page, (vote is not None for vote in mine), strict=True))
        return sorted(found, key=lambda pair: (-pair[0].votes, pair[0].created_at))

    async def vote(self, member: Member, question_id: str) -> Question:
        """Once; a second time changes nothing."""
        given = QuestionVote(question_id=question_id, user_id=member.id, created_at=days.now(self.clock))
        transaction = design.vote(given)
        try:
            await self.db.transact(transaction)
        except TransactionFailed as failed:
            if not failed.failed(transaction.actions[0]):
                raise NoSuchThing() from failed
        return await self.db.need(questions(question_id).consistent())

    async def unvote(self, member: Member, question_id: str) -> Question:
        try:
            await self.db.transact(design.unvote(question_id, member.id))
        except TransactionFailed as failed:
            raise NoSuchThing() from failed
        return await self.db.need(questions(question_id).consistent())
