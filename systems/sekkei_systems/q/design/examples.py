"""Items and relations that Q.'s document shows."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from sekkei_systems.q.design.models import (
    AdminAction,
    AdminLog,
    Answer,
    DailyQuestion,
    Follow,
    Question,
    QuestionStatus,
    QuestionType,
    Reaction,
    ReactionType,
    User,
)
from sekkei_systems.q.design.tables import (
    admin_logs,
    answers,
    daily_questions,
    follows,
    questions,
    reactions,
    users,
)

_NOW = datetime(2026, 2, 5, 3, 0, tzinfo=UTC)
_USER = users.example(
    User(
        user_id="0f8c1b52-6a56-4d0b-9a55-3f1d0e6a7c11",
        app_id="hanako_01",
        display_name="はなこ",
        email="hanako@example.com",
        birth_date=date(2001, 4, 1),
        following_count=1,
        created_at=_NOW,
        updated_at=_NOW,
    )
)
_QUESTION = questions.example(
    Question(
        question_id="7d0b9a55-6a56-4d0b-9a55-0f8c1b523f1d",
        text="最近うれしかったことは？",
        type=QuestionType.ADMIN,
        status=QuestionStatus.USED,
        last_used_at=_NOW,
        created_at=_NOW,
        updated_at=_NOW,
    )
)
daily_questions.example(
    DailyQuestion(
        day=date(2026, 2, 5),
        question_id=_QUESTION.question_id,
        question_text=_QUESTION.text,
        scheduled_publish_time=time(12, 0),
        published_at=_NOW,
        created_at=_NOW,
    )
)
answers.example(
    Answer(
        day=date(2026, 2, 5),
        user_id=_USER.user_id,
        question_id=_QUESTION.question_id,
        text="朝ごはんがおいしかった",
        is_on_time=True,
        created_at=_NOW,
    )
)
follows.example(Follow(follower_id=_USER.user_id, followee_id="3f1d0e6a", created_at=_NOW))
reactions.example(
    Reaction(
        day=date(2026, 2, 5),
        user_id=_USER.user_id,
        reactor_id="3f1d0e6a",
        reaction_type=ReactionType.HEART,
        created_at=_NOW,
        updated_at=_NOW,
    )
)
admin_logs.example(
    AdminLog(
        log_id="b1f6", admin_id=_USER.user_id, action=AdminAction.ADD_NG_WORD, details={"word": "…"}, timestamp=_NOW
    )
)
