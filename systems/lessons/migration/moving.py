"""The stages of the move: plan (nothing is written), run, verify, cutover, rollback.

A run reads the old table in segments and saves how far each has come after every page, so that it can be cut off
anywhere and go on. Writing a row is idempotent: it is put if nothing is there, or if what is there came from an older
state of the same row. What users have done in the new table since is never overwritten.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Ref, replace
from sekkei.design.codecs import from_stored
from sekkei.engine.errors import ResourceNotFoundException
from sekkei.runtime import days
from systems.lessons.design import Kind, Migration, Stage, UserLesson, migrations, user_lesson, user_lessons
from systems.lessons.migration.mapping import OldTable, Place, Unusable, mapped, merged, place_of

SEGMENTS = 4
PAGE_ROWS = 500
PLACES_AT_ONCE = 100
EXAMPLES_MAX = 20

T = TypeVar("T")
Progress = Callable[[int], None]


class WrongStage(Exception):
    """The move has not come so far, or has gone too far."""


@dataclass(slots=True)
class Report:
    """What a plan, a run or a verification found."""

    rows: int = 0
    places: int = 0
    written: int = 0
    unchanged: int = 0
    kept: int = 0
    """Places where the new table is ahead; they stay as they are."""
    conflicts: int = 0
    """Rows that share a place with a newer one."""
    unusable: Counter[str] = field(default_factory=Counter)
    drift: list[str] = field(default_factory=list)

    def refuse(self, reason: str) -> None:
        self.unusable[reason if len(self.unusable) < EXAMPLES_MAX or reason in self.unusable else "others"] += 1


class Move:
    """One old table's way into the new one."""

    def __init__(self, db: Database, clock: Clock, old: OldTable, progress: Progress = lambda rows: None) -> None:
        self._db = db
        self._clock = clock
        self._old = old
        self._progress = progress

    async def plan(self) -> Report:
        """What a run would do; nothing is written."""
        report, wanted = await self._wanted()
        async for _, tie, there in self._beside(wanted):
            if there is None:
                report.written += 1
            elif _same(there, tie):
                report.unchanged += 1
            elif _may_replace(there, tie):
                report.written += 1
            else:
                report.kept += 1
        return report

    async def run(self) -> Report:
        """Copy everything that is not there yet. May be repeated, before and after it was cut off."""
        state = await self._state()
        if state is not None and state.stage is Stage.CUT_OVER:
            raise WrongStage("The move is finished: after the cutover the new table leads.")
        resumes = state is not None and state.stage is Stage.RUNNING
        cursors: dict[str, Any] = dict(state.cursors) if state is not None and resumes else {}
        report = Report()
        await self._save(Stage.RUNNING, cursors, 0)
        for segment in range(SEGMENTS):
            async for rows, cursor in self._pages(segment, cursors.get(str(segment))):
                await self._copy_page(rows, report)
                cursors[str(segment)] = cursor or "end"
                await self._save(Stage.RUNNING, cursors, report.written)
                self._progress(report.rows)
        await self._save(Stage.COPIED, {}, report.written)
        return report

    async def verify(self) -> Report:
        """Compare every place with what the old table makes of it."""
        state = await self._state()
        if state is None or state.stage not in (Stage.COPIED, Stage.VERIFIED):
            raise WrongStage("Run the copy to its end first: sekkei lessons migrate run")
        report, wanted = await self._wanted()
        async for place, tie, there in self._beside(wanted):
            if there is not None and (_same(there, tie) or not _may_replace(there, tie)):
                report.unchanged += 1
            else:
                report.drift.append(f"{place[0]} {place[1]}")
        if not report.drift:
            await self._save(Stage.VERIFIED, {}, state.copied)
        return report

    async def cutover(self) -> None:
        """From here on the new table leads, for good."""
        state = await self._state()
        if state is None or state.stage is not Stage.VERIFIED:
            raise WrongStage("Verify without drift first: sekkei lessons migrate verify")
        await self._save(Stage.CUT_OVER, {}, state.copied)

    async def rollback(self) -> int:
        """Take out again what the move has put in and nobody has changed since; until the cutover."""
        state = await self._state()
        if state is not None and state.stage is Stage.CUT_OVER:
            raise WrongStage("After the cutover there is no way back: the new table leads.")
        _, wanted = await self._wanted()
        removed = 0
        async for place, tie, there in self._beside(wanted):
            if there is None or not _is_moved(there) or there.updated_at != tie.updated_at:
                continue
            user, slot = place
            delete = user_lessons.delete(user, slot.studio_code, slot.lesson_date, slot.start_time, tie.kind)
            try:
                await self._db.write(delete.when(UserLesson.updated_at == tie.updated_at))
            except ConditionFailed:
                continue
            removed += 1
        await self._save(Stage.ROLLED_BACK, {}, 0)
        return removed

    async def stage(self) -> Stage | None:
        state = await self._state()
        return None if state is None else state.stage

    # Parts

    async def _wanted(self) -> tuple[Report, dict[Place, UserLesson]]:
        """What the old table makes of every place, all of it."""
        report = Report()
        groups: dict[Place, list[UserLesson]] = {}
        for segment in range(SEGMENTS):
            async for rows, _ in self._pages(segment, None):
                for place, ties in self._grouped(rows, report).items():
                    groups.setdefault(place, []).extend(ties)
                self._progress(report.rows)
        report.places = len(groups)
        report.conflicts = sum(len(ties) - 1 for ties in groups.values())
        return report, {place: merged(ties) for place, ties in groups.items()}

    async def _beside(
        self, wanted: dict[Place, UserLesson]
    ) -> AsyncIterator[tuple[Place, UserLesson, UserLesson | None]]:
        """What is wanted at each place, and what is there."""
        for batch in batched(wanted.items(), PLACES_AT_ONCE):
            found = await self._db.get_many([_ref(place) for place, _ in batch])
            for (place, tie), there in zip(batch, found, strict=True):
                yield place, tie, there

    async def _copy_page(self, rows: list[dict[str, Any]], report: Report) -> None:
        """Many places at once. Rows that go to one place stand beside each other in the old table."""
        places = self._grouped(rows, report)
        for batch in batched(places.items(), PLACES_AT_ONCE):
            found = await self._db.get_many([_ref(place) for place, _ in batch])
            copies = (self._copy(ties, there, report) for (_, ties), there in zip(batch, found, strict=True))
            await asyncio.gather(*copies)

    def _grouped(self, rows: list[dict[str, Any]], report: Report) -> dict[Place, list[UserLesson]]:
        places: dict[Place, list[UserLesson]] = {}
        for row in rows:
            report.rows += 1
            try:
                tie = mapped(row, self._old)
            except Unusable as reason:
                report.refuse(str(reason))
                continue
            places.setdefault(place_of(tie), []).append(tie)
        return places

    async def _copy(self, ties: list[UserLesson], there: UserLesson | None, report: Report) -> None:
        report.conflicts += len(ties) - 1
        tie = merged(ties)
        if there is not None:
            if not _is_moved(there):
                report.kept += 1
                return
            # A row met again takes its own place; it is no conflict with itself.
            own = {one.waitlist_id for one in ties}
            tie = merged([*ties, *(part for part in _parts_of(there) if part.waitlist_id not in own)])
            if _same(there, tie):
                report.unchanged += 1
                return
            if not _may_replace(there, tie):
                report.kept += 1
                return
        unchanged = UserLesson.user_id.absent()
        if there is not None:
            unchanged = UserLesson.updated_at == there.updated_at
        try:
            await self._db.write(user_lessons.put(tie).when(unchanged))
            report.written += 1
        except ConditionFailed:
            report.kept += 1

    async def _pages(self, segment: int, cursor: Any) -> AsyncIterator[tuple[list[dict[str, Any]], Any]]:
        """Rows of one segment of the old table as plain values, page by page, with where the page ended."""
        if cursor == "end":
            return
        request: dict[str, Any] = {
            "TableName": self._old.table,
            "Segment": segment,
            "TotalSegments": SEGMENTS,
            "Limit": PAGE_ROWS,
        }
        while True:
            if cursor:
                request["ExclusiveStartKey"] = cursor
            try:
                answer = await self._db.store.call("Scan", request)
            except ResourceNotFoundException:
                raise WrongStage(f"There is no table {self._old.table} to move from.") from None
            rows = [{name: from_stored(value) for name, value in item.items()} for item in answer["Items"]]
            cursor = answer.get("LastEvaluatedKey")
            yield rows, cursor
            if cursor is None:
                return

    async def _state(self) -> Migration | None:
        return await self._db.get(migrations(self._old.table).consistent())

    async def _save(self, stage: Stage, cursors: dict[str, Any], copied: int) -> None:
        now = days.now(self._clock)
        await self._db.write(
            migrations.put(
                Migration(source=self._old.table, stage=stage, cursors=cursors, copied=copied, updated_at=now)
            )
        )


