"""Looking at places in numbers, and bringing those that differ to what the old table makes of them."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Collection, Iterable
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Contended, Database, ItemRefused
from sekkei.design.retries import TRIES_MAX, pause
from sekkei.errors import ValidationException
from sekkei.runtime import days
from sekkei_lessons_migration.configuration import OldTable
from sekkei_lessons_migration.mapping import Row, Unusable, mapped
from sekkei_lessons_migration.old_rows import About, OldRows
from sekkei_lessons_migration.places import (
    LEFT_OUT,
    Finding,
    OldRow,
    Place,
    Verdict,
    identity,
    judged,
    place_of,
    rows_held,
    source_of,
)
from sekkei_lessons_migration.report import Report
from sekkei_systems.lessons.design import TieKind, UserLesson, user_lessons

ENTRIES_AT_ONCE = 100

Groups = dict[Place, dict[str, OldRow]]
There = dict[Place, UserLesson | ItemRefused | None]


class Comparing:
    """The old table beside the new one.

    `new_leads`  only what is newer in the old table counts any more
    `made`       whether the new table is there at all
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        old: OldTable,
        rows: OldRows,
        about: About,
        *,
        new_leads: bool,
        made: bool = True,
    ) -> None:
        self._db = db
        self._clock = clock
        self._old = old
        self._rows = rows
        self._key_names = about.key_names
        self._new_leads = new_leads
        self._made = made
        self._written: set[int] = set()
        """Places that were written in this pass: two rows of one place are one place."""

    # Looking

    async def rows(self, rows: Iterable[Row], report: Report) -> list[Finding]:
        """The places that these rows go to."""
        now = days.now(self._clock)
        groups: Groups = {}
        for row in rows:
            report.rows += 1
            try:
                found = self._old_row(row)
            except Unusable as reason:
                report.unusable.add(key=self.key_of(row), reason=str(reason))
                continue
            if found.tie.ttl is not None and found.tie.ttl <= now:
                report.over += 1
            else:
                groups.setdefault(place_of(found.tie), {})[found.id] = found
        return await self._findings(groups)

    async def places(self, places: Iterable[Place]) -> list[Finding]:
        """Places where something may be; the rows that it was made of are read again."""
        return await self._findings({place: {} for place in places})

    async def entries(self, found: Iterable[UserLesson]) -> list[Finding]:
        """The same for entries that have just been read."""
        there: There = {place_of(entry): entry for entry in found}
        return await self._findings({place: {} for place in there}, there)

    async def again(self, finding: Finding) -> Finding:
        """The same place, with its rows as they are now."""
        rows = (await self._rows.get(row.key for row in finding.rows)).values()
        groups: Groups = {finding.place: {}}
        self._sort_in(rows, groups)
        (found,) = await self._findings(groups)
        return dataclasses.replace(found, read=finding.read)  # what was met once is counted once

    async def _findings(self, groups: Groups, there: There | None = None) -> list[Finding]:
        there = await self._there(groups) if there is None else there
        read = {place: frozenset(rows) for place, rows in groups.items()}
        # An entry may have been made of rows that were not read with these.
        held = {place: rows_held(_entry(there[place]), self._old.table, self._key_names) for place in groups}
        others = [key for place, keys in held.items() for id, key in keys.items() if id not in read[place]]
        unusable = self._sort_in((await self._rows.get(others)).values(), groups) if others else set()
        now = days.now(self._clock)
        findings = []
        for place, rows in groups.items():
            entry = there[place]
            if isinstance(entry, ItemRefused):
                findings.append(Finding(place, rows.values(), None, None, Verdict.UNREADABLE, read[place]))
            elif not rows and unusable & set(held[place]):
                # The old row is there and has become unusable: the last good state of it stays.
                findings.append(Finding(place, (), entry, None, Verdict.AHEAD, read[place]))
            else:
                known = (place, rows.values(), read[place], entry, self._old.table, now)
                findings.append(judged(*known, new_leads=self._new_leads))
        return findings

    async def _there(self, places: Collection[Place]) -> There:
        if not self._made:
            return dict.fromkeys(places)
        try:
            found = await self._db.get_many([place.ref for place in places])
        except ItemRefused:
            return {place: await self._one(place) for place in places}
        return dict(zip(places, found, strict=True))

    async def _one(self, place: Place) -> UserLesson | ItemRefused | None:
        try:
            return await self._db.get(place.ref)
        except ItemRefused as refused:
            return refused

    def _sort_in(self, rows: Iterable[Row], groups: Groups) -> set[str]:
        """Add rows to the places they belong to now, if those are looked at; the identities of unusable ones."""
        unusable = set()
        for row in rows:
            try:
                found = self._old_row(row)
            except Unusable:
                unusable.add(identity(self.key_of(row)))
                continue
            if place_of(found.tie) in groups:
                groups[place_of(found.tie)][found.id] = found
        return unusable

    def _old_row(self, row: Row) -> OldRow:
        return OldRow(self.key_of(row), row, mapped(row, self._old, days.now(self._clock)))

    def key_of(self, row: Row) -> Row:
        return {name: row[name] for name in self._key_names}

    # Doing

    async def settle(self, finding: Finding, report: Report) -> None:
        """Bring one place to what the old table makes of it, and count what that took."""
        if _may_be_outdated(finding):
            finding = await self.again(finding)
        tried: Finding | None = None
        for attempt in range(TRIES_MAX):
            if not finding.differs or finding.verdict is Verdict.UNREADABLE:
                if tried is not None and finding.verdict is Verdict.SAME:
                    # As it should be after a try that failed: that try's answer was lost, or somebody did the same.
                    self._count_once(tried, report)
                else:
                    count(finding, report, done=None)
                return
            try:
                await self._write(finding)
            except ConditionFailed:
                await pause(attempt, self._clock)
                tried, finding = finding, await self.again(finding)
            except ValidationException as error:
                for row in finding.rows:
                    report.unusable.add(key=dict(row.key), reason=f"the store refused it: {error.message}")
                return
            else:
                self._count_once(finding, report)
                return
        raise Contended("SK305", f"others kept changing {finding.place}. Run it again: it goes on where it was.")

    def _count_once(self, finding: Finding, report: Report) -> None:
        before = report.written
        count(finding, report, done=finding.verdict)
        if hash(finding.place) in self._written:
            report.written = before
        self._written.add(hash(finding.place))

    async def _write(self, finding: Finding) -> None:
        there = finding.there
        unchanged = UserLesson.user_id.absent()
        if there is not None:
            # Who only added a conflict has left the moment of the last change as it was.
            legacy = UserLesson.legacy.absent() if there.legacy is None else UserLesson.legacy == there.legacy
            unchanged = (UserLesson.updated_at == there.updated_at) & (UserLesson.status == there.status) & legacy
        if finding.wanted is not None:
            await self._db.write(user_lessons.put(finding.wanted).when(unchanged))
        else:
            await self._db.write(user_lessons.delete(finding.place.user, *finding.place.key).when(unchanged))


