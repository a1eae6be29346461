"""The tables task-table-v3 and task-table-invitation-v3, and what is in them.

Stored names are the original's to the letter, its misspellings included. What is not in the original is marked `added`.
The stream of task-table-v3 is added too: open boards hear of changes through it.
"""

from __future__ import annotations

import os
import unicodedata
from datetime import date, datetime
from enum import Enum

from sekkei.design import (
    Attr,
    Capacity,
    Design,
    Field,
    Index,
    Key,
    attr,
    computed,
    epoch,
    iso,
    model,
    part,
    template,
    version,
)
from sekkei_systems.tasks.statuses import GROUPS, Priority, Status, group

SEARCHED_CHARACTERS_MAX = 4_000

design = Design(
    "tasks", ja="チームタスク管理: チーム・タグ・タスク・招待", en="Team tasks: teams, tags, tasks, invitations"
)


def _capacity(read: int, write: int) -> Capacity | None:
    """On demand, because moving one task costs about 18 write units; the original's provisioned units if asked for."""
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
            en="A person's work in all teams, by end",
            added=True,
        ),
        Index(
            "GSI_Teams",
            "team_listed",
            "PK",
            ja="全チーム（ジョブ用）",
            en="All teams, for the nightly jobs",
            added=True,
        ),
        Index(
            "GSI_Board_Hand_Sort",
            "board_column",
            "hand_sort_sk",
            ja="ボードの列 + 手動の並び順",
            en="A column of the board, in the order people gave it",
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

JST_SECONDS = iso("+09:00", 0)


class Role(Enum):
    ADMIN = "admin"
    MEMBER = "member"


# People


@model
class User:
    user_id: Attr[str] = part()
    email: Attr[str | None] = attr("user_email", default=None, escape=True)
    name: Attr[str] = attr("user_name")
    image: Attr[str | None] = attr("user_image", default=None)
    created_on: Attr[date] = attr("user_createdAt")
    digest: Attr[bool] = attr("mail_digest", default=True, added=True, en="Wants the morning's mail of late tasks")


@table.entity(User, type="user", ja="ユーザー情報")
def users(user_id: str) -> Key:
    """Somebody who can be in teams."""
    return Key(f"USER#{user_id}", f"USER#{user_id}")


emails = users.unique("EMAIL#{email}", table.markers(type="user_email"))


@model
class UserTeam:
    user_id: Attr[str] = part()
    team_id: Attr[str] = part()
    role: Attr[Role] = attr("user_team_role")
    joined_on: Attr[date] = attr("user_team_joinedAt")
    team_name: Attr[str] = attr("team_name", ja="チーム名の写し", en="A copy; renaming the team renews it")
    feed: Attr[int] = attr("calendar_feed", default=0, added=True, en="Counts renewals of the calendar's address")


@table.entity(UserTeam, type="user_team", ja="所属チーム")
def user_teams(user_id: str, team_id: str) -> Key:
    """A membership, found from the person."""
    return Key(f"USER#{user_id}", f"TEAM#{team_id}")


# Teams


@model
class Team:
    team_id: Attr[str] = part()
    name: Attr[str] = attr("team_name")
    description: Attr[str] = attr("team_discription", default="")
    admins: Attr[int] = attr(default=1, added=True, en="How many admins there are; never 0")
    closing: Attr[bool] = attr(default=False, added=True, en="Being deleted; nothing can be added any more")
    listed: Attr[str] = attr("team_listed", default="TEAM", added=True, en="The same for all, so that jobs find them")


@table.entity(Team, type="team", ja="チーム情報")
def teams(team_id: str) -> Key:
    """A team."""
    return Key(f"TEAM#{team_id}", f"TEAM#{team_id}")


@model
class TeamUser:
    team_id: Attr[str] = part()
    user_id: Attr[str] = part()
    role: Attr[Role] = attr("user_team_role")
    joined_on: Attr[date] = attr("user_team_joinedAt")
    user_name: Attr[str] = attr("user_name", ja="ユーザー名の写し", en="A copy; renaming the person renews it")


@table.entity(TeamUser, type="team_user", ja="チームメンバー")
def team_users(team_id: str, user_id: str) -> Key:
    """A membership, found from the team."""
    return Key(f"TEAM#{team_id}", f"USER#{user_id}")


@model
class TagColor:
    text: Attr[str] = attr("color")
    background: Attr[str] = attr("backgroundColor")


@model
class Tag:
    team_id: Attr[str] = part()
    tag_id: Attr[str] = part()
    name: Attr[str] = attr("team_tag_name")
    color: Attr[TagColor] = attr("team_tag_color")

    @property
    def ref(self) -> str:
        """As tasks name it."""
        return tag_ref(self.tag_id)


@table.entity(Tag, type="team_tag", ja="チーム タグ")
def tags(team_id: str, tag_id: str) -> Key:
    """A tag of a team."""
    return Key(f"TEAM#{team_id}", f"TAG#{tag_id}")


def tag_ref(tag_id: str) -> str:
    return f"TAG#{tag_id}"


# Tasks


def status_group1(team_id: str, status: Status) -> str:
    return group(team_id, GROUPS[0][status])


def status_group2(team_id: str, status: Status) -> str:
    return group(team_id, GROUPS[1][status])


def status_group3(team_id: str, status: Status) -> str:
    return group(team_id, GROUPS[2][status])


def assignee_group(assignee: str | None, status: Status) -> str | None:
    """Sparse: only tasks that somebody has."""
    return None if assignee is None else work_of(assignee, done=status is Status.DONE)


def work_of(user_id: str, *, done: bool = False) -> str:
    return f"USER#{user_id}#{'Done' if done else 'Open'}"


def board_column(team_id: str, status: Status) -> str:
    return f"TEAM#{team_id}#Board#{status.value}"


def hand_sort(task_id: str, rank: str | None) -> str:
    """Ids sort by when they were made, so a task that nobody has placed comes after those before it."""
    return rank or task_id


def searched(text: str) -> str:
    """One form for what is typed in several: full and half width, upper and lower case."""
    return unicodedata.normalize("NFKC", text).casefold()


def search_text(title: str, description: str) -> str:
    return searched(f"{title}\n{description}")[:SEARCHED_CHARACTERS_MAX]


@model
class Task:
    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    title: Attr[str] = attr("team_task_title")
    description: Attr[str] = attr("team_task_discription", default="")
    status: Attr[Status] = attr("team_task_status", default=Status.TODO)
    start: Attr[date | None] = attr("team_task_startTime", default=None, absent_as=date.max)
    end: Attr[date | None] = attr("team_task_endTime", default=None, absent_as=date.max)
    tags: Attr[frozenset[str]] = attr("team_task_tagRef", default=frozenset(), ja="TAG#… の集合（空なら属性なし）")
    group1: Attr[str] = computed(status_group1, "status_group1")
    group2: Attr[str] = computed(status_group2, "status_group2")
    group3: Attr[str] = computed(status_group3, "status_group3")
    start_sort: Attr[str] = template("START#{start}", "start_sort_sk")
    end_sort: Attr[str] = template("END#{end}", "end_sort_sk")
    assignee: Attr[str | None] = attr(default=None, added=True, ja="担当者のユーザーID")
    assignee_group: Attr[str | None] = computed(assignee_group, added=True)
    search_text: Attr[str] = computed(search_text, added=True, ja="検索用（正規化済み）")
    priority: Attr[Priority | None] = attr(default=None, added=True, ja="優先度")
    rank: Attr[str | None] = attr(default=None, added=True, ja="手動の位置", en="Where somebody put it in its column")
    board_column: Attr[str] = computed(board_column, added=True)
    hand_sort: Attr[str] = computed(hand_sort, "hand_sort_sk", added=True)
    created_by: Attr[str] = attr("createdBy", default="", added=True)
    created_at: Attr[datetime | None] = attr("createdAt", default=None, stored_as=JST_SECONDS, added=True)
    updated_at: Attr[datetime | None] = attr("updatedAt", default=None, stored_as=JST_SECONDS, added=True)
    updated_by: Attr[str] = attr("updatedBy", default="", added=True, en="Who changed it last")
    comments: Attr[int] = attr("comment_count", default=0, added=True)
    version: Attr[int] = version(added=True)


@table.entity(Task, type="task", ja="チーム タスク")
def tasks(team_id: str, task_id: str) -> Key:
    """Something to be done."""
    return Key(f"TEAM#{team_id}", f"TASK#{task_id}")


@model
class Comment:
    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    comment_id: Attr[str] = part()
    author: Attr[str] = attr(ja="ユーザーID")
    author_name: Attr[str] = attr(ja="書いた時点の名前", en="The name when it was written")
    text: Attr[str] = attr("comment_text")
    mentions: Attr[frozenset[str]] = attr(default=frozenset(), ja="@で呼ばれた人", en="Whom it calls by @name")
    created_at: Attr[datetime] = attr("createdAt", stored_as=JST_SECONDS)


@table.entity(Comment, type="task_comment", ja="コメント", added=True)
def comments(team_id: str, task_id: str, comment_id: str) -> Key:
    """What somebody said about a task; ids are in the order of time."""
    return Key(f"TEAM#{team_id}", f"COMMENT#{task_id}#{comment_id}")


@model
class Activity:
    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    version: Attr[int] = part(en="Of the task after the change; so one change is written down once")
    who: Attr[str] = attr(ja="ユーザーID")
    who_name: Attr[str] = attr(ja="その時点の名前", en="The name at the time")
    at: Attr[datetime] = attr("createdAt", stored_as=JST_SECONDS)
    changes: Attr[dict[str, list[str]]] = attr(ja="属性ごとの前と後", en="Before and after, by attribute")
    expires: Attr[datetime | None] = attr("expiresAt", default=None, stored_as=epoch())


@table.entity(Activity, type="task_activity", ja="タスクの変更履歴", added=True)
def activities(team_id: str, task_id: str, version: int) -> Key:
    """Who changed what of a task, and when; written by the stream."""
    return Key(f"TEAM#{team_id}", f"ACTIVITY#{task_id}#{version:010}")


# What somebody should know


class NoteKind(Enum):
    MENTION = "mention"
    COMMENT = "comment"
    ASSIGNED = "assigned"


@model
class Note:
    user_id: Attr[str] = part()
    at: Attr[datetime] = part(stored_as=JST_SECONDS)
    note_id: Attr[str] = part()
    kind: Attr[NoteKind] = attr("note_kind")
    team_id: Attr[str] = attr("note_team")
    task_id: Attr[str] = attr("note_task")
    title: Attr[str] = attr("note_title", en="The task's title at the time")
    by: Attr[str] = attr("note_by", ja="だれから", en="The name of whoever caused it")
    text: Attr[str] = attr("note_text", default="")
    read: Attr[bool] = attr("note_read", default=False)
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())


