"""The items that the document shows, with the original's own example values where it has them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from sekkei_systems.days import JST
from sekkei_systems.tasks.design.models import (
    Activity,
    Comment,
    DayTotals,
    Invitation,
    Note,
    NoteKind,
    Role,
    SearchText,
    Tag,
    TagColor,
    Talk,
    Task,
    TaskText,
    Team,
    TeamUser,
    Totals,
    User,
    UserTeam,
)
from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.design.tables import (
    activities,
    comments,
    day_totals,
    invitations,
    notes,
    search_texts,
    tags,
    talks,
    task_texts,
    tasks,
    team_users,
    teams,
    totals,
    user_teams,
    users,
)

_NOW = datetime(2025, 11, 9, 12, tzinfo=JST)
_ID = "019a571b53808f4ff31e78de"
_JOINED = date(2025, 11, 9)
_DESCRIPTION = "タスクの説明 タスクの説明 タスクの説明 タスクの説明"

users.example(User(user_id="u1", email="alice@example.com", name="monbayashi joji", created_on=date(2025, 11, 1)))
user_teams.example(
    UserTeam(user_id="u1", team_id="t1", role=Role.ADMIN, joined_on=_JOINED, team_name="タスク管理 APP 開発チーム")
)
teams.example(
    Team(team_id="t1", name="タスク管理 APP 開発チーム", description="タスク管理 APP 開発チーム用のタスク管理")
)
team_users.example(
    TeamUser(team_id="t1", user_id="u1", role=Role.ADMIN, joined_on=_JOINED, user_name="monbayashi joji")
)
tags.example(Tag(team_id="t1", tag_id="tag1", name="backend", color=TagColor(text="#ffffff", background="#2563eb")))
for _number, _status in enumerate(Status):
    tasks.example(
        Task(
            team_id="t1",
            task_id=f"019a571b53808f4ff31e78d{_number}",
            title=f"デプロイ {_number + 1}",
            description=_DESCRIPTION,
            status=_status,
            start=date(2025, 11, 5),
            end=date(2025, 12, 5),
            tags=frozenset({"TAG#tag1", "TAG#tag2"}),
            assignee="u1",
            priority=Priority.HIGH,
            created_by="u1",
            created_at=_NOW,
            updated_at=_NOW,
            updated_by="u1",
            done_at=_NOW if _status is Status.DONE else None,
        )
    )
task_texts.example(TaskText(team_id="t1", task_id=_ID, text=_DESCRIPTION * 30))
search_texts.example(SearchText(team_id="t1", task_id=_ID, text=f"デプロイ 1\n{_DESCRIPTION}"))
talks.example(Talk(team_id="t1", task_id=_ID, comments=2))
comments.example(
    Comment(
        team_id="t1",
        task_id=_ID,
        comment_id="c1",
        author="u1",
        author_name="monbayashi joji",
        text="確認しました。",
        created_at=_NOW,
    )
)
activities.example(
    Activity(
        team_id="t1",
        task_id=_ID,
        version=2,
        who="u1",
        who_name="monbayashi joji",
        at=_NOW,
        changes={"status": ["todo", "doing"]},
        expires=_NOW + timedelta(days=400),
    )
)
notes.example(
    Note(
        user_id="u1",
        at=_NOW,
        note_id="n1",
        kind=NoteKind.MENTION,
        team_id="t1",
        task_id=_ID,
        title="デプロイ 1",
        by="monbayashi joji",
        by_id="u1",
        text="@monbayashi joji 見てください",
        expires=_NOW + timedelta(days=90),
    )
)
totals.example(Totals(team_id="t1", todo=3, doing=2, done=5, moves=24))
day_totals.example(
    DayTotals(team_id="t1", day=date(2025, 11, 9), todo=3, doing=2, done=5, expires=_NOW + timedelta(days=400))
)
invitations.example(
    Invitation(
        team_id="t1",
        invite_id="019a571b-5380-7000-8000-000000000001",
        email="alice@example.com",
        role=Role.MEMBER,
        created_at=_NOW,
        expires=_NOW + timedelta(days=1),
        invited_by="USER#u1",
        token="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        team_name="タスク管理 APP 開発チーム",
        nonce="q1w2e3r4t5y6",
    )
)
