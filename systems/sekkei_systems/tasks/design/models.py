"""What is stored. Names in quotes are the original's to the letter, misspellings included; `added` is ours."""

from __future__ import annotations

from datetime import date, datetime
from enum import Enum

from sekkei.design import Attr, Field, attr, computed, epoch, iso, model, part, template, version
from sekkei.kit.text import folded
from sekkei_systems.days import JST
from sekkei_systems.tasks.design.statuses import GROUPS, Priority, Status, group

SEARCHED_CHARACTERS_MAX = 10_300
DESCRIPTION_KEPT_MAX = 500
TRASH = "trash"

JST_SECONDS = iso("+09:00", 0)
KEY = "TASK"
"""Of teams that have chosen no other."""


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


@model
class UserTeam:
    user_id: Attr[str] = part()
    team_id: Attr[str] = part()
    role: Attr[Role] = attr("user_team_role")
    joined_on: Attr[date] = attr("user_team_joinedAt")
    team_name: Attr[str] = attr("team_name", ja="チーム名の写し", en="A copy; renaming the team renews it")
    feed: Attr[int] = attr("calendar_feed", default=0, added=True, en="Counts renewals of the calendar's address")


# Teams


@model
class Team:
    team_id: Attr[str] = part()
    name: Attr[str] = attr("team_name")
    description: Attr[str] = attr("team_discription", default="")
    admins: Attr[int] = attr(default=1, added=True, en="How many admins there are; never 0")
    closing: Attr[bool] = attr(default=False, added=True, en="Being deleted; nothing can be added any more")
    key: Attr[str] = attr("team_key", default=KEY, added=True, en="What stands before the numbers of its tasks: DEV-12")
    limits: Attr[dict[str, int]] = attr(
        "team_limits", default={}, added=True, en="How many tasks a column should hold at most, by status"
    )
    former_keys: Attr[frozenset[str]] = attr(
        "team_formerKeys", default=frozenset(), added=True, en="What stood there before; such references stay good"
    )
    listed: Attr[str] = attr("team_listed", default="TEAM", added=True, en="The same for all, so that jobs find them")


@model
class TeamUser:
    team_id: Attr[str] = part()
    user_id: Attr[str] = part()
    role: Attr[Role] = attr("user_team_role")
    joined_on: Attr[date] = attr("user_team_joinedAt")
    user_name: Attr[str] = attr("user_name", ja="ユーザー名の写し", en="A copy; renaming the person renews it")


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


def tag_ref(tag_id: str) -> str:
    return f"TAG#{tag_id}"


# Tasks


def status_group1(team_id: str, status: Status, deleted_at: datetime | None) -> str | None:
    return None if deleted_at else group(team_id, GROUPS[0][status])


def status_group2(team_id: str, status: Status, deleted_at: datetime | None) -> str | None:
    return None if deleted_at else group(team_id, GROUPS[1][status])


def status_group3(team_id: str, status: Status, deleted_at: datetime | None) -> str | None:
    return None if deleted_at else group(team_id, GROUPS[2][status])


def assignee_group(assignee: str | None, status: Status, deleted_at: datetime | None) -> str | None:
    """Sparse: only tasks that somebody has."""
    return None if assignee is None or deleted_at else work_of(assignee, done=status is Status.DONE)


def work_of(user_id: str, *, done: bool = False) -> str:
    return f"USER#{user_id}#{'Done' if done else 'Open'}"


def board_column(team_id: str, status: Status, deleted_at: datetime | None) -> str:
    return column_of(team_id, TRASH if deleted_at else status.value)


def column_of(team_id: str, name: str) -> str:
    return f"TEAM#{team_id}#Board#{name}"


def searched(text: str) -> str:
    """One form for what is typed in several: full and half width, upper and lower case."""
    return folded(text)


def hand_sort(
    task_id: str, rank: str | None, status: Status, done_at: datetime | None, deleted_at: datetime | None
) -> str:
    """By hand; what is done or in the trash, by since when. Ids sort by when they were made, so a task that nobody has
    placed comes after those before it."""
    since = deleted_at or (done_at if status is Status.DONE else None)
    return since.astimezone(JST).isoformat(timespec="seconds") if since else rank or task_id


