"""The way back. What became of an entry since the move put it there decides what a rollback does with it.

Before the cutover the old table leads and has everything: what the move put in and nobody touched is taken out; what
somebody did touch stays and is listed. After the cutover the new table led for a while: what users did there (joined,
left, were told, got a place) is first written back into the old table, unless the old row is newer, and then taken
out. Favourites, bookings and history are no part of the move and stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Contended, Database
from sekkei.design.retries import TRIES_MAX, pause
from sekkei.runtime import days
from sekkei_lessons_migration.configuration import PAUSED, OldTable
from sekkei_lessons_migration.mapping import EPOCH_MILLISECONDS_MIN, Row, Unusable, mapped
from sekkei_lessons_migration.old_rows import About, OldRows
from sekkei_lessons_migration.places import identity, is_untouched, place_of, source_of
from sekkei_lessons_migration.report import Report
from sekkei_lessons_migration.together import together
from sekkei_systems.lessons.design import Status, UserLesson, user_lessons


class Returning:
    """Gives entries of the new table back to the old one."""

    def __init__(self, db: Database, clock: Clock, old: OldTable, rows: OldRows, about: About) -> None:
        self._db = db
        self._clock = clock
        self._old = old
        self._rows = rows
        self._key_names = about.key_names

    async def take_out(self, some: Collection[UserLesson], report: Report) -> None:
        """Before the cutover: the old table has them."""
        await together(self._take_out(entry, report) for entry in some)

    async def carry_back(self, some: Collection[UserLesson], report: Report) -> None:
        """After the cutover: the old table gets what it lacks."""
        rows = await self._rows.get(key for entry in some if (key := self._key(entry)) is not None)
        await together(self._carry_back(entry, rows, report) for entry in some)

    async def _take_out(self, entry: UserLesson, report: Report) -> None:
        if is_untouched(entry, self._old.table) and await self._delete(entry):
            report.removed += 1
        else:
            report.ahead.add(place=str(place_of(entry)))

    async def _carry_back(self, entry: UserLesson, rows: Mapping[str, Row], report: Report) -> None:
        key = self._key(entry)
        if key is None:
            report.ahead.add(place=str(place_of(entry)), what=f"has no {' and '.join(self._key_names)}")
            return
        for attempt in range(TRIES_MAX):
            before = rows.get(identity(key))
            row = returned(entry, before, self._old, days.now(self._clock))
            if row == before or self._is_newer(before, entry):
                break
            if await self._rows.replace(row, before, self._old.updated):
                report.written += 1
                break
            await pause(attempt, self._clock)
            rows = await self._rows.get([key])
        else:
            raise Contended("SK305", f"others kept changing {place_of(entry)} in {self._old.table}. Run it again.")
        if await self._delete(entry):
            report.removed += 1
        else:
            report.ahead.add(place=str(place_of(entry)))

    def _key(self, entry: UserLesson) -> Row | None:
        """Of an entry's row in the old table; None when it cannot have one there."""
        source = source_of(entry, self._old.table)
        if source is not None:
            key: Row = source["key"]
            return key
        fresh = _fresh(entry, self._old)
        return {name: fresh[name] for name in self._key_names} if fresh.keys() >= set(self._key_names) else None

    def _is_newer(self, before: Row | None, entry: UserLesson) -> bool:
        if before is None:
            return False
        try:
            return mapped(before, self._old).updated_at > entry.updated_at
        except Unusable:
            return False

    async def _delete(self, entry: UserLesson) -> bool:
        """False when it has changed since it was read."""
        place = place_of(entry)
        unchanged = (UserLesson.updated_at == entry.updated_at) & (UserLesson.status == entry.status)
        try:
            await self._db.write(user_lessons.delete(place.user, *place.key).when(unchanged))
        except ConditionFailed:
            return await self._db.get(place.ref) is None  # its own effect, when an answer was lost
        return True


def returned(entry: UserLesson, before: Row | None, old: OldTable, now: datetime) -> Row:
    """The row that an entry becomes in the old table: what was there, with what has changed since."""
    if before is not None and mapped_alike(before, entry, old):
        return before
    row = dict(before) if before is not None else _fresh(entry, old)
    row[old.status] = _old_status(entry, old, now)
    row[old.told] = bool(entry.notification_sent)
    for name, moment in (
        (old.updated, entry.updated_at),
        (old.told_at, entry.notified_at),
        (old.resumes, entry.paused_until),
    ):
        if moment is not None:
            row[name] = _written_like(row.get(name), moment)
    return row


def mapped_alike(before: Row, entry: UserLesson, old: OldTable) -> bool:
    """Whether the old row says the same already, in its own way."""
    try:
        tie = mapped(before, old)
    except Unusable:
        return False
    told = (tie.notification_sent, tie.notified_at) == (bool(entry.notification_sent), entry.notified_at)
    state = (tie.status, tie.paused_until, tie.updated_at) == (entry.status, entry.paused_until, entry.updated_at)
    return told and state


def _fresh(entry: UserLesson, old: OldTable) -> dict[str, Any]:
    """For somebody who joined in the new table."""
    studio = next((name for name, code in old.studios.items() if code == entry.studio_code), entry.studio_code)
    day, start = f"{entry.lesson_date}", f"{entry.start_time:%H:%M}"
    row: dict[str, Any] = {
        old.user: old.user_of(entry.user_id),
        old.waitlist: f"{studio}#{day}#{start}#{entry.lesson_name}",
        old.studio: studio,
        old.day: day,
        old.start: start,
        old.name: entry.lesson_name,
        old.instructor: entry.instructor,
        old.created: _written_like(None, entry.created_at),
    }
    return {**row, old.ttl: int(entry.ttl.timestamp())} if entry.ttl is not None else row


def _old_status(entry: UserLesson, old: OldTable, now: datetime) -> str:
    paused = entry.status is Status.ACTIVE and entry.paused_until is not None and entry.paused_until > now
    new = PAUSED if paused else entry.status.value
    return next((was for was, becomes in old.statuses.items() if becomes == new), new)


def _written_like(before: Any, moment: datetime) -> Any:
    """Numbers stay numbers; text is ISO 8601 with milliseconds."""
    if isinstance(before, int) and not isinstance(before, bool):
        milliseconds = int(moment.timestamp() * 1000)
        return milliseconds if before >= EPOCH_MILLISECONDS_MIN else milliseconds // 1000
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
