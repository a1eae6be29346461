"""What takes longer than a request, in steps that can be cut off anywhere, and what happens by the clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, Page, TransactionFailed, Update
from sekkei.runtime.jobs import Job, Jobs, Payload, Progress, Step
from sekkei.runtime.system import ScheduledJob
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    COUNTED,
    DayTotals,
    Note,
    Task,
    TeamUser,
    Totals,
    UserTeam,
    activities,
    activity_on,
    all_teams,
    comments,
    comments_on,
    day_totals,
    deliveries,
    deliveries_of,
    invitation_table,
    members_of,
    memberships_in,
    notes,
    notes_of,
    plan_of,
    plans,
    saved_views,
    search_texts,
    stored_tasks,
    tag_ref,
    tags,
    talks,
    task_texts,
    tasks,
    team_users,
    teams,
    teams_of,
    totals,
    user_teams,
    users,
    views_of,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.imports import JOB as IMPORT
from sekkei_systems.tasks.service.imports import Imports
from sekkei_systems.tasks.service.mail import Digest
from sekkei_systems.tasks.service.subtasks import unlinked

_STEP_ITEMS = 100
_DIGEST_TEAMS = 10
SNAPSHOT_LIFE = timedelta(days=400)
_RECOUNTS_MAX = 3
RECURRING = {"snapshot": "5 0 * * *", "reconcile": "30 3 * * *", "digest": "0 8 * * *"}
"""Japan's time: yesterday's totals are written down after midnight, counted anew at night, and mails go at eight."""


@dataclass
class TaskJobs:
    """Every step reads a bounded part, does what must be done to it, and can be done again without harm."""

    db: Database
    clock: Clock
    jobs: Jobs
    digest: Digest
    imports: Imports
    snapshot_life: timedelta = SNAPSHOT_LIFE

    def definitions(self) -> Mapping[str, Job]:
        found: dict[str, Sequence[tuple[str, Step]]] = {
            "rename-user": [("copies", self._rename_user)],
            "rename-team": [("copies", self._rename_team)],
            # Twice, because a task may have got the tag while the first round was under way.
            "delete-tag": [("tasks", self._strip_tag), ("tag", self._delete_tag), ("again", self._strip_tag)],
            "unassign": [
                ("tasks", self._unassign),
                ("views", self._forget_views),
                ("notes", self._forget_notes),
            ],
            "delete-rest-of-task": [
                ("comments", self._delete_comments),
                ("activity", self._delete_activity),
                ("family", self._untie),
                ("beside", self._delete_beside),
            ],
            "delete-team": [
                ("members", self._delete_members),
                ("strays", self._delete_strays),
                ("invitations", self._delete_invitations),
                ("everything", self._delete_everything),
                ("team", self._delete_team),
            ],
            "delete-hook-log": [("log", self._delete_hook_log)],
            "snapshot": [("teams", self._snapshot)],
            "reconcile": [("teams", self._reconcile)],
            "digest": [("teams", self._send_digests)],
        }
        imported = Job([("tasks", self.imports.job_step)], leaves_nothing=True)
        return {name: Job(steps) for name, steps in found.items()} | {IMPORT: imported}

    def scheduled(self) -> Mapping[str, ScheduledJob]:
        return {"snapshot": self._begin_snapshot, "reconcile": self._begin_reconcile, "digest": self._begin_digest}

    # Copies of names

    async def _rename_user(self, payload: Payload, cursor: str | None) -> Progress:
        user = await self.db.get(users(payload["user_id"]).consistent())
        if user is None:
            return Progress(0)
        page = await self.db.page(teams_of(user.user_id).consistent(), size=_STEP_ITEMS, after=cursor)
        for team in page:
            await self._if_there(team_users.update(team.team_id, user.user_id).set(TeamUser.user_name, user.name))
        return Progress(len(page), page.cursor)

    async def _rename_team(self, payload: Payload, cursor: str | None) -> Progress:
        team = await self.db.get(teams(payload["team_id"]).consistent())
        if team is None:
            return Progress(0)
        page = await self.db.page(members_of(team.team_id).consistent(), size=_STEP_ITEMS, after=cursor)
        for member in page:
            await self._if_there(user_teams.update(member.user_id, team.team_id).set(UserTeam.team_name, team.name))
        return Progress(len(page), page.cursor)

    async def _if_there(self, update: Update[Any]) -> None:
        try:
            await self.db.write(update)
        except ConditionFailed:
            pass  # left or deleted meanwhile

    # Tags

    async def _strip_tag(self, payload: Payload, cursor: str | None) -> Progress:
        ref = tag_ref(payload["tag_id"])
        holding = stored_tasks(payload["team_id"]).filter(Task.tags.contains(ref))
        page = await self.db.page(holding, size=_STEP_ITEMS, after=cursor)
        for task in page:
            await self._if_there(tasks.update(task.team_id, task.task_id).discard(Task.tags, [ref]))
        return Progress(len(page), page.cursor)

    async def _delete_tag(self, payload: Payload, cursor: str | None) -> Progress:
        await self.db.write(tags.delete(payload["team_id"], payload["tag_id"]))
        return Progress(1)

    # Somebody who is not in the team any more

    async def _unassign(self, payload: Payload, cursor: str | None) -> Progress:
        theirs = stored_tasks(payload["team_id"]).filter(Task.assignee == payload["user_id"])
        page = await self.db.page(theirs, size=_STEP_ITEMS, after=cursor)
        for task in page:
            update = tasks.update(task.team_id, task.task_id).set(Task.assignee, None)
            await self._unless_back(payload, update.when(Task.assignee == payload["user_id"]))
        return Progress(len(page), page.cursor)

    async def _forget_views(self, payload: Payload, cursor: str | None) -> Progress:
        gone = await self._views_gone(payload["user_id"], payload["team_id"])
        await self._unless_back(payload, *gone)
        return Progress(len(gone))

    async def _forget_notes(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self._notes_page(payload["user_id"], payload["team_id"])
        is_away = await self._unless_back(payload, *self._notes_gone(page))
        return Progress(len(page), "more" if len(page) and is_away else None)

    async def _unless_back(self, payload: Payload, *actions: Action[Any, Any]) -> bool:
        """Whoever has come back meanwhile keeps what is theirs; they may have been given it since."""
        if not actions:
            return True
        away = team_users.must_not_exist(payload["team_id"], payload["user_id"])
        try:
            await self.db.transact(*actions, away)
        except TransactionFailed:
            return False  # or what was to be changed is gone
        return True

    async def _views_gone(self, user_id: str, team_id: str) -> list[Action[Any, Any]]:
        found = await self.db.all(views_of(user_id, team_id).consistent())
        return [saved_views.delete(user_id, team_id, one.view_id) for one in found]

    async def _notes_page(self, user_id: str, team_id: str) -> Page[Note]:
        told = notes_of(user_id).filter(Note.team_id == team_id).consistent()
        return await self.db.page(told, size=_STEP_ITEMS - 1)  # one transaction, with a check

    def _notes_gone(self, page: Page[Note]) -> list[Action[Any, Any]]:
        return [notes.delete(one.user_id, one.at, one.note_id) for one in page]

    # Deletions

    async def _delete_comments(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self.db.page(comments_on(payload["team_id"], payload["task_id"]).consistent(), size=_STEP_ITEMS)
        await self.db.write_many(comments.delete(one.team_id, one.task_id, one.comment_id) for one in page)
        return Progress(len(page), "more" if len(page) else None)

    async def _delete_activity(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self.db.page(activity_on(payload["team_id"], payload["task_id"]).consistent(), size=_STEP_ITEMS)
        await self.db.write_many(activities.delete(one.team_id, one.task_id, one.version) for one in page)
        return Progress(len(page), "more" if len(page) else None)

    async def _untie(self, payload: Payload, cursor: str | None) -> Progress:
        """What is gone is part of nothing, and nothing is part of it. Both sides at once; if somebody gives a subtask
        another parent just then, the next round looks again."""
        ids = payload["team_id"], payload["task_id"]
        plan = await self.db.get(plan_of(*ids))
        if plan is None or not (plan.parent or plan.children):
            return Progress(0)
        try:
            await self.db.transact(*unlinked(plan))
        except TransactionFailed:
            return Progress(0, "more")
        return Progress(1)

    async def _delete_beside(self, payload: Payload, cursor: str | None) -> Progress:
        ids = payload["team_id"], payload["task_id"]
        await self.db.write_many(
            [talks.delete(*ids), search_texts.delete(*ids), task_texts.delete(*ids), plans.delete(*ids)]
        )
        return Progress(4)

    async def _delete_hook_log(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self.db.page(deliveries_of(payload["team_id"], payload["hook_id"]).consistent(), size=_STEP_ITEMS)
        await self.db.write_many(deliveries.delete(one.team_id, one.hook_id, one.delivery_id) for one in page)
        return Progress(len(page), "more" if len(page) else None)

    async def _delete_members(self, payload: Payload, cursor: str | None) -> Progress:
        """First, so that nobody can do anything in the team any more. Both sides of each membership; before them what
        their owners kept of the team, to which they add nothing once it is closing."""
        team_id = payload["team_id"]
        page = await self.db.page(members_of(team_id).consistent(), size=_STEP_ITEMS)
        for one in page:
            await self.db.write_many(await self._views_gone(one.user_id, team_id))
            while page_of_notes := await self._notes_page(one.user_id, team_id):
                await self.db.write_many(self._notes_gone(page_of_notes))
        both: list[Action[Any, Any]] = [user_teams.delete(one.user_id, team_id) for one in page]
        await self.db.write_many(both + [team_users.delete(team_id, one.user_id) for one in page])
        return Progress(len(page), "more" if len(page) else None)

    async def _delete_strays(self, payload: Payload, cursor: str | None) -> Progress:
        """Memberships that only the person's side knows, found by the inverted index."""
        page = await self.db.page(memberships_in(payload["team_id"]), size=_STEP_ITEMS, after=cursor)
        await self.db.write_many(user_teams.delete(one.user_id, one.team_id) for one in page)
        return Progress(len(page), page.cursor)

    async def _delete_invitations(self, payload: Payload, cursor: str | None) -> Progress:
        return await self._clear(invitation_table, payload["team_id"])

    async def _delete_everything(self, payload: Payload, cursor: str | None) -> Progress:
        return await self._clear(teams.table, payload["team_id"], keep=f"TEAM#{payload['team_id']}")

    async def _clear(self, table: Any, team_id: str, keep: str = "") -> Progress:
        """What is left in the team's partition, whatever it is; the counter goes too, so that no task can be added."""
        request = {
            "TableName": self.db.table_name(table),
            "KeyConditionExpression": "PK = :team",
            "ExpressionAttributeValues": {":team": {"S": f"TEAM#{team_id}"}},
            "ProjectionExpression": "PK, SK",
            "ConsistentRead": True,
            "Limit": _STEP_ITEMS,
        }
        found = (await self.db.store.call("Query", request))["Items"]
        gone = [key for key in found if key["SK"]["S"] != keep]
        for key in gone:
            await self.db.store.call("DeleteItem", {"TableName": request["TableName"], "Key": key})
        return Progress(len(gone), "more" if gone else None)

    async def _delete_team(self, payload: Payload, cursor: str | None) -> Progress:
        await self.db.write(teams.delete(payload["team_id"]))
        return Progress(1)

    # By the clock

    async def _begin_snapshot(self, payload: Payload) -> None:
        day = days.today(self.clock) - timedelta(days=1)
        await self.jobs.start("snapshot", {"day": day.isoformat()}, id=f"snapshot/{day}")

    async def _begin_reconcile(self, payload: Payload) -> None:
        day = days.today(self.clock)
        await self.jobs.start("reconcile", {}, id=f"reconcile/{day}")

    async def _begin_digest(self, payload: Payload) -> None:
        day = days.today(self.clock)
        await self.jobs.start("digest", {"day": day.isoformat()}, id=f"digest/{day}")

    async def _send_digests(self, payload: Payload, cursor: str | None) -> Progress:
        """To every member of every team once, whichever team they are found in first."""
        day = date.fromisoformat(payload["day"])
        page = await self.db.page(all_teams(), size=_DIGEST_TEAMS, after=cursor)
        for team in page:
            async for member in self.db.each(members_of(team.team_id)):
                await self.digest.send(member.user_id, day)
        return Progress(len(page), page.cursor)

    async def _snapshot(self, payload: Payload, cursor: str | None) -> Progress:
        """Each team's totals as they stood at the end of the day. Written once: the first look is the nearest to it."""
        day = date.fromisoformat(payload["day"])
        page = await self.db.page(all_teams(), size=_STEP_ITEMS, after=cursor)
        for team in page:
            now = await self.db.get(totals(team.team_id).consistent())
            if now is None:
                continue
            expires = days.now(self.clock) + self.snapshot_life
            made = DayTotals(
                team_id=team.team_id, day=day, todo=now.todo, doing=now.doing, done=now.done, expires=expires
            )
            try:
                await self.db.transact(day_totals.create(made), still_open(team.team_id))
            except TransactionFailed:
                continue
        return Progress(len(page), page.cursor)

    async def _reconcile(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self.db.page(all_teams(), size=10, after=cursor)
        for team in page:
            await self.recount(team.team_id)
        return Progress(len(page), page.cursor)

    async def recount(self, team_id: str) -> bool:
        """Set the counter right, if it is wrong; True when it was repaired.

        Whatever changes a number counts `moves` up in the same transaction. If nothing did between the first look and
        the write, all tasks were counted in one and the same state."""
        there = still_open(team_id)
        for _ in range(_RECOUNTS_MAX):
            before = await self.db.get(totals(team_id).consistent()) or Totals(team_id=team_id)
            counted = await self._counted(team_id)
            if all(getattr(before, field.name) == counted[status] for status, field in COUNTED.items()):
                return False
            try:
                await self.db.transact(self._repair(before, counted), there)
            except TransactionFailed as failed:
                if failed.failed(there):
                    return False  # it is being deleted, and its counter with it
                continue  # tasks moved while they were counted; once more
            return True
        return False  # a busy team; the next night looks again

    async def _counted(self, team_id: str) -> dict[Status, int]:
        counted = dict.fromkeys(COUNTED, 0)
        async for task in self.db.each(stored_tasks(team_id).with_expired()):
            if task.deleted_at is None:
                counted[task.status] += 1
        return counted

    def _repair(self, before: Totals, counted: Mapping[Status, int]) -> Update[Totals]:
        update = totals.upsert(before.team_id).add(Totals.moves, 1)
        for status, field in COUNTED.items():
            update = update.set(field, counted[status])
        same = Totals.moves == before.moves
        return update.when(same if before.moves else same | Totals.moves.absent())