@table.entity(Note, type="user_note", ja="通知", added=True)
def notes(user_id: str, at: datetime, note_id: str) -> Key:
    """A notification for one person; written by the stream."""
    return Key(f"USER#{user_id}", f"NOTE#{at}#{note_id}")


# Counters


@model
class Totals:
    team_id: Attr[str] = part()
    todo: Attr[int] = attr(default=0)
    doing: Attr[int] = attr(default=0)
    done: Attr[int] = attr(default=0)


@table.entity(Totals, type="counter", ja="チーム集計-全て")
def totals(team_id: str) -> Key:
    """How many tasks there are now; it never expires."""
    return Key(f"TEAM#{team_id}", "COUNTER#ALL")


@model
class DayTotals:
    team_id: Attr[str] = part()
    day: Attr[date] = part()
    todo: Attr[int] = attr(default=0)
    doing: Attr[int] = attr(default=0)
    done: Attr[int] = attr(default=0)
    expires: Attr[datetime | None] = attr("expiresAt", default=None, stored_as=epoch())


@table.entity(DayTotals, type="counter", ja="チーム集計-日付")
def day_totals(team_id: str, day: date) -> Key:
    """How many there were at the end of a day in Japan."""
    return Key(f"TEAM#{team_id}", f"COUNTER#{day}")


