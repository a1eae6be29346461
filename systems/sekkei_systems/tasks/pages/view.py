"""What every page of a team shows around its content, and what handlers are given."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from typing import Any

from markupsafe import Markup
from starlette.requests import Request

from sekkei.clock import Clock
from sekkei.runtime.live import Live
from sekkei.texts import spoken
from sekkei.web import User, live_url
from sekkei.web.rendering import day as in_words
from sekkei_systems import days
from sekkei_systems.tasks.design import Tag, Task, Team, TeamUser, Totals, one_task
from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.reactions import topic
from sekkei_systems.tasks.refusals import NoSuchTask
from sekkei_systems.tasks.rules.filters import Filter, Late, lateness, read
from sekkei_systems.tasks.rules.history import PARENT, value
from sekkei_systems.tasks.rules.markdown import Writer
from sekkei_systems.tasks.service.access import Access, Admin, Member, as_admin
from sekkei_systems.tasks.service.notes import Notes
from sekkei_systems.tasks.service.people import People, Visitor
from sekkei_systems.tasks.service.tasks import Tasks
from sekkei_systems.tasks.service.teams import Tags
from sekkei_systems.tasks.texts import say, t

ORDER_COOKIE = "tasks_order"
"""Whether somebody's boards are by hand."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """What a page says of days."""

    today: date

    def late(self, task: Task) -> Late | None:
        return lateness(task, self.today)

    def dates(self, task: Task) -> str:
        """From when to when, as people write it."""
        start, end = task.start, task.end
        if start is not None and end is not None:
            return in_words(end) if start == end else f"{in_words(start)} – {in_words(end)}"
        if start is not None:
            return t("dates.from", day=in_words(start))
        return "" if end is None else t("dates.until", day=in_words(end))


@dataclass(frozen=True, slots=True)
class Names(Calendar):
    """What tasks refer to: a team's tags, and the people in it."""

    member: Member
    members: dict[str, TeamUser]
    tags: dict[str, Tag]

    @property
    def base(self) -> str:
        return f"/tasks/teams/{self.member.team_id}"

    def written(self, text: str) -> Markup:
        """What somebody wrote, with its Markdown, references and names."""
        names = [member.user_name for member in self.members.values()]
        return Writer(self.base, self.member.keys, names).html(text)

    def tags_of(self, task: Task) -> list[Tag]:
        """Tags that are being deleted are not shown any more."""
        return sorted((self.tags[ref] for ref in task.tags if ref in self.tags), key=lambda tag: tag.name)

    def name_of(self, user_id: str | None) -> str:
        if user_id == self.member.user_id:
            return self.member.name
        member = self.members.get(user_id or "")
        return member.user_name if member else ""


@dataclass(frozen=True, slots=True)
class View(Names):
    """A team, and who looks at it."""

    team: Team
    totals: Totals
    unread: int
    """How many notes wait for whoever looks."""

    @property
    def is_admin(self) -> bool:
        return isinstance(self.member, Admin)

    @property
    def member_choices(self) -> list[tuple[str, str]]:
        return [(member.user_id, member.user_name) for member in self.members.values()]

    def change(self, attribute: str, pair: list[str]) -> str:
        """One line of a task's history: from what to what."""
        label = say(_language(), f"task.{attribute}")
        if attribute == "description":
            return t("activity.rewritten", what=label)
        before, after = (self.value(attribute, text) or t("activity.nothing") for text in pair)
        return t("activity.changed", what=label, before=before, after=after)

    def value(self, attribute: str, text: str) -> str:
        """A value of a task, kept as a text, in words."""
        if attribute == PARENT:
            return text.replace("#", f"{self.member.key}-")
        kept = value(attribute, text)
        if isinstance(kept, Enum):
            return say.choice(_language(), attribute, kept)
        if isinstance(kept, date):
            return in_words(kept)
        if isinstance(kept, frozenset):
            return "、".join(sorted(self.tags[ref].name if ref in self.tags else "?" for ref in kept))
        return (self.name_of(text) or "?") if text and attribute == "assignee" else text


def _language() -> str:
    return spoken.get()


# What handlers are given


async def signed_in(user: User, people: People) -> Visitor:
    """The signed-in user; creates their row on the first visit."""
    visitor = Visitor(user.id, user.email or None, user.name, user.verified)
    await people.seen(visitor)
    return visitor


async def member_of(visitor: Visitor, team_id: str, access: Access) -> Member:
    return await access.member(visitor.id, team_id)


async def admin_of(member: Member) -> Admin:
    return as_admin(member)


async def view_of(visitor: Visitor, team_id: str, access: Access, tags: Tags, notes: Notes, clock: Clock) -> View:
    """The proof is in what it reads anyway."""
    room, unread = await asyncio.gather(access.room(visitor.id, team_id), notes.unread(visitor.id))
    return View(
        member=room.member,
        team=room.team,
        totals=room.totals,
        members={member.user_id: member for member in room.members},
        tags={tag.ref: tag for tag in await tags.all(room.member)},
        today=days.today(clock),
        unread=unread,
    )


@dataclass(frozen=True, slots=True)
class Card:
    """One task, and the names that stand on its card."""

    names: Names
    task: Task


async def card_of(visitor: Visitor, team_id: str, task_id: str, access: Access, tasks: Tasks, clock: Clock) -> Card:
    """Two calls, and one where it has no tags and is nobody else's: every open board asks for it after every
    change."""
    member, task = await access.member_and(visitor.id, team_id, one_task(team_id, task_id))
    if task is None or task.deleted_at is not None:
        raise NoSuchTask()
    tags, assignee = await tasks.named_on(member, task)
    people = {assignee.user_id: assignee} if assignee else {}
    names = Names(member=member, members=people, tags={tag.ref: tag for tag in tags}, today=days.today(clock))
    return Card(names, task)


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a page of a team listens, from this moment on. A handler takes it before its data, so that nothing is
    missed."""

    address: str


def listening(request: Request, team_id: str, live: Live) -> Listening:
    path = str(request.app.url_path_for("tasks:live", team_id=team_id))
    return Listening(live_url(request, live, topic(team_id), path))


def filter_of(request: Request, visitor: Visitor) -> Filter:
    """Out of the URL; a board that does not say its order has the one that was chosen last."""
    wanted = read(_multi(request.query_params.multi_items()), visitor.id)
    by_hand = "order" not in request.query_params and request.cookies.get(ORDER_COOKIE) == "hand"
    return replace(wanted, hand=True) if by_hand else wanted


def _multi(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, given in pairs:
        found.setdefault(name, []).append(given)
    return found


def card_words(wanted: Filter) -> dict[str, Any]:
    """The words on a card, looked up once for all cards; and by what the cards are sorted."""
    words: dict[str, Any] = {"start": t("late.start"), "finish": t("late.finish")}
    language = _language()
    for status in Status:
        words[f"to-{status.value}"] = t("board.move-to", status=say.choice(language, "status", status))
    words |= {f"priority-{one.value}": say.choice(language, "priority", one) for one in Priority}
    words |= {"by_hand": wanted.hand, "up": t("board.up"), "down": t("board.down")}
    words |= {"priority": t("task.priority"), "comments": t("task.comments")}
    words["move"] = lambda title: t("board.move", title=title)
    return words
