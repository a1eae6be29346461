"""The tables task-table-v3 and task-table-invitation-v3: keys, indexes, and which entity is where.

The stream of task-table-v3 is added: open boards hear of changes through it.
"""

from __future__ import annotations

import os
from datetime import date, datetime

from sekkei.design import Capacity, Design, Field, Index, Key
from sekkei_systems.original import ADDED
from sekkei_systems.tasks.design.models import (
    Activity,
    Batch,
    Comment,
    DayTotals,
    Flow,
    Hook,
    HookDelivery,
    Imported,
    ImportPart,
    ImportRun,
    Invitation,
    InviteLock,
    Links,
    MailBlock,
    Note,
    Number,
    Plan,
    SavedView,
    SearchText,
    Tag,
    Talk,
    Task,
    TaskText,
    Team,
    TeamUser,
    Totals,
    User,
    UserTeam,
)

design = Design(
    "tasks",
    language="ja",
    added=ADDED,
    ja="チームタスク管理: チーム・タグ・タスク・招待",
    en="Team tasks: teams, tags, tasks, invitations",
)


def _capacity(read: int, write: int) -> Capacity | None:
    """On demand, because moving a task costs 42 write units or more; the original's provisioned units if asked for."""
    return Capacity(read, write) if os.environ.get("SEKKEI_TASKS_CAPACITY") == "provisioned" else None


_STATUS_INDEXES = [
    Index(
        f"GSI_Status_{order}_Sort_{name}",
        "PK" if name == "All" else f"status_{name.lower()}",
        f"{order.lower()}_sort_sk",
        ja=f"{words} + {'開始日' if order == 'Start' else '終了日'}ソート",
    )
    for name, words in (
        ("All", "全ステータス"),
        ("Group1", "TODO または DOING+DONE"),
        ("Group2", "TODO+DOING または DONE"),
        ("Group3", "DOING または TODO+DONE"),
    )
    for order in ("Start", "End")
]

_CARD = (
    "type",
    *(
        each.stored
        for each in vars(Task).values()
        if isinstance(each, Field)
        and each.is_stored
        and not each.derived
        and each.name not in ("description", "import_id")
    ),
)
"""Everything of a task but its description and the import it came with: only the stream asks for that.
(Lists of names in indexes may have 100 names in a table, all together.)"""

table = design.table(
    "task-table-v3",
    "PK",
    "SK",
    discriminator="type",
    ttl="expiresAt",
    stream="NEW_AND_OLD_IMAGES",
    capacity=_capacity(5, 5),
    indexes=[
        Index("GSI_Invert", "SK", "PK", ja="逆引き用", en="Keys the other way round"),
        *_STATUS_INDEXES,
        Index(
            "GSI_Assignee_End_Sort",
            "assignee_group",
            "end_sort_sk",
            ja="担当者ごと + 終了日ソート",
            en="A person's work in all teams, by end; without descriptions",
            projection=_CARD,
            added=True,
        ),
        Index(
            "GSI_Teams",
            "team_listed",
            "PK",
            ja="全チーム（ジョブ用）",
            en="All teams, for the nightly jobs",
            projection=("team_name",),
            added=True,
        ),
        Index(
            "GSI_Board_Hand_Sort",
            "board_column",
            "hand_sort_sk",
            ja="ボードの列 + 手動の並び順",
            en="A column of the board, in the order people gave it; without descriptions",
            projection=_CARD,
            added=True,
        ),
    ],
    ja="タスク管理アプリのメインテーブル。ストリームは追加（ボードのライブ更新）",
    en="The main table. Its stream is added, so that open boards hear of changes.",
)

invitation_table = design.table(
    "task-table-invitation-v3",
    "PK",
    "SK",
    discriminator="type",
    ttl="expiresAt",
    stream="NEW_AND_OLD_IMAGES",
    capacity=_capacity(1, 1),
    ja="招待メール送信のテーブル（ストリーム → メール）",
    en="Invitations; the stream sends their mails",
)


