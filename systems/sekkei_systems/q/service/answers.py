"""Answering the question that is open now, looking back, and taking an answer away."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, Page, TransactionFailed
from sekkei.runtime.jobs import Payload
from sekkei.runtime.schedules import Schedules
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Answer, AppealState, DailyQuestion, User
from sekkei_systems.q.design.tables import answers, daily_questions
from sekkei_systems.q.refusals import AlreadyAnswered, NoQuestion, NoSuchAnswer, QuestionClosed, TakenDown, UndoOver
from sekkei_systems.q.rules import times, writing
from sekkei_systems.q.service.access import Author, Member
from sekkei_systems.q.service.questions import OpenQuestion
from sekkei_systems.q.service.sight import Sight
from sekkei_systems.q.service.words import ForbiddenWords

# What was deleted is really gone: the words of an answer go when it can no longer be brought back.
#
# An author can undo a deletion for half an hour, and somebody whose answer was taken down has a month to appeal; while
# an appeal is open, the words stay. That there was an answer stays, without its words: there is no second one for that
# day.


ERASE = "erase-answer"
APPEALED_WITHIN = timedelta(days=30)
_UNTIL_DECIDED = timedelta(days=1)
"""While an appeal is open, it is looked at again every day."""
ERASED = ""


def erasing_of(day: date, user_id: str) -> str:
    return f"q/erase/{day}/{user_id}"


@dataclass
class Erasing:
    db: Database
    clock: Clock
    schedules: Schedules

    async def later(self, day: date, user_id: str, after: timedelta) -> None:
        at = days.now(self.clock) + after + timedelta(minutes=1)
        payload = {"day": day.isoformat(), "user_id": user_id}
        await self.schedules.put(erasing_of(day, user_id), ERASE, payload, at=at)

    async def erase(self, payload: Payload) -> None:
        """Only what is still deleted, and has been for long enough: it may have come back and gone again."""
        day, user_id = date.fromisoformat(payload["day"]), payload["user_id"]
        found = await self.db.get(answers(day, user_id).consistent())
        if found is None or not found.is_deleted or found.deleted_at is None:
            return
        wait = APPEALED_WITHIN if found.deleted_by_admin else times.UNDO
        if found.deleted_at > days.now(self.clock) - wait:
            return  # the schedule of that deletion comes later
        if found.deleted_by_admin and await self._is_appealed(day, user_id):
            await self.later(day, user_id, _UNTIL_DECIDED)
            return
        update = answers.update(day, user_id).set(Answer.text, ERASED)
        try:
            await self.db.write(update.when(Answer.is_deleted.is_(True), Answer.deleted_at == found.deleted_at))
        except ConditionFailed:
            pass  # brought back at this moment

    async def _is_appealed(self, day: date, user_id: str) -> bool:
        """Whoever decides about an appeal reads what it is about, and may bring it back."""
        found = await self.db.all(design.decisions_about(user_id).consistent())
        return any(one.appeal is AppealState.OPEN and one.target == day.isoformat() for one in found)


def restored(day: date, author: str) -> Action[Any, Any]:
    """What moderators took down is there again."""
    update = answers.update(day, author).set(Answer.is_deleted, False).set(Answer.deleted_by_admin, False)
    return update.set(Answer.deleted_at, None).when(Answer.deleted_by_admin.is_(True))


_STREAK_PAGE = 100
STREAK_MAX = 1_000
_HISTORY_PAGE = 20


@dataclass(frozen=True, slots=True)
class Today:
    question: DailyQuestion
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Remembered:
    """An answer with the question that it answers."""

    answer: Answer
    question_text: str


@dataclass(frozen=True, slots=True)
class LookBack:
    streak: int
    year_ago: Remembered | None


async def remembered(db: Database, found: Sequence[Answer]) -> list[Remembered]:
    """Answers with the questions of their days."""
    questions = await db.get_many([daily_questions(one.day) for one in found])
    texts = {one.day: one.question_text for one in questions if one is not None}
    return [Remembered(one, texts.get(one.day, "")) for one in found]


@dataclass
class Answers:
    db: Database
    clock: Clock
    question: OpenQuestion
    sight: Sight
    words: ForbiddenWords
    erasing: Erasing

    async def today(self, member: Member) -> Today:
        question = await self.question.get()
        return Today(question, await self.db.get(answers(question.day, member.id).consistent()))

    async def answer(self, author: Author, text: str, day: date | None = None) -> Answer:
        """Answer the open question, once. `day` says which question was on the screen."""
        clean = writing.text_of(text, writing.ANSWER_MAX, "text")
        question = await self.question.get()
        if day is not None and day != question.day:
            raise QuestionClosed()
        assert question.published_at is not None
        now = days.now(self.clock)
        late = times.lateness(question.published_at, now)
        made = Answer(
            day=question.day,
            user_id=author.id,
            question_id=question.question_id,
            text=clean,
            is_on_time=late == 0,
            late_minutes=late,
            is_flagged=await self.words.flags(clean),
            created_at=now,
            reactors={},
        )
        try:
            return await self.db.write(design.post_answer(made).known_by(Answer.created_at))
        except ConditionFailed as failed:
            raise AlreadyAnswered() from failed

    async def delete(self, member: Member, day: date) -> Answer:
        """Hidden from everybody. There is no second answer, but for a while it can be taken back."""
        update = (
            answers.update(day, member.id).set(Answer.is_deleted, True).set(Answer.deleted_at, days.now(self.clock))
        )
        # A transaction, for its token: when the word of a change is lost, the second try is not taken for a late one.
        try:
            await self.db.transact(update.when(Answer.is_deleted.is_(False)))
        except TransactionFailed as failed:
            raise NoSuchAnswer() from failed
        await self.erasing.later(day, member.id, times.UNDO)
        return await self.db.need(answers(day, member.id).consistent())

    async def restore(self, member: Member, day: date) -> Answer:
        since = days.now(self.clock) - times.UNDO
        update = answers.update(day, member.id).set(Answer.is_deleted, False).set(Answer.deleted_at, None)
        update = update.when(
            Answer.is_deleted.is_(True), Answer.deleted_by_admin.is_(False), Answer.deleted_at >= since
        )
        try:
            await self.db.transact(update)
        except TransactionFailed as failed:
            old = failed.old(update)
            if old is None or not old.is_deleted:
                raise NoSuchAnswer() from failed
            raise (TakenDown() if old.deleted_by_admin else UndoOver()) from failed
        return await self.db.need(answers(day, member.id).consistent())

    async def show(self, member: Member, day: date, author: str) -> tuple[Answer, User, str]:
        """One answer, its author, and the question."""
        answer, by = await self.sight.answer(member, day, author)
        return answer, by, (await remembered(self.db, [answer]))[0].question_text

    # Looking back

    async def history(self, member: Member, author: str, after: str | None = None) -> Page[Remembered]:
        """Newest first. One's own has everything in it, what was deleted too."""
        query = design.answers_of_user(author)
        if member.id != author:
            await self.sight.author(member.id, author)
            query = query.filter(Answer.is_deleted.is_(False))
            if self.sight.hides_flagged:
                query = query.filter(Answer.is_flagged.is_(False))
        page = await self.db.page(query, size=_HISTORY_PAGE, after=after)
        closed = None if member.id == author else await self.sight.closed_day(member)
        shown = [one for one in page if one.day != closed]
        return Page(await remembered(self.db, shown), page.cursor)

    async def look_back(self, member: Member) -> LookBack:
        """Days in a row, and what one said a year ago."""
        try:
            day = (await self.question.get()).day
        except NoQuestion:
            day = days.today(self.clock)
        count, before = await asyncio.gather(
            self._streak(member.id, day), self.db.get(answers(times.year_before(day), member.id))
        )
        shown = [before] if before is not None and not before.is_deleted else []
        return LookBack(count, next(iter(await remembered(self.db, shown)), None))

    async def _streak(self, who: str, day: date) -> int:
        """Days in a row with an answer, up to the open question or, while that is unanswered, the one before."""
        answered: list[date] = []
        # The newest from the table itself: the index may not have it yet.
        latest = await self.db.get(answers(day, who).consistent())
        if latest is not None and not latest.is_deleted:
            answered.append(day)
        async for one in self.db.each(design.answers_of_user(who).page_of(_STREAK_PAGE)):
            if one.day >= day or one.is_deleted:
                continue
            if (answered[-1] if answered else day) - one.day > timedelta(days=1) or len(answered) == STREAK_MAX:
                break
            answered.append(one.day)
        return len(answered)