def _ref(place: Place) -> Ref[UserLesson]:
    user, slot = place
    return user_lesson(user, slot.studio_code, slot.lesson_date, slot.start_time, Kind.WAITLIST)


def batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    left = iter(values)
    while batch := list(islice(left, size)):
        yield batch


def _is_moved(tie: UserLesson) -> bool:
    return tie.legacy is not None and "from" in tie.legacy


def _parts_of(tie: UserLesson) -> list[UserLesson]:
    """The row that is there, without what was merged into it, and stand-ins for what was."""
    legacy = dict(tie.legacy or {})
    conflicts = legacy.pop("conflicts", [])
    oldest = tie.updated_at.replace(year=1971)
    return [
        replace(tie, legacy=legacy),
        *(
            replace(
                tie,
                waitlist_id=one["waitlistId"],
                lesson_name=one["lessonName"],
                updated_at=oldest,
                legacy={},
            )
            for one in conflicts
        ),
    ]


def _same(there: UserLesson, wanted: UserLesson) -> bool:
    """Conflicts are a set: in which order they were met does not matter."""
    return replace(there, legacy=_in_order(there)) == replace(wanted, legacy=_in_order(wanted))


def _in_order(tie: UserLesson) -> dict[str, Any]:
    legacy = dict(tie.legacy or {})
    if "conflicts" in legacy:
        unique = {(one["waitlistId"], one["lessonName"]) for one in legacy["conflicts"]}
        legacy["conflicts"] = sorted(unique, key=str)
    return legacy


def _may_replace(there: UserLesson, wanted: UserLesson) -> bool:
    """Only what came from the old table, and has not been touched since, gives way."""
    return _is_moved(there) and there.updated_at <= wanted.updated_at
