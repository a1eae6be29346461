"""The questions: which one is open, what comes out on which day, and what people send in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, Delete, Page, TransactionFailed, Update
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.settings import Settings
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import (
    NEVER,
    AdminAction,
    DailyQuestion,
    Question,
    QuestionStatus,
    QuestionType,
    QuestionVote,
    Submission,
)
from sekkei_systems.q.design.tables import daily_questions, question_votes, questions
from sekkei_systems.q.refusals import AlreadyPublished, AlreadySubmitted, NoQuestion, NoSuchThing, WrongState
from sekkei_systems.q.rules import times, writing
from sekkei_systems.q.service.access import Admin, Author, Member
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.words import ForbiddenWords

# The question that is open now.


_LOOK_BACK_DAYS = 8
"""A question stays open until the next one is out, be it after days without a worker."""


@dataclass
class OpenQuestion:
    db: Database
    clock: Clock
    _latest: DailyQuestion | None = field(init=False, default=None)

    async def get(self) -> DailyQuestion:
        found = await self.find()
        if found is None:
            raise NoQuestion()
        return found

    async def find(self) -> DailyQuestion | None:
        """The latest one that was published; after midnight that may be yesterday's.

        What is published stays as it is, so it is remembered: once today's is out, nobody reads its row again, however
        many people answer in that minute.
        """
        today = days.today(self.clock)
        known = self._latest if self._latest is not None and self._latest.day <= today else None
        back = _LOOK_BACK_DAYS if known is None else min(_LOOK_BACK_DAYS, (today - known.day).days)
        refs = [daily_questions(today - timedelta(days=number)).consistent() for number in range(back)]
        later = (one for one in await self.db.get_many(refs) if one is not None and one.published_at is not None)
        self._latest = next(later, known)
        return self._latest


# Which question is asked on which day, and when it comes out.


_CHOICE = 50
"""Of so many approved questions, the longest unused ones, one is drawn."""
_DRAWS_MAX = 20
SPARE_QUESTIONS = (
    "最近、思わず笑ってしまったことは？",
    "いま一番食べたいものは？",
    "今日、小さくうれしかったことは？",
    "休みが一日増えたら何をする？",
    "子どものころの夢は何だった？",
    "最近買ってよかったものは？",
    "明日の自分にひとこと言うなら？",
)


@dataclass(frozen=True, slots=True)
class Published:
    question: DailyQuestion
    by_us: bool
    """False when another worker was quicker."""


def takes(question: Question, now: datetime) -> Update[Question]:
    """The question is used from now on, if it is still free."""
    return (
        questions.update(question.question_id)
        .set(Question.status, QuestionStatus.USED)
        .set(Question.last_used_at, now)
        .set(Question.updated_at, now)
        .when(Question.status == QuestionStatus.APPROVED)
    )


def gives_back(planned: DailyQuestion, now: datetime) -> list[Update[Question]]:
    """A question that was planned but never asked can be chosen again, as if nothing had been."""
    if planned.is_fallback:
        return []
    return [
        questions.update(planned.question_id)
        .set(Question.status, QuestionStatus.APPROVED)
        .set(Question.last_used_at, planned.previous_use)
        .set(Question.updated_at, now)
        .when(Question.status == QuestionStatus.USED)
    ]


@dataclass
class Planning:
    """What the clock does to the days. Everything here can be done twice, by several workers at once."""

    db: Database
    clock: Clock
    jobs: Jobs
    settings: Settings

    def __post_init__(self) -> None:
        self.window = times.window_of(self.settings.get("q_publish_window"))

    async def plan(self, day: date) -> DailyQuestion:
        """The day's row, made now if it is missing: one of the approved questions, or a spare one."""
        found = await self.db.get(daily_questions(day).consistent())
        for _ in range(_DRAWS_MAX):
            if found is not None:
                return found
            chosen = await self._draw()
            if chosen is None:
                break
            found = await self._try(self._row(day, chosen), takes(chosen, days.now(self.clock)))
        return found or await self.plan_spare(day)

    async def plan_spare(self, day: date) -> DailyQuestion:
        """A question that is always there, when none was planned or none is left."""
        made = await self._try(self._row(day, None))
        assert made is not None, "only a question that is taken meanwhile leaves a day without a row"
        return made

    async def _draw(self) -> Question | None:
        """By chance among those unused for longest; every vote is one more ticket."""
        page = await self.db.page(design.approved_questions(), size=_CHOICE)
        ticket = int(self.clock.random() * sum(1 + one.votes for one in page))
        for one in page:
            ticket -= 1 + one.votes
            if ticket < 0:
                return one
        return None

    def _row(self, day: date, question: Question | None) -> DailyQuestion:
        number = day.toordinal() % len(SPARE_QUESTIONS)
        return DailyQuestion(
            day=day,
            question_id=question.question_id if question else f"spare-{number}",
            question_text=question.text if question else SPARE_QUESTIONS[number],
            scheduled_publish_time=times.publish_time(self.window, self.clock.random()),
            is_fallback=question is None,
            created_at=days.now(self.clock),
            previous_use=question.last_used_at if question else NEVER,
        )

    async def _try(self, row: DailyQuestion, *with_it: Action[Question, Question]) -> DailyQuestion | None:
        """None when the question has been taken meanwhile; the row of another worker when that was quicker."""
        create = daily_questions.create(row)
        try:
            await self.db.transact(create, *with_it)
        except TransactionFailed as failed:
            taken = failed.failed(create)
            return await self.db.need(daily_questions(row.day).consistent()) if taken else None
        return row

    async def publish_due(self) -> Published | datetime:
        """Publish today's question if its minute has come, else say when the next one comes. Missed minutes are made up
        for, after midnight too."""
        now = days.now(self.clock)
        today = days.today(self.clock)
        row = await self.db.get(daily_questions(today).consistent())
        if row is None:
            row = await self.plan_spare(today)
        next_at = days.start_of(today + timedelta(days=1))
        if row.published_at is None and not times.is_due(today, row.scheduled_publish_time, now):
            next_at = times.due_at(today, row.scheduled_publish_time)
            row = await self.db.get(daily_questions(today - timedelta(days=1)).consistent())  # until today's comes
        if row is None or row.published_at is not None:
            return next_at
        day = row.day
        publish = daily_questions.update(day).set(DailyQuestion.published_at, now)
        publish = publish.when(DailyQuestion.published_at.absent())
        # The fan-out begins with the very write that publishes, so that it can be neither lost nor begun twice.
        push = self.jobs.start_action("push", {"day": day.isoformat()}, id=f"push/{day}")
        try:
            await self.db.transact(publish, push)
        except TransactionFailed:
            return Published(await self.db.need(daily_questions(day).consistent()), by_us=False)
        return Published(await self.db.need(daily_questions(day).consistent()), by_us=True)

    async def reuse(self, after: str | None, size: int = 50) -> tuple[int, str | None]:
        """Questions used more than 30 days ago may be asked again; what has changed since it was read is left."""
        before = days.now(self.clock) - times.REUSED_AFTER
        page = await self.db.page(design.questions_used_before(before), size=size, after=after)
        freed = 0
        for question in page:
            update = questions.update(question.question_id).set(Question.status, QuestionStatus.APPROVED)
            update = update.set(Question.updated_at, days.now(self.clock))
            update = update.when(Question.status == QuestionStatus.USED, Question.last_used_at == question.last_used_at)
            try:
                await self.db.transact(update)
                freed += 1
            except TransactionFailed:
                continue
        return freed, page.cursor

    async def calendar(self, first: date, count: int) -> list[tuple[date, DailyQuestion | None]]:
        wanted = [first + timedelta(days=at) for at in range(count)]
        found = await self.db.get_many([daily_questions(day).consistent() for day in wanted])
        return list(zip(wanted, found, strict=True))


