"""What administrators do to questions. Every action and its line in the log are one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, Delete, Page, TransactionFailed
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import (
    AdminAction,
    DailyQuestion,
    Question,
    QuestionStatus,
    QuestionType,
)
from sekkei_systems.q.design.tables import daily_questions, questions
from sekkei_systems.q.refusals import AlreadyPublished, NoSuchThing, WrongState
from sekkei_systems.q.rules import writing
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.planning import Planning, gives_back, takes

PAGE = 50
PLAN_DAYS = 100
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
        ahead = await self.planning.calendar(today, PLAN_DAYS)
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
