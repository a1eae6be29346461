"""Which question is asked on which day, and when it comes out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed, Update
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.settings import Settings
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import NEVER, DailyQuestion, Question, QuestionStatus
from sekkei_systems.q.design.tables import daily_questions, questions
from sekkei_systems.q.rules import times

CHOICE = 50
"""Of so many approved questions, the longest unused ones, one is drawn."""
DRAWS_MAX = 20
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
        for _ in range(DRAWS_MAX):
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
        page = await self.db.page(design.approved_questions(), size=CHOICE)
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