@model
class Task:
    """In the trash it is in no group of statuses and nobody's work; only the indexes of all tasks still have it."""

    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    title: Attr[str] = attr("team_task_title")
    description: Attr[str] = attr(
        "team_task_discription",
        default="",
        ja=f"{DESCRIPTION_KEPT_MAX}文字まで。長い説明の全文は TEXT#",
        en=f"The first {DESCRIPTION_KEPT_MAX} characters; TEXT# has the whole of a longer one",
    )
    status: Attr[Status] = attr("team_task_status", default=Status.TODO)
    start: Attr[date | None] = attr("team_task_startTime", default=None, absent_as=date.max)
    end: Attr[date | None] = attr("team_task_endTime", default=None, absent_as=date.max)
    tags: Attr[frozenset[str]] = attr("team_task_tagRef", default=frozenset(), ja="TAG#… の集合（空なら属性なし）")
    group1: Attr[str | None] = computed(status_group1, "status_group1")
    group2: Attr[str | None] = computed(status_group2, "status_group2")
    group3: Attr[str | None] = computed(status_group3, "status_group3")
    start_sort: Attr[str] = template("START#{start}", "start_sort_sk")
    end_sort: Attr[str] = template("END#{end}", "end_sort_sk")
    assignee: Attr[str | None] = attr(default=None, added=True, ja="担当者のユーザーID")
    assignee_group: Attr[str | None] = computed(assignee_group, added=True)
    priority: Attr[Priority | None] = attr(default=None, added=True, ja="優先度")
    rank: Attr[str | None] = attr(default=None, added=True, ja="手動の位置", en="Where somebody put it in its column")
    board_column: Attr[str] = computed(board_column, added=True)
    hand_sort: Attr[str] = computed(hand_sort, "hand_sort_sk", added=True)
    has_more: Attr[bool | None] = attr("text_more", default=None, added=True, en="The description goes on in TEXT#")
    number: Attr[int | None] = attr(
        "task_number", default=None, added=True, ja="チーム内の番号", en="Its number in the team"
    )
    created_by: Attr[str] = attr("createdBy", default="", added=True)
    created_at: Attr[datetime | None] = attr("createdAt", default=None, stored_as=JST_SECONDS, added=True)
    updated_at: Attr[datetime | None] = attr("updatedAt", default=None, stored_as=JST_SECONDS, added=True)
    updated_by: Attr[str] = attr("updatedBy", default="", added=True, en="Who changed it last")
    done_at: Attr[datetime | None] = attr("doneAt", default=None, stored_as=JST_SECONDS, added=True)
    import_id: Attr[str | None] = attr(
        "importId", default=None, added=True, ja="取り込みのID", en="The import that it came with"
    )
    deleted_at: Attr[datetime | None] = attr("deletedAt", default=None, stored_as=JST_SECONDS, added=True)
    expires: Attr[datetime | None] = attr("expiresAt", default=None, stored_as=epoch(), added=True)
    version: Attr[int] = version(added=True)


# What belongs to a task and is not copied into its indexes


@model
class TaskText:
    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    text: Attr[str] = attr("task_text")


@model
class SearchText:
    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    text: Attr[str] = attr("search_text", ja="検索用（正規化済み）", en="Title and description in one form of letters")


@model
class Talk:
    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    comments: Attr[int] = attr("comment_count", default=0)


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
    edited_at: Attr[datetime | None] = attr("editedAt", default=None, stored_as=JST_SECONDS)


@model
class Activity:
    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    version: Attr[int] = part(en="Of the task after the change; so one change is written down once")
    who: Attr[str] = attr(ja="ユーザーID")
    who_name: Attr[str] = attr(ja="その時点の名前", en="The name at the time")
    at: Attr[datetime] = attr("createdAt", stored_as=JST_SECONDS)
    changes: Attr[dict[str, list[str]]] = attr(ja="属性ごとの前と後", en="Before and after, by attribute")
    before: Attr[str | None] = attr("before_text", default=None, en="The whole description before, if it was changed")
    expires: Attr[datetime | None] = attr("expiresAt", default=None, stored_as=epoch())


@model
class Batch:
    team_id: Attr[str] = part()
    batch_id: Attr[str] = part()
    who: Attr[str] = attr(ja="ユーザーID")
    at: Attr[datetime] = attr("createdAt", stored_as=JST_SECONDS)
    deleted: Attr[bool] = attr("batch_deleted", default=False, en="They went to the trash")
    tasks: Attr[dict[str, int]] = attr("batch_tasks", en="Each task's version after the change")
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())


