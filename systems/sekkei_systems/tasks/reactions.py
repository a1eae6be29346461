"""What happens when items change: open boards and other programs are told, and invitations go out by mail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

from sekkei.design import Change, Entity, Reactions
from sekkei.kit.text import one_line
from sekkei.runtime.live import Live
from sekkei.runtime.system import Context
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    COUNTED,
    Activity,
    Comment,
    ImportRun,
    Invitation,
    Note,
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
from sekkei_systems.tasks.service import Hooks, Invitations, Service
from sekkei_systems.tasks.service.invitations import mail_id
from sekkei_systems.tasks.service.notes import Herald


def topic(team_id: str) -> str:
    """Where the open pages of a team listen."""
    return f"tasks/team/{team_id}"


def reactions_of(context: Context, service: Service) -> Reactions:
    reactions = Reactions(design, env=context.settings.env)
    _see_to_tasks(reactions, context, service)
    _tell_people(reactions, context)
    _tell_boards_of_tasks(reactions, context.live)
    _tell_relatives(reactions, context)
    _tell_boards_of_the_team(reactions, context.live)
    _tell_programs(reactions, service.hooks)
    _send_invitations(reactions, context, service.invitations)
    return reactions


def _see_to_tasks(reactions: Reactions, context: Context, service: Service) -> None:
    """What belongs to a task follows it: what was done and when, the next of those that recur, the end of its rest."""

    @reactions.on(tasks)
    async def followed(change: Change[Task]) -> None:
        if change.new is None:
            payload = {name: change.ref.values[name] for name in ("team_id", "task_id")}
            await context.jobs.start("delete-rest-of-task", payload, id=f"delete-rest-of-task/{payload['task_id']}")
            return
        await service.flows.changed(change.old, change.new)
        if _just_done(change.old, change.new):
            await service.recurrence.done(change.new)


def _tell_people(reactions: Reactions, context: Context) -> None:
    """That a task is theirs now, that somebody speaks to them; and how often a task was spoken of."""
    herald = Herald(context.db, context.clock)

    @reactions.on(tasks)
    async def given(change: Change[Task]) -> None:
        if change.new is not None:
            await herald.changed(change.old, change.new)

    @reactions.on(comments)
    async def said(change: Change[Comment]) -> None:
        if change.new is not None and change.old is None:
            await herald.said(change.new)
        if change.new is None or change.old is None:
            await herald.counted(change.ref.values["team_id"], change.ref.values["task_id"])


def _tell_boards_of_tasks(reactions: Reactions, live: Live) -> None:
    """One by one; of an import they hear once, when all of it is there."""

    @reactions.on(tasks)
    async def changed(change: Change[Task]) -> None:
        if _came_in(change):
            return
        team_id, task_id = change.ref.values["team_id"], change.ref.values["task_id"]
        if change.new is None or change.new.deleted_at is not None:
            live.publish(topic(team_id), "gone", {"task": task_id})
            return
        data = {"task": task_id, "status": change.new.status.value, "version": change.new.version}
        live.publish(topic(team_id), "task", data)

    @reactions.on(import_runs)
    async def taken_in(change: Change[ImportRun]) -> None:
        team_id = change.ref.values["team_id"]
        live.publish(topic(team_id), "import", {"import": change.ref.values["import_id"]})
        if change.new is not None and change.new.ended and (change.old is None or not change.old.ended):
            live.publish(topic(team_id), "team")

    told: list[tuple[Entity[..., Any], str]] = [(plans, "plan"), (comments, "comment"), (activities, "history")]
    for entity, event in told:
        reactions.on(entity)(_publisher(live, event))


def _tell_relatives(reactions: Reactions, context: Context) -> None:
    """A card says how many of its subtasks are done, and what it is part of."""

    @reactions.on(tasks)
    async def changed(change: Change[Task]) -> None:
        old, new = change.old, change.new
        if old is None or new is None or _as_relatives_see_it(old) == _as_relatives_see_it(new):
            return
        plan = await context.db.get(plans(new.team_id, new.task_id))
        came_or_went = plan is not None and old.deleted_at != new.deleted_at
        for id in (plan.parent, *(sorted(plan.children) if came_or_went else ())) if plan else ():
            if id:
                context.live.publish(topic(new.team_id), "plan", {"task": id})


def _as_relatives_see_it(task: Task) -> tuple[object, ...]:
    return task.status, task.title, task.assignee, task.start, task.end, task.deleted_at


def _came_in(change: Change[Any]) -> bool:
    """With many others, out of a file."""
    return change.old is None and getattr(change.new, "import_id", None) is not None


def _publisher(live: Live, event: str) -> Callable[[Change[Any]], Awaitable[None]]:
    """Tells boards which task it is about; they ask for the rest."""

    async def publish(change: Change[Any]) -> None:
        if _came_in(change):
            return
        values = change.ref.values
        live.publish(topic(values["team_id"]), event, {"task": values["task_id"]})

    return publish


def _tell_boards_of_the_team(reactions: Reactions, live: Live) -> None:
    @reactions.on(totals)
    async def counted(change: Change[Totals]) -> None:
        new, old = change.new, change.old
        if new is not None and (old is None or _counts(new) != _counts(old)):
            live.publish(topic(new.team_id), "totals", _counts(new))

    @reactions.on(notes)
    async def noted(change: Change[Note]) -> None:
        """The bell on the pages of the team where it happened."""
        if change.old is None and change.new is not None:
            live.publish(topic(change.new.team_id), "note", {"user": change.new.user_id})

    @reactions.on(tags)
    async def tag_changed(change: Change[Tag]) -> None:
        live.publish(topic(change.ref.values["team_id"]), "team")

    @reactions.on(team_users)
    async def member_changed(change: Change[TeamUser]) -> None:
        if change.new is None:
            live.rights_changed(topic(change.ref.values["team_id"]))
        live.publish(topic(change.ref.values["team_id"]), "team")


def _counts(found: Totals) -> dict[str, int]:
    return {status.value: getattr(found, field.name) for status, field in COUNTED.items()}


def _tell_programs(reactions: Reactions, told: Hooks) -> None:
    """The team's webhooks."""

    @reactions.on(tasks)
    async def of_task(change: Change[Task]) -> None:
        await told.tell(change.ref.values["team_id"], hooks.of_task(change.old, change.new))

    @reactions.on(activities)
    async def of_parent(change: Change[Activity]) -> None:
        """What it is part of stands beside a task: of that alone, the history tells."""
        if change.new is not None and change.old is None and change.new.changes.keys() == {PARENT}:
            await told.tell_of_parent(change.new)

    @reactions.on(comments)
    async def of_comment(change: Change[Comment]) -> None:
        if change.new is not None and change.old is None:
            await told.tell(change.new.team_id, hooks.of_comment(change.new))

    @reactions.on(team_users)
    async def of_member(change: Change[TeamUser]) -> None:
        found = hooks.of_member(change.old, change.new, change.sequence)
        await told.tell(change.ref.values["team_id"], found)