def _entry(there: UserLesson | ItemRefused | None) -> UserLesson | None:
    return None if isinstance(there, ItemRefused) else there


def _may_be_outdated(finding: Finding) -> bool:
    """What is there is newer than what was read: a later state may have been carried over meanwhile."""
    there, wanted = finding.there, finding.wanted
    if not finding.differs or there is None:
        return False
    return wanted is None or there.updated_at > wanted.updated_at


def count(finding: Finding, report: Report, done: Verdict | None) -> None:
    """Add a place to a report. `done` is what was found wrong and has been put right."""
    for row in finding.conflicts:
        report.conflicts.add(place=str(finding.place), key=dict(row.key))
    if finding.wanted is not None and LEFT_OUT in (finding.wanted.legacy or {}) and finding.is_counted:
        report.shortened.add(place=str(finding.place))
    if done is Verdict.GONE:
        report.removed += 1
    elif done is not None:
        report.written += 1
    elif finding.verdict is Verdict.SAME:
        report.unchanged += finding.is_counted
    elif finding.verdict is Verdict.AHEAD:
        if finding.is_counted:
            report.ahead.add(place=str(finding.place))
    else:
        report.drift.add(place=str(finding.place), what=finding.verdict.value)


async def entries(db: Database, *, moved_from: str | None) -> AsyncIterator[list[UserLesson]]:
    """Every waitlist entry of the new table, or those that came from one old table, some at a time.

    Items that are no entries of the design are left out: whoever looks at their rows meets them."""
    condition = (
        "#type = :waitlist AND (attribute_not_exists(#ttl) OR #ttl > :now)"  # expired items may still be there
        + (" AND attribute_exists(legacy)" if moved_from else "")
    )
    request: dict[str, Any] = {
        "TableName": db.table_name(user_lessons.table),
        "ConsistentRead": True,
        "FilterExpression": condition,
        "ExpressionAttributeNames": {"#type": "type", "#ttl": "ttl"},
        "ExpressionAttributeValues": {
            ":waitlist": {"S": TieKind.WAITLIST.value},
            ":now": {"N": str(int(db.clock.now()))},
        },
    }
    while True:
        answer = await db.store.call("Scan", request)
        found = []
        for item in answer["Items"]:
            try:
                entry = user_lessons.decode(item)
            except ItemRefused:
                continue
            if moved_from is None or source_of(entry, moved_from) is not None:
                found.append(entry)
        for start in range(0, len(found), ENTRIES_AT_ONCE):
            yield found[start : start + ENTRIES_AT_ONCE]
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
