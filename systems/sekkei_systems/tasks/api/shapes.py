"""What goes in and out as JSON. Names are spelt correctly here, whatever the table calls them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from sekkei.kit.typed import Line, Text, Token
from sekkei.web import Rate
from sekkei_systems.tasks.design import Delivered, Hook, HookDelivery, HookEvent, Note, NoteKind, Role, Task
from sekkei_systems.tasks.design.statuses import Order, Priority, Status
from sekkei_systems.tasks.rules.drafts import ENTERED, TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.filters import Late
from sekkei_systems.tasks.service.plans import NO_EXTRAS, Extras

HOOK_TESTS = (Rate.per_minute(20), "webhook")
"""Deliveries that somebody has sent by hand to an address of their choice."""
MAILS = (Rate.per_hour(100), "invite")
"""Mails that somebody has sent to addresses of their choice: enough for a team, too few to flood a stranger."""
Name = Annotated[str, Line(100)]
Color = Annotated[str, Meta(pattern="^#[0-9a-fA-F]{6}$")]


class Progress(Struct):
    done: int = 0
    all: int = 0


class NewTask(TaskDraft, frozen=True, forbid_unknown_fields=True):
    parent: Token | None = None
    """The task that it is part of: an id, or a number as in `DEV-12`."""


class ChangedTask(TaskChanges, frozen=True, forbid_unknown_fields=True):
    parent: Token | UnsetType | None = UNSET
    """An id, or a number as in `DEV-12`; null takes it out of its parent."""


class TaskOut(Struct, rename="camel"):
    id: str
    number: int | None
    """In its team: 12 of `DEV-12`."""
    team: str
    title: str
    description: str
    status: Status
    start: date | None
    end: date | None
    tags: list[str]
    assignee: str | None
    priority: Priority | None
    parent: str | None
    """The task that it is part of, by id."""
    subtasks: Progress
    comments: int
    created_at: datetime | None
    updated_at: datetime | None
    done_at: datetime | None
    version: int


class Place(Struct, forbid_unknown_fields=True):
    """Between which two cards of a column; null where there is none."""

    status: Status
    above: Token | None = None
    below: Token | None = None


class ActivityOut(Struct, rename="camel"):
    version: int
    """Of the task after the change; what `undo` takes."""
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

    @classmethod
    def of(cls, note: Note) -> NoteOut:
        return cls(note.kind, note.team_id, note.task_id, note.title, note.by, note.text, note.at, note.read)


class Bulk(Struct, forbid_unknown_fields=True):
    tasks: Annotated[list[Token], Meta(min_length=1, max_length=100)]
    change: TaskChanges


class BulkOut(Struct):
    changed: int
    refused: dict[str, str]
    """The code of the refusal, for each task that was not changed."""
    batch: str | None = None
    """What `undo` takes; null when nothing was changed."""


class TaskQuery(Struct):
    """All words of `q` must be found: in the title, description, comments, or the names of tags and the assignee."""

    status: list[Status] = []
    by: Order = Order.START
    tag: list[Token] = []
    match: Literal["all", "any"] = "all"
    late: Late | None = None
    q: Annotated[str, Line(1_000, 0)] = ""
    assignee: Token = ""
    """An id, `me`, or `none`."""
    priority: Priority | None = None
    parent: Token = ""
    """Only its subtasks: an id, or a number as in `DEV-12`."""
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    after: Token | None = None


class NoteQuery(Struct):
    after: Token | None = None


class TeamOut(Struct):
    id: str
    name: str
    role: Role
    description: str = ""
    key: str | None = None
    """What stands before the numbers of its tasks; null in the list of teams."""


class NewTeam(Struct, forbid_unknown_fields=True):
    name: Name
    description: Annotated[str, Text(2_000)] = ""


class ChangeTeam(NewTeam):
    key: Annotated[str, Line(20, 0)] | None = None


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
    name: Annotated[str, Line(40)]
    color: Color


class CommentOut(Struct, rename="camel"):
    id: str
    author: str
    author_name: str
    text: str
    created_at: datetime
    edited_at: datetime | None = None


class CountQuery(Struct):
    task: Annotated[list[Token], Meta(max_length=100)] = []


class NewComment(Struct, forbid_unknown_fields=True):
    text: Annotated[str, Text(4_000, 1)]


class CheckOut(Struct):
    id: str
    text: str
    done: bool


class PlanOut(Struct, rename="camel"):
    checks: list[CheckOut]
    blocked_by: list[str]
    """Ids of tasks that come first."""
    rule: str | None
    """An RRULE."""


class NewCheck(Struct, forbid_unknown_fields=True):
    text: Annotated[str, Line(200)]


class TickCheck(Struct, forbid_unknown_fields=True):
    done: bool


class NewRule(Struct, forbid_unknown_fields=True):
    rule: Annotated[Token, Meta(max_length=200)] | None


class ParentOut(Struct):
    id: str
    number: int | None
    title: str


class MarksOut(Struct):
    done: int
    all: int
    blocked: int
    subtasks: Progress
    parent: ParentOut | None


class Limits(Struct, forbid_unknown_fields=True):
    todo: Annotated[int, Meta(ge=1, le=999)] | None = None
    doing: Annotated[int, Meta(ge=1, le=999)] | None = None


class QuickQuery(Struct):
    text: Annotated[str, Line(400, 0)] = ""


class QuickTask(Struct, forbid_unknown_fields=True):
    text: Annotated[str, Line(400)]
    status: Status = Status.TODO


class NewQuick(QuickTask):
    parent: Token | None = None
    """The task that it is part of: an id, or a number as in `DEV-12`."""


class UnderstoodOut(Struct):
    title: str
    start: date | None
    end: date | None
    priority: Priority | None
    assignee: str | None
    tags: list[str]


class Named(Struct):
    id: str
    name: str


class ViewOut(Struct):
    id: str
    name: str
    place: str
    query: str


class NewView(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Line(60)]
    place: Literal["board", "list"] = "board"
    query: Annotated[Token, Meta(max_length=1000)] = ""


class PaletteOut(Struct):
    members: list[Named]
    tags: list[Named]
    teams: list[Named]
    """The others."""
    views: list[ViewOut]


class InvitationOut(Struct, rename="camel"):
    id: str
    email: str
    role: Role
    created_at: datetime
    expires_at: datetime
    mail: str | None = None


class NewInvitation(Struct, forbid_unknown_fields=True):
    email: Annotated[str, Line(254, 3)]
    role: Role = Role.MEMBER


class Accept(Struct, forbid_unknown_fields=True):
    token: Annotated[Token, Meta(min_length=1, max_length=200)]


class Joined(Struct):
    team: str


class HookOut(Struct, rename="camel"):
    id: str
    url: str
    events: list[HookEvent]
    created_at: datetime
    failing_since: datetime | None
    """Nothing has arrived since; null while all is well."""
    stopped_at: datetime | None
    """Nothing is sent any more; null while it is used."""

    @classmethod
    def of(cls, hook: Hook) -> HookOut:
        events = [event for event in HookEvent if event in hook.events]
        return cls(hook.hook_id, hook.url, events, hook.created_at, hook.failing_since, hook.stopped_at)


class NewHookOut(HookOut):
    secret: str
    """What signatures are made with. It is shown here and never again."""


class NewHook(Struct, forbid_unknown_fields=True):
    url: Annotated[Token, Meta(min_length=1, max_length=500)]
    events: Annotated[list[HookEvent], Meta(min_length=1)]


class DeliveryOut(Struct, rename="camel"):
    id: str
    event: str
    """The type of the event, or `test`."""
    webhook_id: str
    """The same however often it is sent."""
    state: Delivered
    attempts: int
    code: int | None
    """What the receiver answered last."""
    error: str | None
    at: datetime
    tried_at: datetime | None

    @classmethod
    def of(cls, one: HookDelivery) -> DeliveryOut:
        told = (one.state, one.attempts, one.code, one.error, one.at, one.tried_at)
        return cls(one.delivery_id, one.event, one.event_id, *told)


def task_out(task: Task, extras: Extras = NO_EXTRAS) -> TaskOut:
    family = extras.family
    entered = {name: getattr(task, name) for name in ENTERED}
    return TaskOut(
        **{**entered, "tags": sorted(ref.removeprefix("TAG#") for ref in task.tags)},
        id=task.task_id,
        number=task.number,
        team=task.team_id,
        parent=family.parent.task_id if family.parent else None,
        subtasks=Progress(family.done, len(family.children)),
        comments=extras.comments,
        created_at=task.created_at,
        updated_at=task.updated_at,
        done_at=task.done_at,
        version=task.version,
    )


def first_out(made: Task, parent: str | None = None) -> TaskOut:
    """A task that was made a moment ago: its first version is stored."""
    return structs.replace(task_out(made), version=1, parent=parent)
