"""The JSON API: /tasks/api, described at /tasks/docs. Names are spelt correctly here, whatever the table calls them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request
from starlette.routing import BaseRoute

from sekkei.runtime.system import Context
from sekkei.web import Answer, Api, PageOf, Rate, User, limit, version_in_if_match
from sekkei.web.identity.accounts import email_of
from sekkei_systems.tasks import filters
from sekkei_systems.tasks.changes import KEEP, Changes, Draft
from sekkei_systems.tasks.entities import (
    Activity,
    Comment,
    Invitation,
    Note,
    NoteKind,
    Role,
    Tag,
    Task,
    TeamUser,
    UserTeam,
)
from sekkei_systems.tasks.service import Service, Visitor
from sekkei_systems.tasks.service.invitations import Listed
from sekkei_systems.tasks.statuses import Priority, Status

MAILS = (Rate.per_hour(100), "invite")
"""Mails that somebody has sent to addresses of their choice: enough for a team, too few to flood a stranger."""
Title = Annotated[str, Meta(min_length=1, max_length=200)]
Description = Annotated[str, Meta(max_length=10_000)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]
TagIds = Annotated[list[str], Meta(max_length=10)]
Color = Annotated[str, Meta(pattern="^#[0-9a-fA-F]{6}$")]


class TaskOut(Struct, rename="camel"):
    id: str
    team: str
    title: str
    description: str
    status: Status
    start: date | None
    end: date | None
    tags: list[str]
    assignee: str | None
    priority: Priority | None
    comments: int
    created_at: datetime | None
    updated_at: datetime | None
    version: int


class NewTask(Struct, forbid_unknown_fields=True):
    title: Title
    description: Description = ""
    status: Status = Status.TODO
    start: date | None = None
    end: date | None = None
    tags: TagIds = []
    assignee: str | None = None
    priority: Priority | None = None


class ChangeTask(Struct, forbid_unknown_fields=True):
    """What is left out stays as it is; null takes a date, the assignee or the priority away."""

    title: Title | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    status: Status | UnsetType = UNSET
    start: date | UnsetType | None = UNSET
    end: date | UnsetType | None = UNSET
    tags: TagIds | UnsetType = UNSET
    assignee: str | UnsetType | None = UNSET
    priority: Priority | UnsetType | None = UNSET

    def changes(self) -> Changes:
        tags = KEEP if self.tags is UNSET else frozenset(self.tags)
        return Changes(
            title=KEEP if self.title is UNSET else self.title,
            description=KEEP if self.description is UNSET else self.description,
            status=KEEP if self.status is UNSET else self.status,
            start=KEEP if self.start is UNSET else self.start,
            end=KEEP if self.end is UNSET else self.end,
            tags=tags,
            assignee=KEEP if self.assignee is UNSET else self.assignee,
            priority=KEEP if self.priority is UNSET else self.priority,
        )


class Place(Struct, forbid_unknown_fields=True):
    """Between which two cards of a column; null where there is none."""

    status: Status
    above: str | None = None
    below: str | None = None


class ActivityOut(Struct, rename="camel"):
    who: str
    who_name: str
    at: datetime
    changes: dict[str, list[str]]
    """Before and after, by attribute."""


class NoteOut(Struct):
    kind: NoteKind
    team: str
    task: str
    title: str
    by: str
    text: str
    at: datetime
    read: bool


class Bulk(Struct, forbid_unknown_fields=True):
    tasks: Annotated[list[str], Meta(min_length=1, max_length=100)]
    change: ChangeTask


class BulkOut(Struct):
    changed: int
    refused: dict[str, str]
    """The code of the refusal, for each task that was not changed."""


class TaskQuery(Struct):
    status: list[str] = []
    by: str = "start"
    tag: list[str] = []
    match: str = "all"
    late: str = ""
    q: str = ""
    assignee: str = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    after: str | None = None

    def filter(self, me: str) -> filters.Filter:
        single = {"by": [self.by], "match": [self.match], "late": [self.late], "q": [self.q]}
        return filters.read({"status": self.status, "tag": self.tag, "assignee": [self.assignee], **single}, me)


class NoteQuery(Struct):
    after: str | None = None


class TeamOut(Struct):
    id: str
    name: str
    role: Role
    description: str = ""


class NewTeam(Struct, forbid_unknown_fields=True):
    name: Name
    description: Annotated[str, Meta(max_length=2_000)] = ""


class TotalsOut(Struct):
    todo: int
    doing: int
    done: int
    day: date | None = None


class MemberOut(Struct):
    id: str
    name: str
    role: Role
    joined: date


class ChangeRole(Struct, forbid_unknown_fields=True):
    role: Role


class TagOut(Struct):
    id: str
    name: str
    color: str
    background: str


class NewTag(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=40)]
    color: Color


class CommentOut(Struct, rename="camel"):
    id: str
    author: str
    author_name: str
    text: str
    created_at: datetime


class NewComment(Struct, forbid_unknown_fields=True):
    text: Annotated[str, Meta(min_length=1, max_length=4_000)]


class InvitationOut(Struct, rename="camel"):
    id: str
    email: str
    role: Role
    created_at: datetime
    expires_at: datetime
    mail: str | None = None


class NewInvitation(Struct, forbid_unknown_fields=True):
    email: Annotated[str, Meta(min_length=3, max_length=254)]
    role: Role = Role.MEMBER


class Accept(Struct, forbid_unknown_fields=True):
    token: Annotated[str, Meta(min_length=1, max_length=200)]


class Joined(Struct):
    team: str


def task_out(task: Task) -> TaskOut:
    return TaskOut(
        id=task.task_id,
        team=task.team_id,
        title=task.title,
        description=task.description,
        status=task.status,
        start=task.start,
        end=task.end,
        tags=sorted(ref.removeprefix("TAG#") for ref in task.tags),
        assignee=task.assignee,
        priority=task.priority,
        comments=task.comments,
        created_at=task.created_at,
        updated_at=task.updated_at,
        version=task.version,
    )


def visitor_of(user: User) -> Visitor:
    return Visitor(user.id, user.email or None, user.name, user.verified)


def routes(service: Service, context: Context) -> list[BaseRoute]:
    api = Api("tasks", title="Team tasks", about="Teams, tasks, tags, comments and invitations.")
    _people(api, service)
    _teams(api, service)
    _members(api, service)
    _tags(api, service)
    _tasks(api, service)
    _comments(api, service)
    _invitations(api, service)
    return api.routes


def _people(api: Api, service: Service) -> None:
    def out(note: Note) -> NoteOut:
        return NoteOut(note.kind, note.team_id, note.task_id, note.title, note.by, note.text, note.at, note.read)

    @api.get("/work", summary="What I still have to do, in all teams", tag="people")
    async def my_work(user: User) -> PageOf[TaskOut]:
        return PageOf([task_out(task) for task in await service.people.work(user.id)])

    @api.get("/notes", summary="What I should know, the latest first", tag="people")
    async def my_notes(user: User, query: NoteQuery) -> PageOf[NoteOut]:
        found = await service.notes.page(user.id, query.after)
        return PageOf([out(note) for note in found], found.cursor)

    @api.post("/notes/read", summary="I have read them all", tag="people")
    async def read_notes(user: User) -> None:
        await service.notes.read_all(user.id)


def _teams(api: Api, service: Service) -> None:
    def out(membership: UserTeam) -> TeamOut:
        return TeamOut(membership.team_id, membership.team_name, membership.role)

    @api.get("/teams", summary="My teams", tag="teams")
    async def my_teams(user: User) -> PageOf[TeamOut]:
        return PageOf([out(team) for team in await service.people.teams(user.id)])

    @api.post("/teams", summary="Create a team", status=201, tag="teams")
    async def create_team(user: User, body: NewTeam) -> TeamOut:
        await service.people.seen(visitor_of(user))
        team = await service.teams.create(user.id, body.name, body.description)
        return TeamOut(team.team_id, team.name, Role.ADMIN, team.description)

    @api.get("/teams/{team_id}", summary="A team", tag="teams")
    async def get_team(user: User, team_id: str) -> TeamOut:
        team, membership = await service.teams.get(user.id, team_id)
        return TeamOut(team.team_id, team.name, membership.role, team.description)

    @api.put("/teams/{team_id}", summary="Rename and describe a team", tag="teams")
    async def change_team(user: User, team_id: str, body: NewTeam) -> TeamOut:
        team = await service.teams.change(user.id, team_id, body.name, body.description)
        return TeamOut(team.team_id, team.name, Role.ADMIN, team.description)

    @api.delete("/teams/{team_id}", summary="Delete a team and everything in it", tag="teams")
    async def delete_team(user: User, team_id: str) -> None:
        await service.teams.delete(user.id, team_id)

    @api.get("/teams/{team_id}/totals", summary="How many tasks there are", tag="teams")
    async def get_totals(user: User, team_id: str) -> TotalsOut:
        found = await service.teams.totals(user.id, team_id)
        return TotalsOut(found.todo, found.doing, found.done)

    @api.get("/teams/{team_id}/days", summary="How many there were at the end of each of the last 90 days", tag="teams")
    async def get_days(user: User, team_id: str) -> PageOf[TotalsOut]:
        found = await service.teams.days(user.id, team_id, 90)
        return PageOf([TotalsOut(day.todo, day.doing, day.done, day.day) for day in found])


def _members(api: Api, service: Service) -> None:
    def out(member: TeamUser) -> MemberOut:
        return MemberOut(member.user_id, member.user_name, member.role, member.joined_on)

    @api.get("/teams/{team_id}/members", summary="Members", tag="members")
    async def list_members(user: User, team_id: str) -> PageOf[MemberOut]:
        return PageOf([out(member) for member in await service.teams.members(user.id, team_id)])

    @api.patch("/teams/{team_id}/members/{user_id}", summary="Change a role", tag="members")
    async def change_role(user: User, team_id: str, user_id: str, body: ChangeRole) -> None:
        await service.teams.set_role(user.id, team_id, user_id, body.role)

    @api.delete("/teams/{team_id}/members/{user_id}", summary="Remove somebody, or leave", tag="members")
    async def remove_member(user: User, team_id: str, user_id: str) -> None:
        await service.teams.remove(user.id, team_id, user_id)


def _tags(api: Api, service: Service) -> None:
    def out(tag: Tag) -> TagOut:
        return TagOut(tag.tag_id, tag.name, tag.color.text, tag.color.background)

    @api.get("/teams/{team_id}/tags", summary="Tags", tag="tags")
    async def list_tags(user: User, team_id: str) -> PageOf[TagOut]:
        return PageOf([out(tag) for tag in await service.teams.tags(user.id, team_id)])

    @api.post("/teams/{team_id}/tags", summary="Add a tag", status=201, tag="tags")
    async def add_tag(user: User, team_id: str, body: NewTag) -> TagOut:
        return out(await service.teams.add_tag(user.id, team_id, body.name, body.color))

    @api.put("/teams/{team_id}/tags/{tag_id}", summary="Rename or recolour a tag", tag="tags")
    async def change_tag(user: User, team_id: str, tag_id: str, body: NewTag) -> TagOut:
        return out(await service.teams.change_tag(user.id, team_id, tag_id, body.name, body.color))

    @api.delete("/teams/{team_id}/tags/{tag_id}", summary="Delete a tag, from all tasks too", status=202, tag="tags")
    async def delete_tag(user: User, team_id: str, tag_id: str) -> None:
        await service.teams.delete_tag(user.id, team_id, tag_id)


def _tasks(api: Api, service: Service) -> None:
    @api.get("/teams/{team_id}/tasks", summary="Tasks: by status, tag, lateness, text, assignee", tag="tasks")
    async def list_tasks(user: User, team_id: str, query: TaskQuery) -> PageOf[TaskOut]:
        wanted = query.filter(user.id)
        found = await service.tasks.page(user.id, team_id, wanted, size=query.limit, after=query.after)
        return PageOf([task_out(task) for task in found], found.cursor)

    @api.post("/teams/{team_id}/tasks", summary="Add a task", status=201, tag="tasks")
    async def create_task(user: User, team_id: str, body: NewTask) -> Answer[TaskOut]:
        draft = Draft(
            title=body.title,
            description=body.description,
            status=body.status,
            start=body.start,
            end=body.end,
            tags=frozenset(body.tags),
            assignee=body.assignee,
            priority=body.priority,
        )
        task = await service.tasks.create(user.id, team_id, draft)
        return Answer(task_out(task), etag=task.version)

    @api.get("/teams/{team_id}/tasks/{task_id}", summary="A task as it is now", tag="tasks")
    async def get_task(user: User, team_id: str, task_id: str) -> Answer[TaskOut]:
        task = await service.tasks.get(user.id, team_id, task_id)
        return Answer(task_out(task), etag=task.version)

    @api.patch("/teams/{team_id}/tasks/{task_id}", summary="Change a task; If-Match makes it conditional", tag="tasks")
    async def change_task(
        request: Request, user: User, team_id: str, task_id: str, body: ChangeTask
    ) -> Answer[TaskOut]:
        seen = version_in_if_match(request)
        task = await service.tasks.change(user.id, team_id, task_id, body.changes(), seen)
        return Answer(task_out(task), etag=task.version)

    @api.delete("/teams/{team_id}/tasks/{task_id}", summary="Delete a task", tag="tasks")
    async def delete_task(user: User, team_id: str, task_id: str) -> None:
        await service.tasks.delete(user.id, team_id, task_id)

    @api.post("/teams/{team_id}/tasks/{task_id}/place", summary="Put it between two cards of a column", tag="tasks")
    async def place_task(user: User, team_id: str, task_id: str, body: Place) -> Answer[TaskOut]:
        task = await service.tasks.place(user.id, team_id, task_id, body.status, body.above, body.below)
        return Answer(task_out(task), etag=task.version)

    @api.get("/teams/{team_id}/tasks/{task_id}/activity", summary="Who changed what, the latest first", tag="tasks")
    async def list_activity(user: User, team_id: str, task_id: str) -> PageOf[ActivityOut]:
        def out(one: Activity) -> ActivityOut:
            return ActivityOut(one.who, one.who_name, one.at, one.changes)

        return PageOf([out(one) for one in await service.tasks.activity(user.id, team_id, task_id)])

    @api.post("/teams/{team_id}/bulk", summary="The same change to several tasks", tag="tasks")
    async def change_tasks(user: User, team_id: str, body: Bulk) -> BulkOut:
        refused = await service.tasks.change_many(user.id, team_id, body.tasks, body.change.changes())
        return BulkOut(len(set(body.tasks)) - len(refused), {id: refusal.code for id, refusal in refused.items()})


def _comments(api: Api, service: Service) -> None:
    def out(comment: Comment) -> CommentOut:
        return CommentOut(comment.comment_id, comment.author, comment.author_name, comment.text, comment.created_at)

    @api.get("/teams/{team_id}/tasks/{task_id}/comments", summary="Comments", tag="comments")
    async def list_comments(user: User, team_id: str, task_id: str) -> PageOf[CommentOut]:
        return PageOf([out(comment) for comment in await service.tasks.comments(user.id, team_id, task_id)])

    @api.post("/teams/{team_id}/tasks/{task_id}/comments", summary="Comment on a task", status=201, tag="comments")
    async def add_comment(user: User, team_id: str, task_id: str, body: NewComment) -> CommentOut:
        return out(await service.tasks.comment(user.id, team_id, task_id, body.text))


def _invitations(api: Api, service: Service) -> None:
    def out(one: Invitation, mail: str | None = None) -> InvitationOut:
        return InvitationOut(one.invite_id, one.email, one.role, one.created_at, one.expires, mail)

    def listed(one: Listed) -> InvitationOut:
        return out(one.invitation, one.mail)

    @api.get("/teams/{team_id}/invitations", summary="Open invitations", tag="invitations")
    async def list_invitations(user: User, team_id: str) -> PageOf[InvitationOut]:
        return PageOf([listed(one) for one in await service.invitations.open(user.id, team_id)])

    @api.post("/teams/{team_id}/invitations", summary="Invite somebody by mail", status=201, tag="invitations")
    async def invite(request: Request, user: User, team_id: str, body: NewInvitation) -> InvitationOut:
        limit(request, *MAILS)
        return out(await service.invitations.invite(user.id, team_id, email_of(body.email), body.role))

    @api.post("/teams/{team_id}/invitations/{invite_id}/again", summary="Mail a new token", tag="invitations")
    async def invite_again(request: Request, user: User, team_id: str, invite_id: str) -> InvitationOut:
        limit(request, *MAILS)
        return out(await service.invitations.send_again(user.id, team_id, invite_id))

    @api.delete("/teams/{team_id}/invitations/{invite_id}", summary="Revoke an invitation", tag="invitations")
    async def revoke(user: User, team_id: str, invite_id: str) -> None:
        await service.invitations.revoke(user.id, team_id, invite_id)

    @api.post("/invitations/{team_id}/{invite_id}/accept", summary="Accept an invitation", tag="invitations")
    async def accept(user: User, team_id: str, invite_id: str, body: Accept) -> Joined:
        visitor = visitor_of(user)
        await service.people.seen(visitor)
        return Joined(await service.invitations.accept(visitor, team_id, invite_id, body.token))
