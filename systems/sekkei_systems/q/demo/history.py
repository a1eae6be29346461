"""Demo data: the questions there are, the days that have been, today, and what waits for moderators."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from sekkei.design import Put
from sekkei.runtime.system import Context
from sekkei_systems import days
from sekkei_systems.q.demo.words import (
    ANSWERS,
    FLAGGED,
    NG_WORDS,
    OLD_ANSWERS,
    PROPOSALS,
    QUESTIONS,
    TODAY,
    TURNED_DOWN,
    YEAR_AGO,
)
from sekkei_systems.q.design.models import (
    NEVER,
    AdminAction,
    AdminLog,
    Answer,
    DailyQuestion,
    ProfilePart,
    Question,
    QuestionStatus,
    QuestionType,
    Reaction,
    ReactionType,
    Report,
    ReportCategory,
    ReportStatus,
    Submission,
    TargetType,
)
from sekkei_systems.q.design.tables import (
    admin_logs,
    answers,
    daily_questions,
    profile_reviews,
    questions,
    reactions,
    reports,
    submissions,
)
from sekkei_systems.q.rules import times
from sekkei_systems.q.service import Service

_OUT_SINCE = timedelta(minutes=12)
KINDS = list(ReactionType)
_LIKED_DAYS = 6
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
        if back <= _LIKED_DAYS:
            await context.db.write_many(_liked(context, ids, day, out))


async def today(context: Context, service: Service, ids: Sequence[str]) -> None:
    """Out for a few minutes; everybody but the first of the five has answered."""
    now = days.now(context.clock)
    day = days.today(context.clock)
    out = max(now - _OUT_SINCE, days.start_of(day))
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


# Demo data: what waits for the operators, and what they have done before.


_ADDRESSES = ("203.0.113.24", "198.51.100.7")
DONE: tuple[tuple[int, AdminAction, str, str, dict[str, Any]], ...] = (
    (43, AdminAction.REVIEW_SUBMISSION, "question", "demo-question-09", {"to": "approved"}),
    (38, AdminAction.REVIEW_SUBMISSION, "question", "demo-question-10", {"to": "archived"}),
    (31, AdminAction.REVIEW_SUBMISSION, "question", "demo-question-14", {"to": "approved"}),
    (15, AdminAction.REVIEW_SUBMISSION, "question", "demo-question-22", {"to": "rejected"}),
    (9, AdminAction.SET_DAILY_QUESTION, "dailyQuestion", "", {"time": "20:15", "text": "いちばん古い記憶は？"}),
    (6, AdminAction.UPDATE_REPORT, "report", "demo-report-1", {"to": "resolved"}),
    (6, AdminAction.REVIEW_FLAGGED_POST, "answer", "", {"removed": False}),
    (2, AdminAction.UPDATE_REPORT, "report", "demo-report-2", {"to": "dismissed"}),
)


async def work(context: Context, service: Service, ids: Sequence[str]) -> None:
    access = service.access
    admin = await access.admin(ids[0], _ADDRESSES[0])
    await _done_before(context, ids)
    for friend, text in zip(ids[1:], PROPOSALS, strict=False):
        await service.submissions.submit(await access.author(friend), text)
    for word, allowed in NG_WORDS:
        await service.moderation.add_word(admin, word, allowed=allowed)
    for stranger, text in zip(ids[-2:], FLAGGED, strict=True):
        await service.answers.answer(await access.author(stranger), text)
    for known in ids[:-1]:  # their pictures were looked at long ago
        await context.db.write(profile_reviews.delete(known, ProfilePart.PICTURE))
    await _reported(service, ids)
    proven = await access.proven_admin(ids[0], _ADDRESSES[0], proved_at=days.now(context.clock))
    await service.moderation.ban(proven, ids[-1], "なりすまし")
    await service.editing.create(await access.admin(ids[4], _ADDRESSES[1]), "今年のうちにやっておきたいことは？")


async def _done_before(context: Context, ids: Sequence[str]) -> None:
    """Two settled reports and a log that goes back some weeks, of both administrators."""
    now = days.now(context.clock)
    settled = (
        ("1", ids[6], ids[9], ReportCategory.PRIVACY, "本名と学校が書かれていました。", ReportStatus.RESOLVED, 6),
        ("2", ids[11], ids[3], ReportCategory.OTHER, None, ReportStatus.DISMISSED, 2),
    )
    for name, by, about, category, words, status, back in settled:
        row = Report(
            report_id=f"demo-report-{name}",
            reporter_id=by,
            target_type=TargetType.USER,
            target_id=about,
            category=category,
            description=words,
            status=status,
            created_at=now - timedelta(days=back, hours=5),
            resolved_at=now - timedelta(days=back),
            resolved_by=ids[0],
        )
        await context.db.write(reports.create(row))
    for number, (back, action, kind, target, details) in enumerate(DONE):
        at = now - timedelta(days=back, minutes=number * 13)
        day = days.day_of(at)
        default = f"{day}#{ids[6]}" if kind == "answer" else str(day)
        by = (ids[0], ids[4])[number % 2]
        await context.db.write(admin_logs.create(_line(by, number, at, action, kind, target or default, details)))


def _line(
    by: str, number: int, at: datetime, action: AdminAction, kind: str, target: str, details: dict[str, Any]
) -> AdminLog:
    return AdminLog(
        log_id=f"demo-log-{number}",
        admin_id=by,
        admin_email=f"{by.removeprefix('demo-')}@demo.example",
        action=action,
        target_type=kind,
        target_id=target,
        details=details,
        ip_address=_ADDRESSES[number % 2],
        timestamp=at,
    )


async def _reported(service: Service, ids: Sequence[str]) -> None:
    send = service.reports.send
    second, third, fourth = [await service.access.member(id) for id in ids[1:4]]
    today = (await service.question.get()).day
    await send(second, TargetType.USER, ids[-2], ReportCategory.SPAM, "宣伝のメッセージが何度も届きます。")
    await send(third, TargetType.USER, ids[-1], ReportCategory.IMPERSONATION, "友だちの名前をかたっています。")
    await send(
        fourth, TargetType.ANSWER, f"{today}#{ids[7]}", ReportCategory.PRIVACY, "住んでいる場所がわかりそうです。"
    )
