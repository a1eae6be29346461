"""What happens when items change: open boards are told, and invitations go out by mail."""

from __future__ import annotations

from urllib.parse import urlencode

from sekkei.design import Change, Reactions
from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei.runtime.transports.mail import one_line
from sekkei_systems.tasks.design import (
    COUNTED,
    Activity,
    Comment,
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
    invitations,
    notes,
    plans,
    tags,
    tasks,
    team_users,
    totals,
    users,
)
from sekkei_systems.tasks.rules import mails
from sekkei_systems.tasks.rules.statuses import Status
from sekkei_systems.tasks.service.flows import Flows
from sekkei_systems.tasks.service.herald import Herald
from sekkei_systems.tasks.service.invitations import Invitations, mail_id
from sekkei_systems.tasks.service.recurrence import Recurrence


def topic(team_id: str) -> str:
    """Where the open pages of a team listen."""
    return f"tasks/team/{team_id}"


def reactions_of(context: Context, sent: Invitations, recurrence: Recurrence, flows: Flows) -> Reactions:
    reactions = Reactions(design, env=context.settings.env)
    _tell_boards(reactions, context, recurrence, flows)

    @reactions.on(invitations)
    async def send_mail(change: Change[Invitation]) -> None:
        """For a new invitation and for a new token; never twice for the same token."""
        new, old = change.new, change.old
        if new is None or (old is not None and old.token == new.token):
            return
        if await sent.is_open(new.team_id):
            await _send(context, sent, new)

    return reactions


def _tell_boards(reactions: Reactions, context: Context, recurrence: Recurrence, flows: Flows) -> None:
    publish = context.live.publish
    herald = Herald(context.db, context.clock)

    @reactions.on(tasks)
    async def task_changed(change: Change[Task]) -> None:
        team_id, task_id = change.ref.values["team_id"], change.ref.values["task_id"]
        if change.new is not None:
            await herald.changed(change.old, change.new)
            await flows.changed(change.old, change.new)
            if _just_done(change.old, change.new):
                await recurrence.done(change.new)
        if change.new is None:
            payload = {"team_id": team_id, "task_id": task_id}
            await context.jobs.start("delete-rest-of-task", payload, id=f"delete-rest-of-task/{task_id}")
        if change.new is None or change.new.deleted_at is not None:
            publish(topic(team_id), "gone", {"task": task_id})
            return
        data = {"task": task_id, "status": change.new.status.value, "version": change.new.version}
        publish(topic(team_id), "task", data)

    @reactions.on(plans)
    async def planned(change: Change[Plan]) -> None:
        values = change.ref.values
        publish(topic(values["team_id"]), "plan", {"task": values["task_id"]})

    @reactions.on(totals)
    async def counted(change: Change[Totals]) -> None:
        new, old = change.new, change.old
        same = (
            new is not None
            and old is not None
            and all(getattr(new, field.name) == getattr(old, field.name) for field in COUNTED.values())
        )
        if change.new is not None and not same:
            data = {"todo": change.new.todo, "doing": change.new.doing, "done": change.new.done}
            publish(topic(change.new.team_id), "totals", data)

    @reactions.on(comments)
    async def said(change: Change[Comment]) -> None:
        team_id, task_id = change.ref.values["team_id"], change.ref.values["task_id"]
        if change.new is not None and change.old is None:
            await herald.said(change.new)
        if change.new is None or change.old is None:
            await herald.counted(team_id, task_id)
        publish(topic(team_id), "comment", {"task": task_id})

    @reactions.on(activities)
    async def written_down(change: Change[Activity]) -> None:
        values = change.ref.values
        publish(topic(values["team_id"]), "history", {"task": values["task_id"]})

    @reactions.on(notes)
    async def noted(change: Change[Note]) -> None:
        """The bell on the pages of the team where it happened."""
        if change.old is None and change.new is not None:
            publish(topic(change.new.team_id), "note", {"user": change.new.user_id})

    @reactions.on(tags)
    async def tag_changed(change: Change[Tag]) -> None:
        publish(topic(change.ref.values["team_id"]), "team")

    @reactions.on(team_users)
    async def member_changed(change: Change[TeamUser]) -> None:
        if change.new is None:
            context.live.rights_changed(topic(change.ref.values["team_id"]))
        publish(topic(change.ref.values["team_id"]), "team")


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