@table.entity(User, type="user", ja="ユーザー情報")
def users(user_id: str) -> Key:
    """Somebody who can be in teams."""
    return Key(f"USER#{user_id}", f"USER#{user_id}")


emails = users.unique("EMAIL#{email}", table.markers(type="user_email"))


@table.entity(UserTeam, type="user_team", ja="所属チーム")
def user_teams(user_id: str, team_id: str) -> Key:
    """A membership, found from the person."""
    return Key(f"USER#{user_id}", f"TEAM#{team_id}")


@table.entity(Team, type="team", ja="チーム情報")
def teams(team_id: str) -> Key:
    """A team."""
    return Key(f"TEAM#{team_id}", f"TEAM#{team_id}")


@table.entity(TeamUser, type="team_user", ja="チームメンバー")
def team_users(team_id: str, user_id: str) -> Key:
    """A membership, found from the team."""
    return Key(f"TEAM#{team_id}", f"USER#{user_id}")


@table.entity(Tag, type="team_tag", ja="チーム タグ")
def tags(team_id: str, tag_id: str) -> Key:
    """A tag of a team."""
    return Key(f"TEAM#{team_id}", f"TAG#{tag_id}")


@table.entity(Task, type="task", ja="チーム タスク")
def tasks(team_id: str, task_id: str) -> Key:
    """Something to be done."""
    return Key(f"TEAM#{team_id}", f"TASK#{task_id}")


@table.entity(Comment, type="task_comment", ja="コメント", added=True)
def comments(team_id: str, task_id: str, comment_id: str) -> Key:
    """What somebody said about a task; ids are in the order of time."""
    return Key(f"TEAM#{team_id}", f"COMMENT#{task_id}#{comment_id}")


@table.entity(TaskText, type="task_text", ja="長い説明の全文", added=True)
def task_texts(team_id: str, task_id: str) -> Key:
    """The whole of a description that is too long to be copied into every index."""
    return Key(f"TEAM#{team_id}", f"TEXT#{task_id}")


@table.entity(SearchText, type="task_search", ja="検索用テキスト", added=True)
def search_texts(team_id: str, task_id: str) -> Key:
    """What a search looks through."""
    return Key(f"TEAM#{team_id}", f"SEARCH#{task_id}")


@table.entity(Talk, type="task_talk", ja="コメント数", added=True)
def talks(team_id: str, task_id: str) -> Key:
    """How many comments a task has, counted by the stream."""
    return Key(f"TEAM#{team_id}", f"TALK#{task_id}")


@table.entity(Activity, type="task_activity", ja="タスクの変更履歴", added=True)
def activities(team_id: str, task_id: str, version: int) -> Key:
    """Who changed what of a task, and when; written by the stream."""
    return Key(f"TEAM#{team_id}", f"ACTIVITY#{task_id}#{version:010}")


@table.entity(Plan, type="task_plan", ja="チェックリスト・依存・繰り返し", added=True)
def plans(team_id: str, task_id: str) -> Key:
    """A task's checklist, what comes before it, and when it comes again."""
    return Key(f"TEAM#{team_id}", f"PLAN#{task_id}")


@table.entity(Links, type="team_links", ja="依存の版", added=True)
def links(team_id: str) -> Key:
    """How often a dependency was added in a team."""
    return Key(f"TEAM#{team_id}", "LINKS")


@table.entity(Flow, type="task_flow", ja="完了の記録", added=True)
def flows(team_id: str, day: date, task_id: str) -> Key:
    """When a task was begun and done, out of its history; written by the stream."""
    return Key(f"TEAM#{team_id}", f"FLOW#{day}#{task_id}")


@table.entity(Batch, type="task_batch", ja="まとめての変更", added=True)
def batches(team_id: str, batch_id: str) -> Key:
    """Many tasks that were changed at once, so that this can be undone at once."""
    return Key(f"TEAM#{team_id}", f"BATCH#{batch_id}")


@table.entity(Number, type="task_number", ja="タスク番号", added=True)
def numbers(team_id: str, number: int) -> Key:
    """Which task has a number; it stays when the task is gone, so that no other ever has it."""
    return Key(f"TEAM#{team_id}", f"NUMBER#{number:08}")


