"""Two teams at work, so that every page and every table has something to show."""

from __future__ import annotations

from datetime import timedelta

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.system import Context, Parts
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    DayTotals,
    Delivered,
    Hook,
    HookDelivery,
    HookEvent,
    Imported,
    ImportRun,
    Role,
    day_totals,
    deliveries,
    hooks,
    import_runs,
    imported,
    members_of,
    teams,
)
from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.jobs import SNAPSHOT_LIFE
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.mails import BOUNCE
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.hooks import KEPT
from sekkei_systems.tasks.service.imports import KEPT as RUN_KEPT
from sekkei_systems.tasks.service.people import Visitor

_APP_TAGS = (
    ("フロント", "#2563eb"),
    ("バックエンド", "#7c3aed"),
    ("デザイン", "#db2777"),
    ("急ぎ", "#dc2626"),
    ("調査", "#0f766e"),
)
_HURRY = 3
_LOAD_STEPS = (
    "1. 同じチームに50人でサインインし、全員が同じボードを開く。",
    "2. ランダムなカードを選び、別の列へ移動する。これを10分間くり返す。",
    "3. コメントを10秒に1回書き込み、別の人のボードに出るまでの時間を測る。",
    "4. 終わったら集計を数え直し、画面の数字と一致することを確かめる。",
    "5. 結果を表にまとめ、前回との差を書く。",
)
# title, status, start and end in days from today (None: no date), tags, assignee, description
_APP_TASKS: tuple[tuple[str, Status, int | None, int | None, tuple[int, ...], int | None, str], ...] = (
    ("ログイン画面のエラー表示を見直す", Status.TODO, -3, 2, (0, 3), 1, "パスワード違いと通信エラーを分けて伝える。"),
    ("招待メールの文面を英語でも用意", Status.TODO, -1, 4, (2,), 2, ""),
    (
        "ボードのキーボード操作",
        Status.DOING,
        -6,
        1,
        (0,),
        0,
        "矢印で移動、Shift+矢印で列を変える。",
    ),
    ("集計カウンタの再計算ジョブ", Status.DOING, -10, -2, (1,), 1, "COUNTER#ALL と実数がずれたら夜間に直す。"),
    ("DynamoDB の料金を見積もる", Status.TODO, 1, 5, (1, 4), 3, "1日1,000人、1人20操作で。"),
    ("利用規約のページ", Status.TODO, None, None, (2,), None, "文案は法務から来週届く予定。"),
    ("CSV 書き出しの文字コード", Status.TODO, 3, 6, (1,), 4, "Excel で開けるように BOM 付きにする。"),
    ("スマートフォンでの表示崩れ", Status.DOING, -2, 0, (0, 3), 2, "iPhone SE でタグがはみ出す。"),
    ("カレンダー購読（ics）", Status.TODO, 5, 9, (1,), 0, ""),
    ("アイコンを新しいものに", Status.DONE, -14, -8, (2,), 2, ""),
    ("ステータス別インデックスの検証", Status.DONE, -12, -7, (1, 4), 1, "7通り×2順、総当たりと一致することを確認。"),
    ("ダークモード", Status.DONE, -9, -4, (0, 2), 0, ""),
    ("負荷試験の準備", Status.TODO, 8, 14, (1, 4), 3, "同時500件のステータス変更。\n\n" + "\n".join(_LOAD_STEPS * 6)),
    ("使い方の動画を撮る", Status.TODO, None, 12, (2,), 4, ""),
    ("アクセシビリティの点検", Status.TODO, -8, -1, (0, 3), 2, "コントラストとフォーカスの順番。"),
)
_REVIEWED = (2, 7, 11)
"""Parts of the last one: the keyboard, small screens, the dark."""
_FESTIVAL_TASKS: tuple[tuple[str, Status, int | None, int | None], ...] = (
    ("会場の下見", Status.DONE, -20, -15),
    ("出店申込書の提出", Status.DOING, -5, 3),
    ("やきそばの材料を発注", Status.TODO, 4, 10),
    ("のぼりのデザイン", Status.TODO, None, None),
    ("雨天時の連絡網", Status.TODO, -2, 1),
)
_BURNED = ((19, 1, 0), (18, 2, 0), (17, 2, 1), (17, 3, 1), (16, 3, 1), (15, 4, 1), (14, 4, 2), (14, 3, 2), (12, 4, 2),
          (12, 3, 3), (11, 3, 3), (11, 4, 3), (10, 4, 3), (9, 3, 3))  # fmt: skip


async def demo(context: Context, parts: Parts) -> None:
    service: Service = parts.service
    for person in DEMO_PEOPLE:
        await service.people.arrive(Visitor(person.id, person.email, person.name))
    await _app_team(context, service)
    await _festival_team(context, service)


