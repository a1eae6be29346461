"""Demo data: the questions there are, the days that have been, and today."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from sekkei.design import Put
from sekkei.runtime.system import Context
from sekkei_systems import days
from sekkei_systems.q.demo.words import ANSWERS, OLD_ANSWERS, QUESTIONS, TODAY, TURNED_DOWN, YEAR_AGO
from sekkei_systems.q.design.models import (
    NEVER,
    Answer,
    DailyQuestion,
    Question,
    QuestionStatus,
    QuestionType,
    Reaction,
    ReactionType,
    Submission,
)
from sekkei_systems.q.design.tables import answers, daily_questions, questions, reactions, submissions
from sekkei_systems.q.rules import times
from sekkei_systems.q.service import Service

OUT_SINCE = timedelta(minutes=12)
KINDS = list(ReactionType)
LIKED_DAYS = 6
"""Days back on which the past answers of the five have reactions: what the week's digest tells of."""


async def questions_of_all(context: Context, service: Service, ids: Sequence[str]) -> None:
    """Ours and the users'; theirs have votes."""
    now = days.now(context.clock)
    for number, text in enumerate((*QUESTIONS, TURNED_DOWN)):
        proposed = number % 5 == 4 or text == TURNED_DOWN
        status = QuestionStatus.ARCHIVED if number % 11 == 10 else QuestionStatus.APPROVED
        made = now - timedelta(days=60 - 2 * number)
        by = ids[number % len(ids)] if proposed else None
        row = Question(
            question_id=f"demo-question-{number:02}",
            text=text,
            type=QuestionType.USER if by else QuestionType.ADMIN,
            submitted_by=by,
            status=QuestionStatus.REJECTED if text == TURNED_DOWN else status,
            created_at=made,
            updated_at=made,
        )
        await context.db.write(questions.put(row))
        if by:
            given = Submission(day=days.day_of(made), user_id=by, question_id=row.question_id, created_at=made)
            await context.db.write(submissions.put(given))
        if by and row.status is QuestionStatus.APPROVED:
            for voter in ids[number % 3 :: 1 + number % 4]:
                await service.submissions.vote(await service.access.member(voter), row.question_id)


async def past(context: Context, ids: Sequence[str]) -> None:
    """This day a year ago, and the last two weeks, as they came: who stayed is counted week by week."""
    today_ = days.today(context.clock)
    day = times.year_before(today_)
    out = days.at(day, 20, 15)
    await _asked(context, day, "old-question-year", YEAR_AGO[0], out)
    await context.db.write_many(
        _answer(id, day, "old-question-year", out, YEAR_AGO[1][place % len(YEAR_AGO[1])], place)
        for place, id in enumerate(ids[:10])
    )
    for back, (text, said) in reversed(list(enumerate(OLD_ANSWERS, 1))):
        day = today_ - timedelta(days=back)
        out = days.at(day, 8 + back * 5 % 14, back * 17 % 60)
        await _asked(context, day, f"old-question-{back:02}", text, out)
        who = [(place, id) for place, id in enumerate(ids) if back < 8 or (place + back) % 4]
        await context.db.write_many(
            _answer(id, day, f"old-question-{back:02}", out, said[(place + back) % len(said)], place * 7 + back * 11)
            for place, id in who
        )
        if back <= LIKED_DAYS:
            await context.db.write_many(_liked(context, ids, day, out))


async def today(context: Context, service: Service, ids: Sequence[str]) -> None:
    """Out for a few minutes; everybody but the first of the five has answered."""
    now = days.now(context.clock)
    day = days.today(context.clock)
    out = max(now - OUT_SINCE, days.start_of(day))
    await _asked(context, day, "today-question", TODAY, out)
    await service.planning.plan(day + timedelta(days=1))
    for place, id in enumerate(ids[1:]):
        minutes = min(place % 11, int((now - out).total_seconds() // 60))
        await context.db.write(_answer(id, day, "today-question", out, ANSWERS[place], minutes))
        for reactor in range(place % 4):
            by = ids[(place * 3 + reactor) % 5]
            if by != id:
                await context.db.write(_reaction(day, id, by, KINDS[(place + reactor) % 5], now))


async def _asked(context: Context, day: date, id: str, text: str, out: datetime) -> None:
    made = out - timedelta(days=40)
    question = Question(
        question_id=id,
        text=text,
        type=QuestionType.ADMIN,
        status=QuestionStatus.USED,
        last_used_at=out,
        created_at=made,
        updated_at=out,
    )
    local = out.astimezone(days.JST)
    row = DailyQuestion(
        day=day,
        question_id=id,
        question_text=text,
        scheduled_publish_time=time(local.hour, local.minute),
        published_at=out,
        created_at=out - timedelta(days=1),
        previous_use=NEVER,
    )
    await context.db.write(questions.put(question))
    await context.db.write(daily_questions.put(row))


def _answer(user: str, day: date, question: str, out: datetime, text: str, minutes: int) -> Put[Answer]:
    at = out + timedelta(minutes=minutes % 50, seconds=20)
    late = times.lateness(out, at)
    return answers.put(
        Answer(
            day=day,
            user_id=user,
            question_id=question,
            text=text,
            is_on_time=late == 0,
            late_minutes=late,
            created_at=at,
        )
    )


def _liked(context: Context, ids: Sequence[str], day: date, out: datetime) -> list[Put[Reaction]]:
    """What the others thought of the five's answers of a day; the fewer, the longer ago."""
    found = []
    back = (days.today(context.clock) - day).days
    for place, author in enumerate(ids[:5]):
        for number, by in enumerate(ids[place + 1 : place + 8 - back]):
            at = out + timedelta(minutes=40 + 7 * number)
            found.append(_reaction(day, author, by, KINDS[(place + number + back) % 5], at))
    return found


def _reaction(day: date, author: str, by: str, kind: ReactionType, at: datetime) -> Put[Reaction]:
    return reactions.put(
        Reaction(day=day, user_id=author, reactor_id=by, reaction_type=kind, created_at=at, updated_at=at)
    )