@model
class Number:
    team_id: Attr[str] = part()
    number: Attr[int] = part()
    task_id: Attr[str] = attr("number_task")


@model
class Imported:
    team_id: Attr[str] = part()
    source: Attr[str] = part(escape=True, ja="元のプログラムでのID", en="The program and what it calls the task")
    task_id: Attr[str] = attr("imported_task")


@model
class ImportRun:
    team_id: Attr[str] = part()
    import_id: Attr[str] = part()
    program: Attr[str] = attr("import_program")
    name: Attr[str] = attr("import_name", default="", en="What the other program calls the board")
    wanted: Attr[int] = attr("import_wanted", en="How many tasks it brings")
    seen: Attr[int] = attr("import_seen", default=0, en="How many of them have had their turn")
    made: Attr[int] = attr("import_made", default=0, en="How many became tasks here")
    tags: Attr[list[str]] = attr("import_tags", default=[], en="Tags to add first, by name")
    ended: Attr[datetime | None] = attr("endedAt", default=None, stored_as=JST_SECONDS)
    stopped: Attr[bool] = attr("import_stopped", default=False, en="Whoever began it is no longer in the team")
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())


@model
class ImportPart:
    team_id: Attr[str] = part()
    import_id: Attr[str] = part()
    at: Attr[int] = part()
    tasks: Attr[bytes] = attr("import_part", en="As many tasks as one transaction writes, compressed")
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())


@model
class SavedView:
    user_id: Attr[str] = part()
    team_id: Attr[str] = part()
    view_id: Attr[str] = part()
    name: Attr[str] = attr("view_name")
    place: Attr[str] = attr("view_place", en="board or list")
    query: Attr[str] = attr("view_query", default="", en="The filter, as it stands in the address")


@model
class Check:
    id: Attr[str] = attr("id")
    text: Attr[str] = attr("text")
    done: Attr[bool] = attr("done", default=False)


@model
class Plan:
    """Beside the task, so that a tick does not rewrite it in its eleven indexes.

    Which task is part of which stands in the plans of both, and one transaction writes both. In the trash a task keeps
    its plan, and so what it is part of and what is part of it; only a look leaves it out."""

    team_id: Attr[str] = part()
    task_id: Attr[str] = part()
    checks: Attr[list[Check]] = attr("plan_checks", default=[], ja="チェックリスト")
    blocked_by: Attr[frozenset[str]] = attr("plan_blockedBy", default=frozenset(), en="Ids of tasks that come first")
    parent: Attr[str | None] = attr("plan_parent", default=None, ja="親タスクのID", en="The task that it is part of")
    children: Attr[frozenset[str]] = attr(
        "plan_children", default=frozenset(), ja="サブタスクのID", en="Its subtasks; whoever has a parent has none"
    )
    rule: Attr[str | None] = attr("plan_rule", default=None, en="An RRULE; once done, the task comes again")
    next_id: Attr[str | None] = attr("plan_next", default=None, en="The task that came after it, so that only one does")
    import_id: Attr[str | None] = attr("importId", default=None, ja="取り込みのID", en="The import that it came with")
    version: Attr[int] = version()


@model
class Links:
    team_id: Attr[str] = part()
    moves: Attr[int] = attr(
        "links_moves", default=0, en="Counts every new dependency, so that two cannot close a circle"
    )


@model
class Flow:
    team_id: Attr[str] = part()
    day: Attr[date] = part(en="On which it was done, in Japan")
    task_id: Attr[str] = part()
    title: Attr[str] = attr("flow_title")
    number: Attr[int | None] = attr("task_number", default=None)
    created_at: Attr[datetime | None] = attr("createdAt", default=None, stored_as=JST_SECONDS)
    begun_at: Attr[datetime | None] = attr("begunAt", default=None, stored_as=JST_SECONDS, en="First seen in progress")
    done_at: Attr[datetime] = attr("doneAt", stored_as=JST_SECONDS)
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())


# What somebody should know


class NoteKind(Enum):
    MENTION = "mention"
    COMMENT = "comment"
    ASSIGNED = "assigned"
    HOOK = "hook"  # a webhook was stopped; it is about no task