COUNTED: dict[Status, Field[Totals, int]] = {
    Status.TODO: Totals.todo,
    Status.DOING: Totals.doing,
    Status.DONE: Totals.done,
}

# Invitations


@model
class Invitation:
    team_id: Attr[str] = part()
    invite_id: Attr[str] = part(ja="UUIDv7（登録順）")
    email: Attr[str] = attr()
    role: Attr[Role] = attr("user_role")
    created_at: Attr[datetime] = attr("createdAt", stored_as=epoch())
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())
    invited_by: Attr[str] = attr("invitedBy", form="USER#{}")
    token: Attr[str] = attr(ja="トークンのSHA-256", en="The SHA-256 of the token; the token itself is stored nowhere")
    team_name: Attr[str] = attr("team_name", ja="招待時点でのチーム名", en="As it was when the invitation was made")
    nonce: Attr[str] = attr(added=True, en="What the token is derived from, together with the server's key")


@invitation_table.entity(Invitation, type="invitation", ja="招待")
def invitations(team_id: str, invite_id: str) -> Key:
    """An invitation that waits for its answer."""
    return Key(f"TEAM#{team_id}", f"TINVITE#{invite_id}")


@model
class InviteLock:
    team_id: Attr[str] = part()
    email_hash: Attr[str] = part()
    invite_id: Attr[str] = attr("inviteId")
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())


@invitation_table.entity(InviteLock, type="invite_lock", ja="招待の重複防止", added=True)
def invite_locks(team_id: str, email_hash: str) -> Key:
    """One open invitation for one address."""
    return Key(f"TEAM#{team_id}", f"EMAIL#{email_hash}")


# Addresses that mail does not reach


@model
class MailBlock:
    email_hash: Attr[str] = part()
    email: Attr[str] = attr()
    reason: Attr[str] = attr("block_reason", en="bounce or complaint")
    detail: Attr[str] = attr("block_detail", default="")
    at: Attr[datetime] = attr("createdAt", stored_as=epoch())


@invitation_table.entity(MailBlock, type="mail_block", ja="届かないアドレス", added=True)
def mail_blocks(email_hash: str) -> Key:
    """An address that bounced, or whose owner complained: nothing is sent there any more."""
    return Key(f"MAIL#{email_hash}", "MAIL")