@table.entity(Imported, type="task_imported", ja="取り込んだタスク", added=True)
def imported(team_id: str, source: str) -> Key:
    """A task that came out of another program's file; it stays when the task is gone, so that it comes in once."""
    return Key(f"TEAM#{team_id}", f"IMPORTED#{source}")


@table.entity(ImportRun, type="task_import", ja="読み込み", added=True)
def import_runs(team_id: str, import_id: str) -> Key:
    """Another program's file that is being taken in, and how far that is."""
    return Key(f"TEAM#{team_id}", f"IMPORT#{import_id}")


@table.entity(ImportPart, type="task_import_part", ja="読み込み待ちのタスク", added=True)
def import_parts(team_id: str, import_id: str, at: int) -> Key:
    """Tasks of a file that wait for their turn; they go in the transaction that makes them."""
    return Key(f"TEAM#{team_id}", f"IMPORTPART#{import_id}#{at:05}")


@table.entity(SavedView, type="user_view", ja="保存したビュー", added=True)
def saved_views(user_id: str, team_id: str, view_id: str) -> Key:
    """A filter that somebody comes back to."""
    return Key(f"USER#{user_id}", f"VIEW#{team_id}#{view_id}")


@table.entity(Note, type="user_note", ja="通知", added=True)
def notes(user_id: str, at: datetime, note_id: str) -> Key:
    """A notification for one person; written by the stream."""
    return Key(f"USER#{user_id}", f"NOTE#{at}#{note_id}")


@table.entity(Hook, type="team_hook", ja="Webhook", added=True)
def hooks(team_id: str, hook_id: str) -> Key:
    """An address of another program that is told what happens in a team."""
    return Key(f"TEAM#{team_id}", f"HOOK#{hook_id}")


@table.entity(HookDelivery, type="hook_delivery", ja="Webhook の送信記録", added=True)
def deliveries(team_id: str, hook_id: str, delivery_id: str) -> Key:
    """What such an address was sent, and what it answered; ids are in the order of time."""
    return Key(f"TEAM#{team_id}", f"HOOKLOG#{hook_id}#{delivery_id}")


@table.entity(Totals, type="counter", ja="チーム集計-全て")
def totals(team_id: str) -> Key:
    """How many tasks there are now; it never expires."""
    return Key(f"TEAM#{team_id}", "COUNTER#ALL")


@table.entity(DayTotals, type="counter", ja="チーム集計-日付")
def day_totals(team_id: str, day: date) -> Key:
    """How many there were at the end of a day in Japan."""
    return Key(f"TEAM#{team_id}", f"COUNTER#{day}")


@invitation_table.entity(Invitation, type="invitation", ja="招待")
def invitations(team_id: str, invite_id: str) -> Key:
    """An invitation that waits for its answer."""
    return Key(f"TEAM#{team_id}", f"TINVITE#{invite_id}")


@invitation_table.entity(InviteLock, type="invite_lock", ja="招待の重複防止", added=True)
def invite_locks(team_id: str, email_hash: str) -> Key:
    """One open invitation for one address."""
    return Key(f"TEAM#{team_id}", f"EMAIL#{email_hash}")


@invitation_table.entity(MailBlock, type="mail_block", ja="届かないアドレス", added=True)
def mail_blocks(email_hash: str) -> Key:
    """An address that bounced, or whose owner complained: nothing is sent there any more."""
    return Key(f"MAIL#{email_hash}", "MAIL")


design.relate(users, user_teams, team_users, notes, saved_views)
design.relate(teams, user_teams, team_users, tags, tasks, day_totals, invitations, invite_locks)
design.relate(teams, totals, many=False)
design.relate(tasks, comments, activities)
design.relate(teams, batches, numbers, hooks, imported, import_runs)
design.relate(import_runs, import_parts)
design.relate(hooks, deliveries)
design.relate(teams, links, many=False)
design.relate(tasks, plans, many=False)
design.relate(tasks, flows)
