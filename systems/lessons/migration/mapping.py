"""What becomes of a row of the old table. The old schema is not known for certain, so the mapping is configuration.

{"table": "waitlistTable", "user": "userId", "waitlist": "waitlistId", "studio": "studioCode", …,
 "statuses": {"paused": "active"}, "studios": {"銀座": "gnz"}}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from sekkei.design import replace
from systems.lessons.design import Kind, Status, UserLesson
from systems.lessons.refusals import BadSlot
from systems.lessons.rules import Slot, slot, slot_of, ttl_of

UNDATED_BEFORE = timedelta(days=30)

Row = Mapping[str, Any]
Place = tuple[str, Slot]
"""Where a row goes: a user and a lesson."""


@dataclass(frozen=True, slots=True)
class OldTable:
    """Names in the old table. What is not named here is carried over as it is, under `legacy`."""

    table: str = "waitlistTable"
    user: str = "userId"
    waitlist: str = "waitlistId"
    studio: str = "studioCode"
    day: str = "lessonDate"
    start: str = "startTime"
    name: str = "lessonName"
    instructor: str = "instructor"
    status: str = "status"
    created: str = "createdAt"
    updated: str = "updatedAt"
    told: str = "notificationSent"
    told_at: str = "lastNotifiedAt"
    resumes: str = "autoResumeAt"
    statuses: Mapping[str, str] = field(default_factory=lambda: {"paused": "active"})
    """Old status to new, where they differ."""
    studios: Mapping[str, str] = field(default_factory=dict)
    """Old studio name to code, where they differ."""

    @classmethod
    def read(cls, text: bytes) -> OldTable:
        content = orjson.loads(text)
        known = {one.name for one in fields(cls)}
        unknown = sorted(set(content) - known)
        if unknown:
            raise ValueError(f"The mapping has {', '.join(unknown)}, which is not one of {', '.join(sorted(known))}.")
        return cls(**content)

    @property
    def names(self) -> set[str]:
        return {
            str(getattr(self, one.name)) for one in fields(self) if one.name not in ("table", "statuses", "studios")
        }


class Unusable(Exception):
    """A row that cannot be moved, and why."""


def mapped(row: Row, mapping: OldTable) -> UserLesson:
    """The waitlist entry that a row becomes."""
    user = row.get(mapping.user)
    if not isinstance(user, str) or not user or "#" in user:
        raise Unusable(f"{mapping.user} is {user!r}")
    found = _slot(row, mapping)
    status = _status(row, mapping)
    # Without a date of its own it counts as registered long before; the same in every run.
    created = _moment(row.get(mapping.created)) or found.starts_at - UNDATED_BEFORE
    updated = _moment(row.get(mapping.updated)) or created
    named = mapping.names
    rest = {name: value for name, value in row.items() if name not in named and name != "ttl"}
    return UserLesson(
        user_id=user,
        studio_code=found.studio_code,
        lesson_date=found.lesson_date,
        start_time=found.start_time,
        lesson_name=_text(row, mapping.name) or _name_in_id(row, mapping) or "-",
        instructor=_text(row, mapping.instructor) or "-",
        kind=Kind.WAITLIST,
        status=status,
        created_at=created,
        updated_at=updated,
        ttl=ttl_of(Kind.WAITLIST, found.starts_at),
        waitlist_id=_text(row, mapping.waitlist) or None,
        notification_sent=bool(row.get(mapping.told)),
        notified_at=_moment(row.get(mapping.told_at)),
        queue_key=_queue_key(created, row, mapping),
        paused_until=_moment(row.get(mapping.resumes)) if row.get(mapping.status) == "paused" else None,
        legacy={"from": mapping.table, **({"rest": rest} if rest else {})},
    )


def _slot(row: Row, mapping: OldTable) -> Slot:
    """From its own attributes, or from an id of the form studio#date#time#name."""
    parts = [_text(row, mapping.studio), _text(row, mapping.day), _text(row, mapping.start)]
    if not all(parts):
        from_id = _text(row, mapping.waitlist).split("#")
        parts = [given or (from_id[at] if len(from_id) > at else "") for at, given in enumerate(parts)]
    studio = mapping.studios.get(parts[0], parts[0].lower())
    start = parts[2] if len(parts[2]) != 4 else f"0{parts[2]}"
    try:
        return slot(studio, parts[1], start)
    except BadSlot:
        raise Unusable(f"studio {parts[0]!r}, day {parts[1]!r}, time {parts[2]!r}") from None


def _status(row: Row, mapping: OldTable) -> Status:
    old = str(row.get(mapping.status) or "active")
    try:
        return Status(mapping.statuses.get(old, old))
    except ValueError:
        raise Unusable(f"{mapping.status} is {old!r}") from None


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _name_in_id(row: Row, mapping: OldTable) -> str:
    parts = _text(row, mapping.waitlist).split("#", 3)
    return parts[3] if len(parts) == 4 else ""


def _moment(value: Any) -> datetime | None:
    """ISO text, or seconds or milliseconds since 1970; cut to the millisecond that is stored."""
    try:
        if isinstance(value, str) and value:
            found = datetime.fromisoformat(value)
            found = found if found.tzinfo else found.replace(tzinfo=UTC)
        elif isinstance(value, int) and not isinstance(value, bool) and value > 0:
            found = datetime.fromtimestamp(value / 1000 if value > 10**11 else value, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return found.replace(microsecond=found.microsecond // 1000 * 1000)


def _queue_key(created: datetime, row: Row, mapping: OldTable) -> str:
    """Where it stands in the queue: by registration; ties are broken the same way every time."""
    digest = hashlib.sha256(f"{row.get(mapping.user)}/{row.get(mapping.waitlist)}".encode()).hexdigest()
    milliseconds = int(created.timestamp() * 1000)
    return f"{milliseconds:012x}-7{digest[:18]}"


def place_of(tie: UserLesson) -> Place:
    return tie.user_id, slot_of(tie)


def merged(ties: Iterable[UserLesson]) -> UserLesson:
    """Rows that go to one place: the newest stays, the others are kept in its `legacy`."""
    newest_first = sorted(ties, key=lambda tie: (tie.updated_at, tie.waitlist_id or ""), reverse=True)
    first, others = newest_first[0], newest_first[1:]
    if not others:
        return first
    conflicts = [{"waitlistId": tie.waitlist_id, "lessonName": tie.lesson_name} for tie in others]
    return replace(first, legacy={**(first.legacy or {}), "conflicts": conflicts})
