"""The design's access patterns, by their numbers in the original; the tables are in `tables`."""

from __future__ import annotations

from datetime import date
from typing import Any

from sekkei.design import Condition, Field, Query, Ref, View
from sekkei_systems.tasks.design.models import (
    TRASH,
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
    column_of,
    tag_ref,
    work_of,
)
from sekkei_systems.tasks.design.statuses import OPEN, Order, Status, group, group_serving
from sekkei_systems.tasks.design.tables import (
    activities,
    batches,
    comments,
    day_totals,
    deliveries,
    design,
    flows,
    hooks,
    import_parts,
    import_runs,
    imported,
    invitations,
    notes,
    numbers,
    plans,
    saved_views,
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

# How tasks are found by status

_ALL_BY = {
    Order.START: tasks.index("GSI_Status_Start_Sort_All"),
    Order.END: tasks.index("GSI_Status_End_Sort_All"),
}
_GROUP_BY: dict[tuple[int, Order], View[Task]] = {
    (number, order): tasks.index(f"GSI_Status_{order.value.title()}_Sort_Group{number}")
    for number in (1, 2, 3)
    for order in Order
}
_GROUP_FIELD: dict[int, Field[Task, str | None]] = {1: Task.group1, 2: Task.group2, 3: Task.group3}
_DATE_FIELD: dict[Order, Field[Task, Any]] = {Order.START: Task.start, Order.END: Task.end}


def in_statuses(
    team_id: str, statuses: frozenset[Status], by: Order = Order.START, before: date | None = None
) -> Query[Task]:
    """Tasks in any choice of statuses, by start or end, perhaps only those before a day: always one index, one key.
    Only what is in the trash expires; the indexes of all tasks have it, the others do not."""
    dated: list[Condition[Task]] = [] if before is None else [_DATE_FIELD[by] < before]
    serving = group_serving(statuses)
    if serving is None:
        return _ALL_BY[by].where(Task.team_id == team_id, *dated).with_expired().filter(Task.deleted_at.absent())
    number, word = serving
    return _GROUP_BY[number, by].where(_GROUP_FIELD[number] == group(team_id, word), *dated).with_expired()


def tagged(query: Query[Task], tag_ids: list[str], any_of_them: bool = False) -> Query[Task]:
    """Only tasks that carry all of the tags, or any of them."""
    if not tag_ids:
        return query
    holds = [Task.tags.contains(tag_ref(tag_id)) for tag_id in tag_ids]
    if not any_of_them:
        return query.filter(*holds)
    either = holds[0]
    for one in holds[1:]:
        either = either | one
    return query.filter(either)


# The access patterns


@design.pattern(number="1", ja="ユーザー取得")
def one_user(user_id: str) -> Ref[User]:
    """A user."""
    return users(user_id)


@design.pattern(number="2", ja="チームの全ユーザー")
def members_of(team_id: str) -> Query[TeamUser]:
    """All members of a team."""
    return team_users.where(TeamUser.team_id == team_id)


@design.pattern(number="3", ja="チーム情報")
def one_team(team_id: str) -> Ref[Team]:
    """A team."""
    return teams(team_id)


@design.pattern(number="4", ja="ユーザーの全チーム")
def teams_of(user_id: str) -> Query[UserTeam]:
    """All teams of a user."""
    return user_teams.where(UserTeam.user_id == user_id)


@design.pattern(number="5", ja="全タグ")
def tags_of(team_id: str) -> Query[Tag]:
    """All tags of a team."""
    return tags.where(Tag.team_id == team_id)


@design.pattern(number="6", ja="タスク詳細")
def one_task(team_id: str, task_id: str) -> Ref[Task]:
    """A task as it is now."""
    return tasks(team_id, task_id).consistent()


@design.pattern(number="7", ja="初期表示（TODO_DOING + 開始日昇順）", page=100)
def default_board(team_id: str) -> Query[Task]:
    """What is still to do or being done, by start; what has no date comes last."""
    return in_statuses(team_id, OPEN)


@design.pattern(number="8", ja="TODO のみ")
def to_do(team_id: str) -> Query[Task]:
    """What is still to do, by start."""
    return in_statuses(team_id, frozenset({Status.TODO}))


@design.pattern(number="9", ja="単体タグ + TODO")
def to_do_with_tag(team_id: str, tag_id: str) -> Query[Task]:
    """What is still to do and carries a tag."""
    return tagged(to_do(team_id), [tag_id])


@design.pattern(number="10", ja="複数タグ + TODO")
def to_do_with_tags(team_id: str, tag_ids: list[str], any_of_them: bool) -> Query[Task]:
    """What is still to do and carries all of these tags, or any of them."""
    return tagged(to_do(team_id), tag_ids, any_of_them)


@design.pattern(number="11", ja="全ステータス")
def every_task(team_id: str) -> Query[Task]:
    """All tasks, by start."""
    return in_statuses(team_id, frozenset(Status))


@design.pattern(number="12", ja="開始日遅延（TODO）")
def late_to_start(team_id: str, today: date) -> Query[Task]:
    """Still to do although the start has passed."""
    return in_statuses(team_id, frozenset({Status.TODO}), Order.START, today)


@design.pattern(number="13", ja="開始日遅延 + 複数タグ")
def late_to_start_with_tags(team_id: str, today: date, tag_ids: list[str], any_of_them: bool) -> Query[Task]:
    """The same, with tags."""
    return tagged(late_to_start(team_id, today), tag_ids, any_of_them)


@design.pattern(number="14", ja="完了遅延（未完了すべて）")
def late_to_finish(team_id: str, today: date) -> Query[Task]:
    """Not done although the end has passed; the original names DOING and serves it from Group2, which is this."""
    return in_statuses(team_id, OPEN, Order.END, today)


@design.pattern(number="14", ja="完了遅延（DOING のみ）")
def late_while_doing(team_id: str, today: date) -> Query[Task]:
    """Being done although the end has passed."""
    return in_statuses(team_id, frozenset({Status.DOING}), Order.END, today)


@design.pattern(number="15", ja="完了遅延 + 複数タグ")
def late_to_finish_with_tags(team_id: str, today: date, tag_ids: list[str], any_of_them: bool) -> Query[Task]:
    """Not done although the end has passed, with tags."""
    return tagged(late_to_finish(team_id, today), tag_ids, any_of_them)


@design.pattern(number="16", ja="チームの集計")
def totals_of(team_id: str) -> Ref[Totals]:
    """How many tasks a team has in each status."""
    return totals(team_id)


@design.pattern(number="I-1", ja="チームごとの招待を取得")
def invitations_of(team_id: str) -> Query[Invitation]:
    """A team's open invitations, in the order in which they were made."""
    return invitations.where(Invitation.team_id == team_id)


@design.pattern(number="I-2", ja="招待を取得")
def one_invitation(team_id: str, invite_id: str) -> Ref[Invitation]:
    """An invitation as it is now."""
    return invitations(team_id, invite_id).consistent()


@design.pattern(ja="進行中（開始日順）", added=True)
def being_done(team_id: str) -> Query[Task]:
    """What is being done, by start: a column of the board."""
    return in_statuses(team_id, frozenset({Status.DOING}))


@design.pattern(ja="着手済み（終了日順）", added=True)
def begun_by_end(team_id: str) -> Query[Task]:
    """What somebody has begun or finished, by end."""
    return in_statuses(team_id, frozenset({Status.DOING, Status.DONE}), Order.END)


@design.pattern(ja="全ステータス（終了日順）", added=True)
def every_task_by_end(team_id: str) -> Query[Task]:
    """All tasks, by end."""
    return in_statuses(team_id, frozenset(Status), Order.END)


@design.pattern(ja="ボードの列（手動の並び順）", added=True, sample={"status": Status.TODO})
def by_hand(team_id: str, status: Status) -> Query[Task]:
    """A column of the board in the order that people gave it; what is done, by when it was done."""
    hand = tasks.index("GSI_Board_Hand_Sort")
    return hand.where(Task.board_column == column_of(team_id, status.value)).with_expired()


@design.pattern(ja="完了（終わった順、新しいものから）", added=True)
def done(team_id: str) -> Query[Task]:
    """What is done, the latest first: a column of the board."""
    return by_hand(team_id, Status.DONE).backwards()


@design.pattern(ja="ボードの列で次のカード", added=True, sample={"status": Status.TODO})
def next_by_hand(team_id: str, status: Status, place: str) -> Query[Task]:
    """What comes after a place in a column."""
    hand = tasks.index("GSI_Board_Hand_Sort")
    return hand.where(Task.board_column == column_of(team_id, status.value), Task.hand_sort > place).with_expired()


@design.pattern(ja="チームの全所属（逆引き）", added=True)
def memberships_in(team_id: str) -> Query[UserTeam]:
    """Every membership in a team, found from the other side; for the deletion of a team."""
    return user_teams.index("GSI_Invert").where(UserTeam.team_id == team_id)


@design.pattern(ja="タスクの変更履歴", added=True, page=50)
def activity_on(team_id: str, task_id: str) -> Query[Activity]:
    """Who changed what of a task, the latest first."""
    return activities.where(Activity.team_id == team_id, Activity.task_id == task_id).backwards()


@design.pattern(ja="通知（新しい順）", added=True, page=50)
def notes_of(user_id: str) -> Query[Note]:
    """What somebody should know, the latest first."""
    return notes.where(Note.user_id == user_id).backwards()


@design.pattern(
    ja="選んだステータスのタスク", added=True, sample={"statuses": frozenset({Status.DONE}), "by": Order.END}
)
def chosen(team_id: str, statuses: frozenset[Status], by: Order) -> Query[Task]:
    """Tasks in any choice of statuses, in either order."""
    return in_statuses(team_id, statuses, by)


@design.pattern(ja="担当タスク（全チーム）", added=True)
def work_of_user(user_id: str) -> Query[Task]:
    """What somebody still has to do, in all teams, by end."""
    return tasks.index("GSI_Assignee_End_Sort").where(Task.assignee_group == work_of(user_id)).with_expired()


@design.pattern(ja="コメント", added=True)
def comments_on(team_id: str, task_id: str) -> Query[Comment]:
    """What was said about a task, the oldest first."""
    return comments.where(Comment.team_id == team_id, Comment.task_id == task_id)


@design.pattern(ja="日付集計（バーンダウン）", added=True)
def days_of(team_id: str, first: date, last: date) -> Query[DayTotals]:
    """A team's totals at the end of each day."""
    return day_totals.where(DayTotals.team_id == team_id, DayTotals.day.between(first, last))


@design.pattern(ja="全チーム（夜間ジョブ）", added=True)
def all_teams() -> Query[Team]:
    """Every team, for the jobs that look after all of them."""
    return teams.index("GSI_Teams").where(Team.listed == "TEAM")


@design.pattern(ja="チームの全タスク（ジョブ）", added=True)
def stored_tasks(team_id: str) -> Query[Task]:
    """Every task of a team as it is now, not as an index last saw it; those in the trash too."""
    return tasks.where(Task.team_id == team_id).consistent()


@design.pattern(ja="長い説明の全文", added=True)
def whole_text(team_id: str, task_id: str) -> Ref[TaskText]:
    """The whole of a long description."""
    return task_texts(team_id, task_id).consistent()


@design.pattern(ja="検索（タスク）", added=True)
def searchable(team_id: str) -> Query[SearchText]:
    """What a search looks through: titles and descriptions, without reading the tasks."""
    return search_texts.where(SearchText.team_id == team_id)


@design.pattern(ja="検索（コメント）", added=True)
def comments_in(team_id: str) -> Query[Comment]:
    """Every comment of a team, for a search."""
    return comments.where(Comment.team_id == team_id)


@design.pattern(ja="コメント数", added=True)
def talk_about(team_id: str, task_id: str) -> Ref[Talk]:
    """How many comments a task has."""
    return talks(team_id, task_id)


@design.pattern(ja="チェックリスト・依存・繰り返し", added=True)
def plan_of(team_id: str, task_id: str) -> Ref[Plan]:
    """A task's checklist, what comes before it, and when it comes again."""
    return plans(team_id, task_id).consistent()


@design.pattern(ja="完了の記録（日付順）", added=True)
def flow_in(team_id: str, first: date, last: date) -> Query[Flow]:
    """What was done on some days, and how long it took."""
    return flows.where(Flow.team_id == team_id, Flow.day.between(first, last))


@design.pattern(ja="番号からタスク", added=True)
def numbered(team_id: str, number: int) -> Ref[Number]:
    """Which task has a number."""
    return numbers(team_id, number)


@design.pattern(ja="保存したビュー", added=True)
def views_of(user_id: str, team_id: str) -> Query[SavedView]:
    """The filters that somebody has saved in a team, in the order in which they were."""
    return saved_views.where(SavedView.user_id == user_id, SavedView.team_id == team_id)


@design.pattern(ja="まとめての変更", added=True)
def one_batch(team_id: str, batch_id: str) -> Ref[Batch]:
    """Many tasks that were changed at once."""
    return batches(team_id, batch_id).consistent()


@design.pattern(ja="ゴミ箱（新しい順）", added=True)
def trashed(team_id: str) -> Query[Task]:
    """What was deleted in the last thirty days, the latest first."""
    column = column_of(team_id, TRASH)
    return tasks.index("GSI_Board_Hand_Sort").where(Task.board_column == column).backwards()


@design.pattern(ja="ある版より後の変更", added=True)
def activity_after(team_id: str, task_id: str, version: int) -> Query[Activity]:
    """What was changed after a version that somebody has seen, the oldest first."""
    return activities.where(
        Activity.team_id == team_id, Activity.task_id == task_id, Activity.version > version
    ).consistent()


@design.pattern(ja="チームの全変更履歴（ジョブ）", added=True)
def activities_in(team_id: str) -> Query[Activity]:
    """Every change in a team, for a job that takes a name out of it."""
    return activities.where(Activity.team_id == team_id)


@design.pattern(ja="チームの Webhook", added=True)
def hooks_of(team_id: str) -> Query[Hook]:
    """The addresses that are told what happens in a team, in the order in which they were added."""
    return hooks.where(Hook.team_id == team_id)


@design.pattern(ja="Webhook の送信記録（新しい順）", added=True, page=50)
def deliveries_of(team_id: str, hook_id: str) -> Query[HookDelivery]:
    """What an address was sent, the latest first."""
    return deliveries.where(HookDelivery.team_id == team_id, HookDelivery.hook_id == hook_id).backwards()


@design.pattern(ja="チームの全送信記録（ジョブ）", added=True)
def deliveries_in(team_id: str) -> Query[HookDelivery]:
    """Everything that was sent out of a team, for a job that takes somebody out of it."""
    return deliveries.where(HookDelivery.team_id == team_id)


@design.pattern(ja="取り込み済みか", added=True)
def imported_as(team_id: str, source: str) -> Ref[Imported]:
    """Which task came out of another program's file."""
    return imported(team_id, source)


@design.pattern(ja="読み込みの進み具合", added=True)
def import_run(team_id: str, import_id: str) -> Ref[ImportRun]:
    """How far a file is taken in."""
    return import_runs(team_id, import_id)


@design.pattern(ja="読み込み待ちのタスク（ジョブ）", added=True, page=1)
def parts_of(team_id: str, import_id: str) -> Query[ImportPart]:
    """What waits of a file, in its order."""
    return import_parts.where(ImportPart.team_id == team_id, ImportPart.import_id == import_id)