def _send_invitations(reactions: Reactions, context: Context, sent: Invitations) -> None:
    @reactions.on(invitations)
    async def send_mail(change: Change[Invitation]) -> None:
        """For a new invitation and for a new token; never twice for the same token."""
        new, old = change.new, change.old
        if new is None or (old is not None and old.token == new.token):
            return
        if await sent.is_open(new.team_id):
            await _send(context, sent, new)


def _just_done(old: Task | None, new: Task) -> bool:
    return old is not None and old.status is not Status.DONE and new.status is Status.DONE and new.deleted_at is None


async def _send(context: Context, sent: Invitations, invitation: Invitation) -> None:
    inviter = await context.db.get(users(invitation.invited_by.removeprefix("USER#")))
    name = one_line(inviter.name if inviter else "")
    team = one_line(invitation.team_name)
    link = invitation_link(context.settings.public_url, invitation, sent.token_of(invitation))
    until = invitation.expires.astimezone(days.JST).strftime("%Y-%m-%d %H:%M")
    await context.outbox.put(
        "mail", invitation.email, mails.invitation(name, team, invitation.role, link, until), id=mail_id(invitation)
    )


def invitation_link(public_url: str, invitation: Invitation, token: str) -> str:
    """Carries all that is needed to find the invitation, so that tokens need no index."""
    query = urlencode({"token": token})
    return f"{public_url}/tasks/invitations/{invitation.team_id}/{invitation.invite_id}?{query}"
