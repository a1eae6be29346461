"""People who take their data along, or leave: teams go on, and what somebody wrote stays, without their name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from sekkei.design import ConditionFailed, Database, TransactionFailed, Update
from sekkei.runtime.data_subjects import Exported, Obstacle, Person, Personal, as_data
from sekkei.runtime.jobs import Payload, Progress
from sekkei.runtime.sweeping import NOBODY
from sekkei_systems.tasks.design import (
    Activity,
    Batch,
    Comment,
    Hook,
    HookDelivery,
    Invitation,
    Note,
    Role,
    SavedView,
    Task,
    Team,
    TeamUser,
    UserTeam,
    activities,
    activities_in,
    all_teams,
    batches,
    comments,
    comments_in,
    deliveries,
    deliveries_in,
    hooks,
    hooks_of,
    invitations,
    invitations_of,
    mail_blocks,
    members_of,
    notes,
    notes_of,
    saved_views,
    stored_tasks,
    tasks,
    team_users,
    teams,
    teams_of,
    user_teams,
    users,
    views_of,
)
from sekkei_systems.tasks.refusals import NoSuchTeam
from sekkei_systems.tasks.service.access import Access, in_order
from sekkei_systems.tasks.service.invitations import ended
from sekkei_systems.tasks.service.mail import email_hash
from sekkei_systems.tasks.service.teams import Teams

_NOTES_PER_STEP = 100
ABOUT = {
    "ja": "すべてのチームから抜け、担当しているタスクは担当者なしになります。"
    "タスクやコメントはチームに残りますが、あなたの名前は消えます。ひとりだけのチームは削除されます。",
    "en": "You leave all your teams, and your tasks are assigned to nobody. Tasks and comments stay with the team, "
    "without your name. Teams that have no one else are deleted.",
}


@dataclass
class TaskPeople:
    db: Database
    access: Access
    teams: Teams

    def personal(self) -> Personal:
        traces = [("traces", self._nameless), ("views", self._views), ("notes", self._notes)]
        steps = [("teams", self._teams_left), *traces, ("user", self._user)]
        return Personal(ABOUT, self.export, steps, self.obstacles, late=traces)

    # Everything of somebody

    async def export(self, person: Person) -> AsyncIterator[Exported]:
        user = await self.db.get(users(person.user_id).consistent())
        if user is None:
            return
        memberships = await self.db.all(teams_of(person.user_id).consistent())
        yield "profile.json", as_data(user)
        yield "teams.json", [as_data(team, "feed") for team in memberships]
        yield "tasks.json", [task async for task in self._tasks_of(person.user_id, memberships)]
        yield "comments.json", [comment async for comment in self._comments_of(person.user_id, memberships)]
        yield "notes.json", [as_data(note) for note in await self.db.all(notes_of(person.user_id))]

    async def _tasks_of(self, user_id: str, memberships: list[UserTeam]) -> AsyncIterator[dict[str, Any]]:
        """What is theirs to do, and what they wrote down."""
        theirs = (Task.assignee == user_id) | (Task.created_by == user_id)
        for team in memberships:
            async for task in self.db.each(stored_tasks(team.team_id).filter(theirs)):
                yield as_data(task)

    async def _comments_of(self, user_id: str, memberships: list[UserTeam]) -> AsyncIterator[dict[str, Any]]:
        for team in memberships:
            async for comment in self.db.each(comments_in(team.team_id).filter(Comment.author == user_id)):
                yield as_data(comment)

    # What only they can settle

    async def obstacles(self, person: Person) -> Sequence[Obstacle]:
        """Teams that others are in and nobody else leads."""
        found = []
        for team in await self.db.all(teams_of(person.user_id).consistent()):
            if team.role is Role.ADMIN and await self._would_be_headless(team):
                name = team.team_name
                text = {
                    "ja": f"「{name}」の管理者はあなただけです。ほかの人を管理者にしてください。",
                    "en": f"You are the only admin of “{name}”. Make somebody else an admin.",
                }
                found.append(Obstacle(text, f"/teams/{team.team_id}/settings"))
        return found

    async def _would_be_headless(self, team: UserTeam) -> bool:
        others = await self._others(team.team_id, team.user_id)
        return bool(others) and all(one.role is not Role.ADMIN for one in others)

    async def _others(self, team_id: str, user_id: str) -> list[TeamUser]:
        members = await self.db.all(members_of(team_id).consistent())
        return in_order([one for one in members if one.user_id != user_id])

    # Leaving

    async def _teams_left(self, payload: Payload, cursor: str | None) -> Progress:
        """One team after the other, until there is none."""
        team = await self.db.first(teams_of(payload["user_id"]).consistent())
        if team is None:
            return Progress(0)
        await self._leave(team)
        return Progress(1, "more")

    async def _leave(self, team: UserTeam) -> None:
        """Where nobody else is left the team goes; where nobody else leads, whoever has been there longest does."""
        team_id, user_id = team.team_id, team.user_id
        membership = await self.db.get(team_users(team_id, user_id).consistent())
        if membership is None:  # half of a membership
            await self.db.write(user_teams.delete(user_id, team_id))
            return
        others = await self._others(team_id, user_id)
        if membership.role is Role.ADMIN:
            await self._handed_over(team_id, user_id, others)
        await self._remove(membership, counted=bool(others))

    async def _handed_over(self, team_id: str, user_id: str, others: list[TeamUser]) -> None:
        try:
            admin = await self.access.admin(user_id, team_id)
        except NoSuchTeam:
            return  # it is being deleted already
        if not others:
            await self.teams.delete(admin)
        elif others[0].role is not Role.ADMIN:
            await self.teams.set_role(admin, others[0].user_id, Role.ADMIN)

    async def _remove(self, membership: TeamUser, *, counted: bool) -> None:
        team_id, user_id = membership.team_id, membership.user_id
        admins = teams.update(team_id).add(Team.admins, -1).when(Team.admins >= 2)
        fewer = [admins] if counted and membership.role is Role.ADMIN else []
        gone = team_users.delete(team_id, user_id).must_exist().when(TeamUser.role == membership.role)
        try:
            await self.db.transact(*fewer, gone, user_teams.delete(user_id, team_id))
        except TransactionFailed:
            pass  # somebody changed the team just then; the step looks at it anew

    async def _nameless(self, payload: Payload, cursor: str | None) -> Progress:
        """In every team, for they may have left one before. A team at a time."""
        page = await self.db.page(all_teams(), size=1, after=cursor)
        done = 0
        for team in page:
            done += await self._in_team(team.team_id, payload["user_id"], payload.get("email", ""))
            done += await self._among_members(team.team_id, payload["user_id"], payload.get("name", ""))
            done += await self._in_webhooks(team.team_id, payload["user_id"])
        return Progress(done, page.cursor)

    async def _in_team(self, team_id: str, user_id: str, email: str) -> int:
        done = 0
        async for task in self.db.each(stored_tasks(team_id).with_expired()):
            done += await self._changed(_task_without(task, user_id))
        async for comment in self.db.each(comments_in(team_id).consistent()):
            done += await self._changed(_comment_without(comment, user_id))
        async for line in self.db.each(activities_in(team_id).consistent()):
            done += await self._changed(_activity_without(line, user_id))
        async for invitation in self.db.each(invitations_of(team_id).consistent()):
            done += await self._invitation(invitation, user_id, email)
        undone = batches.where(Batch.team_id == team_id).filter(Batch.who == user_id).consistent()
        return done + await self.db.write_many(
            [batches.delete(one.team_id, one.batch_id) for one in await self.db.all(undone)]
        )

    async def _among_members(self, team_id: str, user_id: str, name: str) -> int:
        done = 0
        for member in await self.db.all(members_of(team_id).consistent()):
            done += await self._in_notes(member, user_id, name)
            done += await self._in_views(member, user_id)
        return done

    async def _in_notes(self, member: TeamUser, user_id: str, name: str) -> int:
        """What others were told of them. Notes of earlier versions know a name only."""
        done = 0
        theirs = Note.by_id == user_id
        if name:
            theirs = theirs | (Note.by_id.absent() & (Note.by == name))
        told = notes_of(member.user_id).filter(theirs, Note.team_id == member.team_id)
        for note in await self.db.all(told.consistent()):
            update = notes.update(note.user_id, note.at, note.note_id).set(Note.by, NOBODY).set(Note.by_id, None)
            done += await self._changed(update)
        return done

    async def _in_views(self, member: TeamUser, user_id: str) -> int:
        """A view of the tasks of somebody who is gone shows nothing any more."""
        found = await self.db.all(views_of(member.user_id, member.team_id).consistent())
        theirs = [one for one in found if user_id in one.query]
        gone = [saved_views.delete(one.user_id, one.team_id, one.view_id) for one in theirs]
        return await self.db.write_many(gone)

    async def _in_webhooks(self, team_id: str, user_id: str) -> int:
        """What other programs were told of them goes; the addresses they added stay the team's."""
        told = deliveries_in(team_id).filter(HookDelivery.people.contains(user_id)).consistent()
        gone = [deliveries.delete(team_id, one.hook_id, one.delivery_id) for one in await self.db.all(told)]
        done = await self.db.write_many(gone)
        for hook in await self.db.all(hooks_of(team_id).filter(Hook.created_by == user_id).consistent()):
            done += await self._changed(hooks.update(team_id, hook.hook_id).set(Hook.created_by, ""))
        return done

    async def _changed(self, update: Update[Any] | None) -> int:
        if update is None:
            return 0
        try:
            await self.db.write(update)
        except ConditionFailed:
            return 0  # gone meanwhile
        return 1

    async def _invitation(self, one: Invitation, user_id: str, email: str) -> int:
        if email and one.email == email:
            return await self._ended(one)
        if one.invited_by.removeprefix("USER#") != user_id:
            return 0
        update = invitations.update(one.team_id, one.invite_id).set(Invitation.invited_by, f"USER#{NOBODY}")
        return await self._changed(update)

    async def _ended(self, one: Invitation) -> int:
        try:
            await self.db.transact(*ended(one))
        except TransactionFailed:
            return 0  # somebody else has ended it just then
        return 1

    async def _views(self, payload: Payload, cursor: str | None) -> Progress:
        """Their own, also in teams that they were in once."""
        theirs = saved_views.where(SavedView.user_id == payload["user_id"]).consistent()
        gone = [saved_views.delete(one.user_id, one.team_id, one.view_id) for one in await self.db.all(theirs)]
        return Progress(await self.db.write_many(gone))

    async def _notes(self, payload: Payload, cursor: str | None) -> Progress:
        page = await self.db.page(notes_of(payload["user_id"]).consistent(), size=_NOTES_PER_STEP)
        await self.db.write_many(notes.delete(one.user_id, one.at, one.note_id) for one in page)
        return Progress(len(page), "more" if len(page) else None)

    async def _user(self, payload: Payload, cursor: str | None) -> Progress:
        if payload["email"]:
            await self.db.write(mail_blocks.delete(email_hash(payload["email"])))
        return Progress(int(await self.db.write(users.delete(payload["user_id"])) is not None))


def _task_without(task: Task, user_id: str) -> Update[Any] | None:
    update = tasks.update(task.team_id, task.task_id)
    for field in (Task.created_by, Task.updated_by):
        if getattr(task, field.name) == user_id:
            update = update.set(field, "")
    if task.assignee == user_id:
        return update.set(Task.assignee, None).when(Task.assignee == user_id)
    return update.keeping_version() if update.changes else None


def _comment_without(comment: Comment, user_id: str) -> Update[Any] | None:
    update = comments.update(comment.team_id, comment.task_id, comment.comment_id)
    if comment.author == user_id:
        update = update.set(Comment.author, "").set(Comment.author_name, NOBODY)
    if user_id in comment.mentions:
        update = update.discard(Comment.mentions, [user_id])
    return update if update.changes else None


def _activity_without(line: Activity, user_id: str) -> Update[Any] | None:
    update = activities.update(line.team_id, line.task_id, line.version)
    if line.who == user_id:
        update = update.set(Activity.who, "").set(Activity.who_name, NOBODY)
    named = {name: ["" if one == user_id else one for one in pair] for name, pair in line.changes.items()}
    if named != line.changes:
        update = update.set(Activity.changes, named)
    return update if update.changes else None
