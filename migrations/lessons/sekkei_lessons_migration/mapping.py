"""What becomes of a row of the old table: a waitlist entry, or the reason why there is none."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from sekkei_lessons_migration.configuration import PAUSED, OldTable
from sekkei_systems.lessons.design import JST, Status, TieKind, UserLesson
from sekkei_systems.lessons.refusals import BadDay, BadSlot, BadTime
from sekkei_systems.lessons.rules.slots import Slot, day_in, slot, time_in, ttl_of

USER_BYTES_MAX = 1_024
UNDATED_BEFORE = timedelta(days=30)
AHEAD_MAX = timedelta(minutes=10)
"""How far the clock of the old system may run ahead."""
RESERVED = ("from", "conflicts", "leftOut")
"""Names under `legacy` that are the move's own."""
_FLAGS: dict[Any, bool] = {True: True, False: False, "true": True, "false": False}
EPOCH_MILLISECONDS_MIN = 10**11
"""A number of seconds as large as this would be in the year 5138."""

Row = Mapping[str, Any]


class Unusable(Exception):
    """A row that cannot be moved, and why."""


class Reading:
    """One row while it is read. What is there and cannot be understood stays in `legacy`, like what is not named."""

    def __init__(self, row: Row, old: OldTable) -> None:
        self._row = row
        self._old = old
        named = old.attributes
        self.legacy = {self._carried_as(name): value for name, value in row.items() if name not in named}

    def text(self, name: str) -> str:
        value = self._row.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return value if isinstance(value, str) else self._left(name, value, "")

    def moment(self, name: str, zone: timezone = UTC) -> datetime | None:
        value = self._row.get(name)
        found = moment_of(value, zone)
        return self._left(name, value, None) if found is None else found

    def past(self, name: str, now: datetime | None) -> datetime | None:
        """One that has come; what lies ahead would win over everything that is written from now on."""
        found = self.moment(name)
        if found is not None and now is not None and found > now + AHEAD_MAX:
            return self._left(name, self._row.get(name), None)  # type: ignore[no-any-return]
        return found

    def flag(self, name: str) -> bool:
        value = self._row.get(name)
        known = isinstance(value, bool | str | int) and value in _FLAGS
        return _FLAGS[value] if known else self._left(name, value, False)

    def leave(self, name: str) -> None:
        """It has no place in the new table for this row."""
        self._left(name, self._row.get(name), None)

    def _left(self, name: str, value: Any, instead: Any) -> Any:
        if value not in (None, ""):
            self.legacy[self._carried_as(name)] = value
        return instead

    def _carried_as(self, name: str) -> str:
        return f"{self._old.table}.{name}" if name in RESERVED else name


def mapped(row: Row, old: OldTable, now: datetime | None = None) -> UserLesson:
    """The waitlist entry that a row becomes; raises Unusable. A moment after `now` cannot be when it was changed."""
    reading = Reading(row, old)
    user = reading.text(old.user)
    if not user or "#" in user or len(user.encode()) > USER_BYTES_MAX:
        raise Unusable(f"{old.user} is {row.get(old.user)!r:.50}: it must be a text without #, not longer than a key")
    from_id = reading.text(old.waitlist).split("#", 3)
    found = _slot(reading, old, [*from_id, "", "", ""] if len(from_id) > 1 else [""] * 3)
    status, paused_until = _status(reading, old, found)
    # Without a date of its own it counts as registered long before; the same in every run.
    created = reading.past(old.created, now) or found.starts_at - UNDATED_BEFORE
    return UserLesson(
        user_id=old.account_of(user),
        studio_code=found.studio_code,
        lesson_date=found.lesson_date,
        start_time=found.start_time,
        lesson_name=reading.text(old.name) or (from_id[3] if len(from_id) == 4 else "") or "-",
        instructor=reading.text(old.instructor) or "-",
        kind=TieKind.WAITLIST,
        status=status,
        created_at=created,
        updated_at=reading.past(old.updated, now) or created,
        ttl=ttl_of(TieKind.WAITLIST, found.starts_at),
        waitlist_id=reading.text(old.waitlist) or None,
        notification_sent=reading.flag(old.told),
        notified_at=reading.moment(old.told_at),
        queue_key=_queue_key(created, user, reading.text(old.waitlist)),
        paused_until=paused_until,
        legacy=reading.legacy,
    )


def _slot(reading: Reading, old: OldTable, from_id: list[str]) -> Slot:
    """From its own attributes; else from its id; else, but for the studio, from the moment it starts at."""
    starts = reading.moment(old.starts, JST)
    local = starts.astimezone(JST) if starts is not None else None
    studio = (reading.text(old.studio) or from_id[0]).strip()
    day = (reading.text(old.day) or from_id[1] or (f"{local:%Y-%m-%d}" if local else "")).strip()
    start = (reading.text(old.start) or from_id[2] or (f"{local:%H:%M}" if local else "")).strip()
    try:
        return slot(old.studios.get(studio, studio.lower()), f"{day_in(day)}", f"{time_in(start):%H:%M}")
    except (BadSlot, BadDay, BadTime) as refusal:
        problems = {
            "studio": f'studio {studio!r} is no code; name it in "studios" of the mapping',
            "date": f"day {day!r} is none",
            "time": f"time {start!r} is none",
        }
        raise Unusable(problems[str(refusal.field)]) from None


def _status(reading: Reading, old: OldTable, found: Slot) -> tuple[Status, datetime | None]:
    """The new status, and until when a paused row is not watched: without an end of its own, until the lesson."""
    given = reading.text(old.status) or Status.ACTIVE.value
    new = old.statuses.get(given, given.lower())
    if new == PAUSED:
        return Status.ACTIVE, reading.moment(old.resumes) or found.starts_at
    reading.leave(old.resumes)
    try:
        return Status(new), None
    except ValueError:
        raise Unusable(f'{old.status} is {given!r}; name it in "statuses" of the mapping') from None


def moment_of(value: Any, zone: timezone = UTC) -> datetime | None:
    """ISO text, or seconds or milliseconds since 1970; cut to the millisecond that is stored."""
    try:
        if isinstance(value, str) and value:
            found = datetime.fromisoformat(value)
            found = found if found.tzinfo else found.replace(tzinfo=zone)
        elif isinstance(value, int) and not isinstance(value, bool) and value > 0:
            found = datetime.fromtimestamp(value / 1000 if value >= EPOCH_MILLISECONDS_MIN else value, UTC)
        else:
            return None
        found = found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return found.replace(microsecond=found.microsecond // 1000 * 1000)


def _queue_key(created: datetime, user: str, waitlist: str) -> str:
    """The place in the queue, by registration, in the form of a UUIDv7; ties are broken the same way every time."""
    digest = hashlib.sha256(f"{user}/{waitlist}".encode()).hexdigest()
    at = f"{max(0, int(created.timestamp() * 1000)):012x}"
    return f"{at[:8]}-{at[8:]}-7{digest[:3]}-8{digest[3:6]}-{digest[6:18]}"
