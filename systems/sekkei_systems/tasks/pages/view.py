"""What every page of a team shows around its content."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from starlette.requests import Request

from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei.web import User, live_url, require_user, t
from sekkei.web.rendering import day as in_words
from sekkei.web.texts import say_here
from sekkei_systems.tasks.api.shapes import visitor_of
from sekkei_systems.tasks.design import Role, Tag, Task, Team, TeamUser
from sekkei_systems.tasks.reactions import topic
from sekkei_systems.tasks.rules.agenda import lateness
from sekkei_systems.tasks.rules.filters import Filter, Late, read
from sekkei_systems.tasks.rules.statuses import Priority, Status
from sekkei_systems.tasks.service import Service


@dataclass(frozen=True, slots=True)
class Calendar:
    """What a page says of days."""

    today: date

    def late(self, task: Task) -> Late | None:
        return lateness(task, self.today)

    def dates(self, task: Task) -> str:
        """From when to when, as people write it."""
        start, end = task.start, task.end
        if start is None and end is None:
            return ""
        if end is None or start is None:
            key, day = ("dates.from", start) if end is None else ("dates.until", end)
            assert day is not None
            return say_here(key, day=in_words(day))
        return in_words(end) if start == end else f"{in_words(start)} – {in_words(end)}"


@dataclass(frozen=True, slots=True)
class View(Calendar):
    """A team, who looks at it, and what its tasks refer to."""

    team: Team
    me: TeamUser
    members: dict[str, TeamUser]
    tags: dict[str, Tag]
    unread: int
    """How many notes wait for whoever looks."""

    @property
    def base(self) -> str:
        return f"/tasks/teams/{self.team.team_id}"

    @property
    def is_admin(self) -> bool:
        return self.me.role is Role.ADMIN

    @property
    def member_choices(self) -> list[tuple[str, str]]:
        return [(member.user_id, member.user_name) for member in self.members.values()]

    def tags_of(self, task: Task) -> list[Tag]:
        """Tags that are being deleted are not shown any more."""
        return sorted((self.tags[ref] for ref in task.tags if ref in self.tags), key=lambda tag: tag.name)

    def change(self, attribute: str, pair: list[str]) -> str:
        """One line of a task's history: from what to what."""
        label = say_here(f"task.{attribute}")
        if attribute == "description":
            return say_here("activity.rewritten", what=label)
        before, after = (self._value(attribute, text) or say_here("activity.nothing") for text in pair)
        return say_here("activity.changed", what=label, before=before, after=after)

    def _value(self, attribute: str, text: str) -> str:
        if not text or attribute == "title":
            return text
        if attribute in ("status", "priority"):
            return say_here(f"{attribute}.{text}")
        if attribute in ("start", "end"):
            return in_words(date.fromisoformat(text))
        if attribute == "assignee":
            return self.name_of(text) or "?"
        return "、".join(self.tags[ref].name if ref in self.tags else "?" for ref in text.split())

    def name_of(self, user_id: str | None) -> str:
        member = self.members.get(user_id or "")
        return member.user_name if member else ""


async def arrived(request: Request, service: Service) -> User:
    """Whoever is signed in, with a row of their own from the first time on."""
    user = require_user(request)
    await service.people.seen(visitor_of(user))
    return user


async def look(request: Request, service: Service, context: Context) -> View:
    user = await arrived(request, service)
    team_id = request.path_params["team_id"]
    team, me = await service.teams.get(user.id, team_id)
    members, tags, unread = await asyncio.gather(
        service.teams.members(user.id, team_id), service.teams.tags(user.id, team_id), service.notes.unread(user.id)
    )
    return View(
        team=team,
        me=me,
        members={member.user_id: member for member in members},
        tags={tag.ref: tag for tag in tags},
        today=days.today(context.clock),
        unread=unread,
    )


def live_of(request: Request, context: Context) -> str:
    """Where the page listens, from this moment on: asked before its data is read, so that nothing is missed."""
    team_id = request.path_params["team_id"]
    return live_url(request, context.live, topic(team_id), str(request.app.url_path_for("tasks:live", team_id=team_id)))


def filter_of(request: Request, me: str) -> Filter:
    return read(_multi(request.query_params.multi_items()), me)


def _multi(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def card_words(request: Request, wanted: Filter) -> dict[str, Any]:
    """The words on a card, looked up once for all cards; and by what the cards are sorted."""
    words: dict[str, Any] = {late.value: t(request, f"late.{late.value}") for late in (Late.START, Late.FINISH)}
    for status in Status:
        words[f"to-{status.value}"] = t(request, "board.move-to", status=t(request, f"status.{status.value}"))
    words |= {f"priority-{one.value}": t(request, f"priority.{one.value}") for one in Priority}
    words |= {"by_hand": wanted.hand, "up": t(request, "board.up"), "down": t(request, "board.down")}
    words["priority"] = t(request, "task.priority")
    words["comments"] = t(request, "task.comments")
    words["move"] = lambda title: t(request, "board.move", title=title)
    return words