# What administrators do to questions. Every action and its line in the log are one transaction.


PAGE = 50
_PLAN_DAYS = 100
"""So far ahead a planned question is looked for; one read."""


Count = tuple[int, bool]
"""How many there are, and whether there are more."""


def count_of(page: Page[Any]) -> Count:
    return len(page), page.cursor is not None


def _unplans(question_id: str) -> Callable[[date], Delete[DailyQuestion]]:
    """Takes a question off a day that has not come out."""
    return lambda day: daily_questions.delete(day).when(
        DailyQuestion.published_at.absent(), DailyQuestion.question_id == question_id
    )


@dataclass
class Editing:
    db: Database
    clock: Clock
    logs: Logs
    planning: Planning

    async def with_status(self, by: Admin, status: QuestionStatus, after: str | None = None) -> Page[Question]:
        return await self.db.page(design.questions_with_status(status), size=PAGE, after=after)

    async def stock(self, by: Admin) -> dict[str, Count]:
        """How many suggestions wait, and how many questions can be drawn."""
        waiting, approved = await asyncio.gather(
            self.with_status(by, QuestionStatus.PENDING), self.with_status(by, QuestionStatus.APPROVED)
        )
        return {"submissions": count_of(waiting), "questions": count_of(approved)}

    async def create(self, by: Admin, text: str) -> Question:
        now = days.now(self.clock)
        made = Question(
            question_id=self.clock.uuid(),
            text=writing.text_of(text, writing.QUESTION_MAX, "text"),
            type=QuestionType.ADMIN,
            status=QuestionStatus.APPROVED,
            created_at=now,
            updated_at=now,
        )
        await self.db.transact(
            questions.create(made),
            self.logs.entry(by, AdminAction.CREATE_QUESTION, "question", made.question_id, {"text": made.text}),
        )
        return made

    async def review(self, by: Admin, question_id: str, approve: bool) -> None:
        """A proposed question becomes one that can be asked, or never will."""
        to = QuestionStatus.APPROVED if approve else QuestionStatus.REJECTED
        await self._move(by, question_id, to, (QuestionStatus.PENDING,))

    async def archive(self, by: Admin, question_id: str) -> None:
        """And off the plan: a day that it was planned for is drawn anew when it is near."""
        allowed = (QuestionStatus.APPROVED, QuestionStatus.USED)
        today = days.today(self.clock)
        ahead = await self.planning.calendar(today, _PLAN_DAYS)
        planned = [row for _, row in ahead if row is not None and row.question_id == question_id]
        free = [row.day for row in planned if row.published_at is None]
        await self._move(by, question_id, QuestionStatus.ARCHIVED, allowed, *map(_unplans(question_id), free))
        for day in free:
            if day <= today + timedelta(days=1):
                await self.planning.plan(day)

    async def bring_back(self, by: Admin, question_id: str) -> None:
        await self._move(by, question_id, QuestionStatus.APPROVED, (QuestionStatus.ARCHIVED,))

    async def _move(
        self,
        by: Admin,
        question_id: str,
        to: QuestionStatus,
        allowed: tuple[QuestionStatus, ...],
        *also: Action[Any, Any],
    ) -> None:
        update = questions.update(question_id).set(Question.status, to)
        update = update.set(Question.updated_at, days.now(self.clock)).when(Question.status.one_of(*allowed))
        # The document has no action of its own for archiving: it is a review of the question, with where it went.
        entry = self.logs.entry(by, AdminAction.REVIEW_SUBMISSION, "question", question_id, {"to": to.value})
        try:
            await self.db.transact(update, entry, *also)
        except TransactionFailed as failed:
            raise (WrongState() if failed.old(update) else NoSuchThing()) from failed

    # Days

    async def calendar(self, by: Admin, first: date, count: int) -> list[tuple[date, DailyQuestion | None]]:
        return await self.planning.calendar(first, count)

    async def set_day(self, by: Admin, day: date, at: time, question_id: str | None = None) -> DailyQuestion:
        """Choose a day's question or its minute, until it is published. The question that stood there is free again."""
        if day < days.today(self.clock):
            raise AlreadyPublished()
        now = days.now(self.clock)
        planned = await self.db.get(daily_questions(day).consistent())
        if planned is not None and planned.published_at is not None:
            raise AlreadyPublished()
        actions: list[Action[Any, Any]] = []
        chosen: Question | None = None
        if question_id and (planned is None or planned.question_id != question_id):
            chosen = await self.db.get(questions(question_id).consistent())
            if chosen is None or chosen.status is not QuestionStatus.APPROVED:
                raise WrongState()
            actions.append(takes(chosen, now))
        elif planned is None:
            planned = await self.planning.plan(day)
        details = {"time": at.strftime("%H:%M"), **({"text": chosen.text} if chosen else {})}
        actions.append(self.logs.entry(by, AdminAction.SET_DAILY_QUESTION, "dailyQuestion", day.isoformat(), details))
        return await self._write_day(day, at, planned, chosen, actions)

    async def _write_day(
        self,
        day: date,
        at: time,
        planned: DailyQuestion | None,
        chosen: Question | None,
        actions: list[Action[Any, Any]],
    ) -> DailyQuestion:
        now = days.now(self.clock)
        if planned is None:
            assert chosen is not None
            row = DailyQuestion(
                day=day,
                question_id=chosen.question_id,
                question_text=chosen.text,
                scheduled_publish_time=at,
                created_at=now,
                previous_use=chosen.last_used_at,
            )
            actions.append(daily_questions.create(row))
        else:
            update = daily_questions.update(day).set(DailyQuestion.scheduled_publish_time, at)
            if chosen is not None:
                update = (
                    update.set(DailyQuestion.question_id, chosen.question_id)
                    .set(DailyQuestion.question_text, chosen.text)
                    .set(DailyQuestion.is_fallback, False)
                    .set(DailyQuestion.previous_use, chosen.last_used_at)
                )
                before = await self.db.get(questions(planned.question_id).consistent())
                if before is not None and before.status is QuestionStatus.USED:  # what was archived stays so
                    actions += gives_back(planned, now)
            actions.append(
                update.when(DailyQuestion.published_at.absent(), DailyQuestion.question_id == planned.question_id)
            )
        try:
            await self.db.transact(*actions)
        except TransactionFailed as failed:
            raise (AlreadyPublished() if failed.failed(actions[-1]) else WrongState()) from failed
        return await self.db.need(daily_questions(day).consistent())


# Questions that users propose, one a day, and the votes for those that wait to be asked.


_CANDIDATES = 30


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
        page = await self.db.page(design.candidates(), size=_CANDIDATES)
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
