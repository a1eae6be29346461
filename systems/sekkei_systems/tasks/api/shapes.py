"""What goes in and out as JSON. Names are spelt correctly here, whatever the table calls them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from sekkei.web import Rate, User
from sekkei_systems.tasks.design import (
    NoteKind,
    Role,
    Task,
)
from sekkei_systems.tasks.rules import filters
from sekkei_systems.tasks.rules.drafts import KEEP, Changes
from sekkei_systems.tasks.rules.statuses import Priority, Status
from sekkei_systems.tasks.service import Visitor

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
