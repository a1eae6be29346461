"""Demo data: what waits for the operators, and what they have done before."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sekkei.runtime.system import Context
from sekkei_systems import days
from sekkei_systems.q.demo.words import FLAGGED, NG_WORDS, PROPOSALS
from sekkei_systems.q.design.models import (
    AdminAction,
    AdminLog,
    ProfilePart,
    Report,
    ReportCategory,
    ReportStatus,
    TargetType,
)
from sekkei_systems.q.design.tables import admin_logs, profile_reviews, reports
from sekkei_systems.q.service import Service

ADDRESSES = ("203.0.113.24", "198.51.100.7")
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
    admin = await access.admin(ids[0], ADDRESSES[0])
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
    proven = await access.proven_admin(ids[0], ADDRESSES[0], proved_at=days.now(context.clock))
    await service.moderation.ban(proven, ids[-1], "なりすまし")
    await service.editing.create(await access.admin(ids[4], ADDRESSES[1]), "今年のうちにやっておきたいことは？")


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
        ip_address=ADDRESSES[number % 2],
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
