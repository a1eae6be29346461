"""What users tell the operators: reports, and questions that they propose. And the devices that they hear from."""

from __future__ import annotations

import re
from datetime import date

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Contended, Database, TransactionFailed
from sekkei.runtime import days
from sekkei_systems.q import design, writing
from sekkei_systems.q.entities import push_tokens, question_votes, questions, unique_token
from sekkei_systems.q.models import (
    DeviceType,
    PushToken,
    Question,
    QuestionStatus,
    QuestionType,
    QuestionVote,
    Report,
    ReportCategory,
    Submission,
    TargetType,
)
from sekkei_systems.q.refusals import AlreadyReported, AlreadySubmitted, BadToken, NoSuchAnswer, NoSuchThing, Oneself
from sekkei_systems.q.service.access import Access
from sekkei_systems.q.service.visibility import Visibility as Sight
from sekkei_systems.q.service.words import ForbiddenWords

TOKEN_TRIES_MAX = 5
CANDIDATES = 30
_TOKEN = re.compile(
    r"Expo(?:nent)?PushToken\[[A-Za-z0-9_-]{1,100}\]|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
)


class Reports:
    def __init__(self, db: Database, clock: Clock, access: Access, sight: Sight) -> None:
        self._db = db
        self._clock = clock
        self._access = access
        self._sight = sight

    async def send(
        self, who: str, kind: TargetType, target: str, category: ReportCategory, description: str = ""
    ) -> Report:
        """Once for each target, and only what one can see."""
        await self._access.member(who)
        target = await self._must_see(who, kind, target)
        words = None
        if description.strip():
            words = writing.text_of(description, writing.DESCRIPTION_MAX, "description", lines=True)
        made = Report(
            report_id=self._clock.uuid(),
            reporter_id=who,
            target_type=kind,
            target_id=target,
            category=category,
            description=words,
            created_at=days.now(self._clock),
        )
        try:
            return await self._db.write(design.send_report(made))
        except ConditionFailed as failed:
            raise AlreadyReported() from failed

    async def _must_see(self, who: str, kind: TargetType, target: str) -> str:
        """The target in its one form: a day can be written in several, and each would be another target."""
        day, _, author = target.partition("#") if kind is TargetType.ANSWER else ("", "", target)
        if author == who:
            raise Oneself()
        if kind is TargetType.USER:
            await self._sight.person(who, target)
            return target
        try:
            asked = date.fromisoformat(day)
        except ValueError:
            raise NoSuchAnswer() from None
        await self._sight.answer(who, asked, author)
        return f"{asked}#{author}"


class Submissions:
    def __init__(self, db: Database, clock: Clock, access: Access, words: ForbiddenWords) -> None:
        self._db = db
        self._clock = clock
        self._access = access
        self._words = words

    async def submit(self, who: str, text: str) -> Question:
        """Propose a question, one a day."""
        await self._access.author(who)
        clean = writing.text_of(text, writing.QUESTION_MAX, "text")
        now = days.now(self._clock)
        question = Question(
            question_id=self._clock.uuid(),
            text=clean,
            type=QuestionType.USER,
            submitted_by=who,
            status=QuestionStatus.PENDING,
            is_flagged=await self._words.flags(clean),
            created_at=now,
            updated_at=now,
        )
        today = days.today(self._clock)
        given = Submission(day=today, user_id=who, question_id=question.question_id, created_at=now)
        try:
            await self._db.transact(design.submit_question(given, question))
        except TransactionFailed as failed:
            raise AlreadySubmitted() from failed
        return question

    async def mine(self, who: str) -> list[Question]:
        await self._access.member(who)
        page = await self._db.page(design.questions_by(who).backwards(), size=50)
        return list(page)

    # Votes

    async def candidates(self, who: str) -> list[tuple[Question, bool]]:
        """Proposals that wait to be asked, the most wanted first, and whether one has voted for each."""
        await self._access.member(who)
        page = await self._db.page(design.candidates(), size=CANDIDATES)
        mine = await self._db.get_many([question_votes(one.question_id, who).consistent() for one in page])
        found = list(zip(page, (vote is not None for vote in mine), strict=True))
        return sorted(found, key=lambda pair: (-pair[0].votes, pair[0].created_at))

    async def vote(self, who: str, question_id: str) -> Question:
        """Once; a second time changes nothing."""
        await self._access.member(who)
        given = QuestionVote(question_id=question_id, user_id=who, created_at=days.now(self._clock))
        transaction = design.vote(given)
        try:
            await self._db.transact(transaction)
        except TransactionFailed as failed:
            if not failed.failed(transaction.actions[0]):
                raise NoSuchThing() from failed
        return await self._db.need(questions(question_id).consistent())

    async def unvote(self, who: str, question_id: str) -> Question:
        await self._access.member(who)
        try:
            await self._db.transact(design.unvote(question_id, who))
        except TransactionFailed as failed:
            raise NoSuchThing() from failed
        return await self._db.need(questions(question_id).consistent())


class Devices:
    def __init__(self, db: Database, clock: Clock, access: Access) -> None:
        self._db = db
        self._clock = clock
        self._access = access

    async def register(self, who: str, token: str, kind: DeviceType) -> None:
        """A device belongs to whoever signed in on it last: it is taken from whom it was with before."""
        await self._access.member(who)
        if not _TOKEN.fullmatch(token):
            raise BadToken(field="token")
        now = days.now(self._clock)
        mine = PushToken(user_id=who, token=token, device_type=kind, created_at=now, updated_at=now)
        for _ in range(TOKEN_TRIES_MAX):
            holder = await self._db.holder(unique_token, PushToken.token == token)
            actions: list[Action[PushToken, object]] = [push_tokens.put(mine)]
            if holder is not None and holder.user_id != who:
                actions.append(push_tokens.delete(holder.user_id, token))
            try:
                await self._db.transact(*actions)
                return
            except TransactionFailed:
                continue  # somebody else registered the same device at this moment
        raise Contended("SK303", "The device is registered by several users at once.")

    async def forget(self, who: str, token: str) -> None:
        await self._access.member(who)
        try:
            await self._db.transact(push_tokens.delete(who, token).must_exist())
        except TransactionFailed as failed:
            raise NoSuchThing() from failed
