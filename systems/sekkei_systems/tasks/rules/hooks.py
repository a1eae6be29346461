"""What other programs are told: which events a change is, and what it says."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec
import orjson

from sekkei.runtime.ends import is_loopback
from sekkei.runtime.refusals import Invalid
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.webhook import Network, allowed_networks
from sekkei_systems.tasks.design import Activity, Comment, HookEvent, Task, Team, TeamUser
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.history import differences
from sekkei_systems.tasks.rules.identifiers import reference

URL_LENGTH_MAX = 500
TEST = "test"
_NAMES_INSIDE = (".localhost", ".local", ".internal", ".home.arpa")


class BadHookUrl(Invalid):
    """Not an https address of the internet."""


@dataclass(frozen=True, slots=True)
class Happened:
    """One event, before it is written down for each address."""

    id: str
    """The same however often the stream tells it."""
    kinds: tuple[str, ...]
    """What it is, the most precise first: an address gets the first that it asked for."""
    by: str
    """Who did it; empty for what happens by itself."""
    data: Mapping[str, Any] = field(default_factory=dict)

    def kind_for(self, wanted: frozenset[HookEvent]) -> str | None:
        names = {event.value for event in wanted}
        return next((kind for kind in self.kinds if kind in names or kind == TEST), None)

    @property
    def people(self) -> frozenset[str]:
        """Everybody it tells of."""
        task, member = self.data.get("task", {}), self.data.get("member", {})
        return frozenset(filter(None, (self.by, task.get("assignee"), member.get("id"))))


def of_task(old: Task | None, new: Task | None) -> Happened | None:
    """None for what is no event: a place in a column, a number, what leaves the trash for good."""
    task = new or old
    assert task is not None
    kinds, changes = _kinds(old, new), differences(old, new) if old and new else {}
    if not kinds:
        return None
    data = {"task": task_data(task), **({"changes": changes} if changes else {})}
    id = f"msg_{task.task_id}_{task.version if new else 'gone'}"
    return Happened(id, tuple(kind.value for kind in kinds), task.updated_by, data)


def _kinds(old: Task | None, new: Task | None) -> tuple[HookEvent, ...]:
    was = old is not None and old.deleted_at is None
    there = new is not None and new.deleted_at is None
    if not was or not there:
        gone = (HookEvent.TASK_DELETED,) if was else ()
        back = HookEvent.TASK_CREATED if old is None else HookEvent.TASK_CHANGED
        return (back,) if there else gone
    assert old is not None
    assert new is not None
    if old.status is not new.status:
        moved = (HookEvent.TASK_MOVED, HookEvent.TASK_CHANGED)
        return (HookEvent.TASK_DONE, *moved) if new.status is Status.DONE else moved
    return (HookEvent.TASK_CHANGED,) if differences(old, new) else ()


def of_parent(task: Task, line: Activity) -> Happened:
    """It became part of another task, or of none; nothing of the task itself is another."""
    data = {"task": task_data(task), "changes": line.changes}
    return Happened(f"msg_{task.task_id}_{line.version}", (HookEvent.TASK_CHANGED.value,), line.who, data)


def of_comment(comment: Comment) -> Happened:
    data = {
        "task": {"id": comment.task_id},
        "comment": {"id": comment.comment_id, "text": comment.text, "mentions": sorted(comment.mentions)},
    }
    return Happened(f"msg_{comment.comment_id}", (HookEvent.COMMENT.value,), comment.author, data)


def of_member(old: TeamUser | None, new: TeamUser | None, sequence: str) -> Happened | None:
    """Somebody may come and go often, so it is the place in the stream that tells one time from another."""
    member = new or old
    assert member is not None
    if old is not None and new is not None and old.role is new.role:
        return None
    kind = HookEvent.MEMBER_JOINED if old is None else HookEvent.MEMBER_CHANGED if new else HookEvent.MEMBER_LEFT
    data = {"member": {"id": member.user_id, "name": member.user_name, "role": member.role.value}}
    once = hashlib.sha256(f"{member.team_id}/{member.user_id}/{sequence}".encode()).hexdigest()[:24]
    return Happened(f"msg_{once}", (kind.value,), "", data)


def task_data(task: Task) -> dict[str, Any]:
    """Return what a webhook sends of a task; the API has its description, which is long."""
    entered = msgspec.to_builtins(TaskDraft.of(task))
    del entered["description"]
    return {
        "id": task.task_id,
        "number": task.number,
        **entered,
        "tags": sorted(entered["tags"]),
        "version": task.version,
    }


def body_of(happened: Happened, kind: str, at: datetime, team: Team, by_name: str, url: str) -> str:
    """What is sent, as it is signed. `url` is where the team's pages begin."""
    data = dict(happened.data)
    if task := data.get("task"):
        named = {"reference": reference(team.key, task["number"])} if task.get("number") else {}
        data["task"] = {**task, **named, "url": f"{url}/tasks/{task['id']}"}
    told = {
        "type": kind,
        "timestamp": at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "team": {"id": team.team_id, "name": team.name},
        "by": {"id": happened.by, "name": by_name} if happened.by else None,
        "data": data,
    }
    return orjson.dumps(told).decode()


LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))


def allowed_by(settings: Settings) -> list[Network]:
    """Networks of ours that addresses may lead into; a program for this machine alone may speak to itself."""
    return [*allowed_networks(settings), *(LOOPBACK if is_loopback(settings.public_url) else ())]


def checked_url(text: str, *, here: bool) -> str:
    """An https address outside; `here` is a program that only this machine can open, and it may speak to itself.

    Where it leads is looked at apart, and again whenever something is sent."""
    url = text.strip()
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise BadHookUrl(field="url") from None
    plain = url.isascii() and url.isprintable() and " " not in url and len(url) <= URL_LENGTH_MAX
    named = bool(host) and parts.username is None and parts.password is None and not parts.fragment
    if not plain or not named or parts.scheme not in (("http", "https") if here else ("https",)):
        raise BadHookUrl(field="url")
    if not here and _inside(host):
        raise BadHookUrl(field="url")
    return url


def _inside(host: str) -> bool:
    """By its name alone."""
    return ":" not in host and (host == "localhost" or host.endswith(_NAMES_INSIDE) or "." not in host)
