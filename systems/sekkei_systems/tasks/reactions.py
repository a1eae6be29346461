"""What happens when items change: open boards and other programs are told, and invitations go out by mail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sekkei.design import Change, Database, Entity, Reactions
from sekkei.kit.text import one_line
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.live import Live
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.settings import Settings
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    COUNTED,
    Activity,
    Comment,
    ImportRun,
    Invitation,
    Note,
    Plan,
    Tag,
    Task,
    TeamUser,
    Totals,
    activities,
    comments,
    design,
    import_runs,
    invitations,
    notes,
    plans,
    tags,
    tasks,
    team_users,
    totals,
    users,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules import hooks, mails
from sekkei_systems.tasks.rules.history import PARENT
from sekkei_systems.tasks.service.flows import Flows
from sekkei_systems.tasks.service.hooks import Hooks
from sekkei_systems.tasks.service.invitations import Invitations, mail_id
from sekkei_systems.tasks.service.notes import Herald
from sekkei_systems.tasks.service.plans import Recurrence


def topic(team_id: str) -> str:
    """Where the open pages of a team listen."""
    return f"tasks/team/{team_id}"


@dataclass
class TaskReactions:
    """What happens when items change: a method for each kind of item. Each may be called again with the same change."""

    db: Database
    jobs: Jobs
    live: Live
    outbox: Outbox
    settings: Settings
    flows: Flows
    recurrence: Recurrence
    herald: Herald
    webhooks: Hooks
    invitations: Invitations

    def reactions(self) -> Reactions:
        found = Reactions(design, env=self.settings.env)
        methods: list[tuple[Entity[..., Any], Callable[[Change[Any]], Awaitable[None]]]] = [
            (tasks, self.task),
            (plans, self.plan),
            (comments, self.comment),
            (activities, self.activity),
            (import_runs, self.import_run),
            (totals, self.totals),
            (notes, self.note),
            (tags, self.tag),
            (team_users, self.member),
            (invitations, self.invitation),
        ]
        for entity, method in methods:
            found.on(entity)(method)
        return found

    async def task(self, change: Change[Task]) -> None:
        """What was done and when, the next of those that recur, people, boards, and other programs."""
        team_id, task_id = change.ref.values["team_id"], change.ref.values["task_id"]
        if change.new is None:
            payload = {"team_id": team_id, "task_id": task_id}
            await self.jobs.start("delete-rest-of-task", payload, id=f"delete-rest-of-task/{task_id}")
        else:
            await self.flows.changed(change.old, change.new)
            if _just_done(change.old, change.new):
                await self.recurrence.done(change.new)
            await self.herald.tell_of_task(change.old, change.new)
        if not _came_in(change):
            self._publish_task(team_id, task_id, change.new)
        if change.old is not None and change.new is not None:
            await self._publish_relatives(change.old, change.new)
        await self.webhooks.tell(team_id, hooks.of_task(change.old, change.new))

    def _publish_task(self, team_id: str, task_id: str, new: Task | None) -> None:
        if new is None or new.deleted_at is not None:
            self.live.publish(topic(team_id), "gone", {"task": task_id})
        else:
            data = {"task": task_id, "status": new.status.value, "version": new.version}
            self.live.publish(topic(team_id), "task", data)

    async def _publish_relatives(self, old: Task, new: Task) -> None:
        """A card says how many of its subtasks are done, and what it is part of."""
        if _as_relatives_see_it(old) == _as_relatives_see_it(new):
            return
        plan = await self.db.get(plans(new.team_id, new.task_id))
        came_or_went = plan is not None and old.deleted_at != new.deleted_at
        for id in (plan.parent, *(sorted(plan.children) if came_or_went else ())) if plan else ():
            if id:
                self.live.publish(topic(new.team_id), "plan", {"task": id})

    def _publish(self, change: Change[Any], event: str) -> None:
        """Boards ask for the rest. Of an import they hear once, when all of it is there."""
        if not _came_in(change):
            self.live.publish(topic(change.ref.values["team_id"]), event, {"task": change.ref.values["task_id"]})

    async def plan(self, change: Change[Plan]) -> None:
        self._publish(change, "plan")

    async def comment(self, change: Change[Comment]) -> None:
        if change.new is not None and change.old is None:
            await self.herald.tell_of_comment(change.new)
        if change.new is None or change.old is None:
            await self.herald.count_comments(change.ref.values["team_id"], change.ref.values["task_id"])
        self._publish(change, "comment")
        if change.new is not None and change.old is None:
            await self.webhooks.tell(change.new.team_id, hooks.of_comment(change.new))

    async def activity(self, change: Change[Activity]) -> None:
        """The parent stands beside a task: when that alone changes, webhooks learn of it from the history."""
        self._publish(change, "history")
        if change.new is not None and change.old is None and change.new.changes.keys() == {PARENT}:
            await self.webhooks.tell_of_parent(change.new)

    async def import_run(self, change: Change[ImportRun]) -> None:
        team_id = change.ref.values["team_id"]
        self.live.publish(topic(team_id), "import", {"import": change.ref.values["import_id"]})
        if change.new is not None and change.new.ended and (change.old is None or not change.old.ended):
            self.live.publish(topic(team_id), "team")

    async def totals(self, change: Change[Totals]) -> None:
        new, old = change.new, change.old
        if new is not None and (old is None or _counts(new) != _counts(old)):
            self.live.publish(topic(new.team_id), "totals", _counts(new))

    async def note(self, change: Change[Note]) -> None:
        """The bell on the pages of the team where it happened."""
        if change.old is None and change.new is not None:
            self.live.publish(topic(change.new.team_id), "note", {"user": change.new.user_id})

    async def tag(self, change: Change[Tag]) -> None:
        self.live.publish(topic(change.ref.values["team_id"]), "team")

    async def member(self, change: Change[TeamUser]) -> None:
        team_id = change.ref.values["team_id"]
        if change.new is None:
            self.live.rights_changed(topic(team_id))
        self.live.publish(topic(team_id), "team")
        await self.webhooks.tell(team_id, hooks.of_member(change.old, change.new, change.sequence))

    async def invitation(self, change: Change[Invitation]) -> None:
        """Send a mail for a new invitation and for a new token; never twice for the same token."""
        new, old = change.new, change.old
        if new is None or (old is not None and old.token == new.token):
            return
        if await self.invitations.is_open(new.team_id):
            await self._send(new)

    async def _send(self, invitation: Invitation) -> None:
        inviter = await self.db.get(users(invitation.invited_by.removeprefix("USER#")))
        name = one_line(inviter.name if inviter else "")
        team = one_line(invitation.team_name)
        link = _invitation_link(self.settings.public_url, invitation, self.invitations.token_of(invitation))
        until = invitation.expires.astimezone(days.JST).strftime("%Y-%m-%d %H:%M")
        body = mails.invitation(name, team, invitation.role, link, until)
        await self.outbox.put("mail", invitation.email, body, id=mail_id(invitation))


def _just_done(old: Task | None, new: Task) -> bool:
    return old is not None and old.status is not Status.DONE and new.status is Status.DONE and new.deleted_at is None


def _as_relatives_see_it(task: Task) -> tuple[object, ...]:
    return task.status, task.title, task.assignee, task.start, task.end, task.deleted_at


def _came_in(change: Change[Any]) -> bool:
    """With many others, out of a file."""
    return change.old is None and getattr(change.new, "import_id", None) is not None


def _counts(found: Totals) -> dict[str, int]:
    return {status.value: getattr(found, field.name) for status, field in COUNTED.items()}


def _invitation_link(public_url: str, invitation: Invitation, token: str) -> str:
    """Carries all that is needed to find the invitation, so that tokens need no index."""
    query = urlencode({"token": token})
    return f"{public_url}/tasks/invitations/{invitation.team_id}/{invitation.invite_id}?{query}"