async def _app_team(context: Context, service: Service) -> None:
    aoi = DEMO_PEOPLE[0].id
    team = await service.teams.create(aoi, "タスク管理アプリ開発チーム", "タスク管理アプリをつくるチームの仕事。")
    await _add_members(context, service, team.team_id, team.name)
    admin = await service.access.admin(aoi, team.team_id)
    made = [await service.tags.add(admin, name, color) for name, color in _APP_TAGS]
    today = days.today(context.clock)
    ids: list[str] = []
    for title, status, start, end, tags, assignee, description in _APP_TASKS:
        draft = TaskDraft(
            title=title,
            description=description,
            status=status,
            start=None if start is None else today + timedelta(days=start),
            end=None if end is None else today + timedelta(days=end),
            tags=frozenset(made[at].tag_id for at in tags),
            assignee=None if assignee is None else DEMO_PEOPLE[assignee].id,
            priority=Priority.HIGH if _HURRY in tags else None,
        )
        task = await service.tasks.create(admin, draft)
        if status is Status.DOING:
            await _talk(service, team.team_id, task.task_id)
        ids.append(task.task_id)
    await _planned(service, admin, ids)
    await _connected(context, service, admin, ids[0])
    await _burned(context, team.team_id)
    await service.invitations.invite(admin, "haruto@partner.example", Role.MEMBER)
    await service.blocks.block("former@partner.example", BOUNCE, "smtp; 550 5.1.1 no such user")


async def _planned(service: Service, admin: Admin, ids: list[str]) -> None:
    """A checklist, a task that waits for another, one that comes again, one with parts, a saved view, and two changed
    at once."""
    first, second, *_, last = ids
    for part in _REVIEWED:
        await service.tasks.change(admin, ids[part], TaskChanges(), parent=last)
    for text in ("下書き", "レビュー", "公開"):
        plan = await service.plans.add_check(admin, first, text)
    await service.plans.tick(admin, first, plan.checks[0].id, True)
    await service.plans.block(admin, first, second)
    await service.plans.repeat(admin, first, "weekly")
    await service.views.save(admin, "急ぎ", "board", "priority=high")
    await service.batches.change(admin, [second, last], TaskChanges(priority=Priority.LOW))


async def _connected(context: Context, service: Service, admin: Admin, task_id: str) -> None:
    """A webhook that was stopped, so that nothing is sent anywhere, with its log; and a task that came from Trello."""
    hook, _ = await service.hooks.add(admin, "https://hooks.example.com/tasks", frozenset({HookEvent.TASK_DONE}))
    now = days.now_jst(context.clock)
    sent = HookDelivery(
        team_id=admin.team_id,
        hook_id=hook.hook_id,
        delivery_id="demo",
        event_id="msg_demo",
        event=HookEvent.TASK_DONE.value,
        body='{"type":"task.done"}',
        state=Delivered.FAILED,
        attempts=12,
        code=503,
        at=now,
        expires=now + KEPT,
    )
    taken_in = ImportRun(
        team_id=admin.team_id,
        import_id="demo",
        program="trello",
        name="アプリ開発",
        wanted=1,
        seen=1,
        made=1,
        ended=now,
        expires=now + RUN_KEPT,
    )
    await context.db.transact(
        hooks.update(admin.team_id, hook.hook_id).set(Hook.stopped_at, now),
        deliveries.put(sent),
        imported.put(Imported(team_id=admin.team_id, source="trello/demo", task_id=task_id)),
        import_runs.put(taken_in),
    )


async def _talk(service: Service, team_id: str, task_id: str) -> None:
    ren, mei = [await service.access.member(person.id, team_id) for person in DEMO_PEOPLE[1:3]]
    await service.comments.add(ren, task_id, "半分まで進みました。残りは明日やります。")
    await service.comments.add(mei, task_id, "ありがとうございます！ @佐藤 葵 さん、午後にレビューをお願いします。")


async def _burned(context: Context, team_id: str) -> None:
    """The last two weeks, as the nightly snapshots would have left them."""
    today = days.today(context.clock)
    expires = days.now(context.clock) + SNAPSHOT_LIFE
    for back, (todo, doing, done) in zip(range(len(_BURNED), 0, -1), _BURNED, strict=True):
        day = today - timedelta(days=back)
        made = DayTotals(team_id=team_id, day=day, todo=todo, doing=doing, done=done, expires=expires)
        await context.db.write(day_totals.put(made))


async def _festival_team(context: Context, service: Service) -> None:
    mei = DEMO_PEOPLE[2].id
    team = await service.teams.create(mei, "商店街 秋まつり実行委員会", "十一月の秋まつりの準備。")
    await _add_members(context, service, team.team_id, team.name)
    admin = await service.access.admin(mei, team.team_id)
    today = days.today(context.clock)
    for title, status, start, end in _FESTIVAL_TASKS:
        draft = TaskDraft(
            title=title,
            start=None if start is None else today + timedelta(days=start),
            end=None if end is None else today + timedelta(days=end),
            assignee=mei,
        )
        task = await service.tasks.create(admin, draft)
        await service.tasks.change(admin, task.task_id, TaskChanges(status=status))


async def _add_members(context: Context, service: Service, team_id: str, team_name: str) -> None:
    """Everybody else, as if they had accepted an invitation."""
    present = {member.user_id for member in await context.db.all(members_of(team_id).consistent())}
    for person in DEMO_PEOPLE:
        if person.id not in present:
            user = await service.people.arrive(Visitor(person.id, person.email, person.name))
            await context.db.transact(
                *service.teams.join(team_id, team_name, user, Role.MEMBER), teams.must_exist(team_id)
            )