@model
class Note:
    user_id: Attr[str] = part()
    at: Attr[datetime] = part(stored_as=JST_SECONDS)
    note_id: Attr[str] = part()
    kind: Attr[NoteKind] = attr("note_kind")
    team_id: Attr[str] = attr("note_team")
    task_id: Attr[str] = attr("note_task")
    title: Attr[str] = attr("note_title", en="The task's title at the time")
    by: Attr[str] = attr("note_by", ja="だれから", en="The name of whoever caused it, as it was then")
    by_id: Attr[str | None] = attr("note_by_id", default=None, ja="その人のユーザーID", en="And who they are")
    text: Attr[str] = attr("note_text", default="")
    read: Attr[bool] = attr("note_read", default=False)
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())


# Webhooks


class HookEvent(Enum):
    TASK_CREATED = "task.created"
    TASK_CHANGED = "task.changed"
    TASK_MOVED = "task.moved"
    TASK_DONE = "task.done"
    TASK_DELETED = "task.deleted"
    COMMENT = "comment.created"
    MEMBER_JOINED = "member.joined"
    MEMBER_CHANGED = "member.changed"
    MEMBER_LEFT = "member.left"


class Delivered(Enum):
    """What became of a delivery."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"


@model
class Hook:
    team_id: Attr[str] = part()
    hook_id: Attr[str] = part()
    url: Attr[str] = attr("hook_url")
    events: Attr[frozenset[HookEvent]] = attr("hook_events")
    secret: Attr[str] = attr("hook_secret", ja="封印した署名鍵", en="What it is signed with, sealed (AES-256-GCM)")
    created_by: Attr[str] = attr("createdBy", default="")
    created_at: Attr[datetime] = attr("createdAt", stored_as=JST_SECONDS)
    failing_since: Attr[datetime | None] = attr(
        "failingSince", default=None, stored_as=JST_SECONDS, en="Nothing has arrived since"
    )
    stopped_at: Attr[datetime | None] = attr(
        "stoppedAt", default=None, stored_as=JST_SECONDS, en="Nothing is sent any more, until an admin says so"
    )


@model
class HookDelivery:
    team_id: Attr[str] = part()
    hook_id: Attr[str] = part()
    delivery_id: Attr[str] = part()
    event_id: Attr[str] = attr("event_id", en="The same for an event however often it is sent: webhook-id")
    event: Attr[str] = attr("event_type")
    body: Attr[str] = attr("event_body", en="What is signed and sent, to the byte")
    people: Attr[frozenset[str]] = attr("event_people", default=frozenset(), ja="関係する人", en="Whom it tells of")
    state: Attr[Delivered] = attr("delivery_state", default=Delivered.WAITING)
    attempts: Attr[int] = attr("delivery_attempts", default=0)
    code: Attr[int | None] = attr("delivery_code", default=None, ja="応答コード", en="What the receiver answered")
    error: Attr[str | None] = attr("delivery_error", default=None)
    again: Attr[int] = attr("delivery_again", default=0, en="How often somebody had it sent again")
    at: Attr[datetime] = attr("createdAt", stored_as=JST_SECONDS)
    tried_at: Attr[datetime | None] = attr("triedAt", default=None, stored_as=JST_SECONDS)
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())


# Counters


@model
class Totals:
    team_id: Attr[str] = part()
    todo: Attr[int] = attr(default=0)
    doing: Attr[int] = attr(default=0)
    done: Attr[int] = attr(default=0)
    numbered: Attr[int] = attr(default=0, added=True, en="The last number that a task was given; never taken back")
    moves: Attr[int] = attr(default=0, added=True, en="Counts every change of a number here; a recount goes by it")
    closing: Attr[bool | None] = attr(default=None, added=True, en="The team is being deleted; nothing can be added")


@model
class DayTotals:
    team_id: Attr[str] = part()
    day: Attr[date] = part()
    todo: Attr[int] = attr(default=0)
    doing: Attr[int] = attr(default=0)
    done: Attr[int] = attr(default=0)
    expires: Attr[datetime | None] = attr("expiresAt", default=None, stored_as=epoch())


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


@model
class InviteLock:
    team_id: Attr[str] = part()
    email_hash: Attr[str] = part()
    invite_id: Attr[str] = attr("inviteId")
    expires: Attr[datetime] = attr("expiresAt", stored_as=epoch())


# Addresses that mail does not reach


@model
class MailBlock:
    email_hash: Attr[str] = part()
    email: Attr[str] = attr()
    reason: Attr[str] = attr("block_reason", en="bounce or complaint")
    detail: Attr[str] = attr("block_detail", default="")
    at: Attr[datetime] = attr("createdAt", stored_as=epoch())
