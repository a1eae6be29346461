"""The stages of the move: plan (nothing is written), run, verify, cutover, final, rollback, retire.

Whatever a stage does to a place is a function of the old rows that belong there and of what is there, so every stage
can be repeated, cut off anywhere, and run beside a follower of the old table's stream. A run reads the old table in
segments and notes after every page how far each has come.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.errors import ResourceNotFoundException
from sekkei.runtime import days
from sekkei_lessons_migration.comparing import Comparing, count, entries
from sekkei_lessons_migration.configuration import OldTable
from sekkei_lessons_migration.contacts import OldContacts
from sekkei_lessons_migration.ledger import FOLLOWED, NEW_LEADS, Ledger, WrongStage
from sekkei_lessons_migration.mapping import Unusable, mapped
from sekkei_lessons_migration.old_rows import About, OldRows, plain
from sekkei_lessons_migration.places import Finding, Place, Verdict, place_of
from sekkei_lessons_migration.report import Report
from sekkei_lessons_migration.retiring import retire
from sekkei_lessons_migration.returning import Returning
from sekkei_lessons_migration.together import together
from sekkei_systems.lessons.design import Migration, Stage, UserLesson, lessons_table, user_lessons_table

SEGMENTS = 4
PLACES_AT_ONCE = 100
FINISHED = "The move is finished: the cutover is final."
_END = "end"

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Rows done, and about how many there are in all."""
Act = Callable[[Comparing, list[Finding], Report], Awaitable[None]]
Visit = Callable[[list[UserLesson], Report], Awaitable[None]]


class Move:
    """One old table's way into the new one."""

    def __init__(self, db: Database, clock: Clock, old: OldTable, progress: Progress = lambda done, rows: None) -> None:
        self._db = db
        self._clock = clock
        self._old = old
        self._progress = progress
        self._rows = OldRows(db.store, old.table, clock)
        self._ledger = Ledger(db, clock, old.table)

    async def state(self) -> Migration | None:
        return await self._ledger.read()

    # Stages

    async def plan(self) -> Report:
        """What a run would do; nothing is written."""
        about = await self._rows.about()
        made = await self._is_made()
        seen: set[Place] = set()

        async def act(comparing: Comparing, findings: list[Finding], report: Report) -> None:
            for finding in findings:
                if finding.place in seen and finding.verdict is Verdict.MISSING:
                    for row in finding.rows:
                        report.conflicts.add(place=str(finding.place), key=dict(row.key))
                else:
                    count(finding, report, done=finding.verdict if finding.differs else None)
                seen.add(finding.place)

        return await self._pass("plan", about, await self._ledger.read() if made else None, act, made=made)

    async def run(self) -> Report:
        """Copy what is not there yet. May be repeated at any time, and goes on where it was cut off."""
        about = await self._rows.about()
        before = await self._ledger.read()
        if before is not None and before.stage is Stage.FINAL:
            raise WrongStage(FINISHED)
        if before is not None and before.stage is Stage.CUT_OVER:
            # What the old table was given after the cutover, if it is newer than what is there.
            return await self._pass("run", about, before, _settle)
        mapping = self._old.fingerprint
        resumes = before is not None and before.stage is Stage.RUNNING and before.mapping == mapping
        fresh: dict[str, Any] = {} if resumes else {"cursors": {}, "counts": {}}
        mine = await self._ledger.enter(Stage.RUNNING, before, mapping=mapping, **fresh)
        report = await self._pass("run", about, mine, _settle, self._contacts().bring, saves=True)
        await self._ledger.enter(Stage.COPIED, mine, cursors={}, counts=report.counts())
        return report

    async def verify(self) -> Report:
        """Compare every place with what the old table makes of it, and the other way round."""
        before = await self._ledger.read()
        if before is not None and before.stage is Stage.FINAL:
            raise WrongStage(FINISHED)
        if before is None or before.stage not in (Stage.COPIED, Stage.VERIFIED, Stage.CUT_OVER):
            raise WrongStage("Run the copy to its end first: sekkei lessons migrate run")
        report = await self._compared("verify", before, self._contacts().list_silent)
        if before.stage is not Stage.CUT_OVER:
            stage = Stage.COPIED if report.drift else Stage.VERIFIED
            await self._ledger.enter(stage, before, counts=report.counts())
        return report

    async def cutover(self, *, allow_silent: bool = False) -> Report:
        """The new table leads from here on, if both still agree; there is a way back until it is made final.

        Not while people who wait could not be told of a place, unless that is allowed."""
        before = await self._ledger.read()
        if before is None or before.stage is not Stage.VERIFIED:
            raise WrongStage("Verify without drift first: sekkei lessons migrate verify")
        report = await self._compared("cutover", before, self._contacts().list_silent)
        if report.drift:
            await self._ledger.enter(Stage.COPIED, before)
            return report
        if allow_silent or not report.silent:
            await self._ledger.enter(Stage.CUT_OVER, before, led_since=days.now(self._clock))
        return report

    async def make_final(self) -> Report:
        """No way back any more, if nothing was written to the old table that the new one lacks."""
        before = await self._ledger.read()
        if before is None or before.stage is not Stage.CUT_OVER:
            raise WrongStage("Cut over first, and use the new table for a while: sekkei lessons migrate cutover")
        report = await self._compared("cutover", before)
        if not report.drift:
            await self._ledger.enter(Stage.FINAL, before)
        return report

    async def rollback(self) -> Report:
        """The old table leads again. Open until the cutover is final; see `returning` for what becomes of entries."""
        before = await self._ledger.read()
        if before is None:
            raise WrongStage("There is nothing to take back: no move has begun.")
        if before.stage is Stage.FINAL:
            raise WrongStage("There is no way back: the cutover is final.")
        led = before.led_since is not None
        about = await self._rows.about()
        mine = await self._ledger.enter(Stage.ROLLING_BACK, before, cursors={})
        started, done = time.perf_counter(), 0
        report = Report("rollback", self._old.table)
        returning = Returning(self._db, self._clock, self._old, self._rows, about)
        give_back = returning.carry_back if led else returning.take_out
        async for some in entries(self._db, moved_from=None if led else self._old.table):
            await give_back(some, report)
            done += len(some)
            self._progress(done, about.rows)
        await self._ledger.enter(Stage.ROLLED_BACK, mine, led_since=None, counts=report.counts())
        report.seconds = time.perf_counter() - started
        return report

    async def retire(self, backup: Path) -> int:
        """Save the old table into a file, then delete it; how many rows were saved."""
        before = await self._ledger.read()
        if before is None or before.stage is not Stage.FINAL:
            raise WrongStage("Make the cutover final first: sekkei lessons migrate cutover --final")
        await self._rows.about()
        return await retire(self._db.store, self._rows, backup)

    # Changes of the old table

    async def follow(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        """Carry over what changed: takes an event of the old table's stream, as the pump and Lambda give it.

        The rows are read as they are now, so that it does not matter how late or how often a change arrives."""
        state = await self._ledger.read()
        if state is None or state.stage not in FOLLOWED:
            return {"batchItemFailures": []}
        about = await self._rows.about()
        comparing = self._comparing(about, state)
        records = [record["dynamodb"] for record in event["Records"]]
        rows = (await self._rows.get(plain(record["Keys"]) for record in records)).values()
        report = Report("run", self._old.table)
        findings = {finding.place: finding for finding in await comparing.rows(rows, report)}
        left = self._places_before(record["OldImage"] for record in records if "OldImage" in record)
        for finding in (*findings.values(), *await comparing.places(left - set(findings))):
            await comparing.settle(finding, report)
        return {"batchItemFailures": []}

    def _places_before(self, images: Iterable[Mapping[str, Any]]) -> set[Place]:
        """Where changed or deleted rows belonged."""
        found = set()
        for image in images:
            try:
                found.add(place_of(mapped(plain(image), self._old, days.now(self._clock))))
            except Unusable:
                continue
        return found

    # Parts

    def _contacts(self) -> OldContacts:
        return OldContacts(self._db, self._clock, self._old)

    async def _compared(self, stage: str, state: Migration, visit: Visit | None = None) -> Report:
        return await self._pass(stage, await self._rows.about(), state, _count, visit)

    def _comparing(self, about: About, state: Migration | None, made: bool = True) -> Comparing:
        new_leads = state is not None and state.stage in NEW_LEADS
        return Comparing(self._db, self._clock, self._old, self._rows, about, new_leads=new_leads, made=made)

    async def _pass(
        self,
        stage: str,
        about: About,
        state: Migration | None,
        act: Act,
        visit: Visit | None = None,
        *,
        saves: bool = False,
        made: bool = True,
    ) -> Report:
        """All rows of the old table, then all entries that came from it, which `visit` is shown too: each table is read
        once. `saves`: in `state` it is noted how far."""
        started = time.perf_counter()
        report = Report(stage, self._old.table)
        noted = state if saves else None
        cursors: dict[str, Any] = dict(noted.cursors) if noted is not None else {}
        report.resume(noted.counts if noted is not None else {})
        comparing = self._comparing(about, state, made)
        saving = asyncio.Lock()
        # Places that rows go to: their entries need no second look.
        seen: set[int] = set()

        async def segment(name: str) -> None:
            if cursors.get(name) == _END:
                return
            async for rows, after in self._rows.pages(int(name), SEGMENTS, cursors.get(name)):
                # Counted apart, so that numbers and cursors that are saved together belong together.
                page = Report(stage, self._old.table)
                for some in batched(rows, PLACES_AT_ONCE):
                    findings = await comparing.rows(some, page)
                    seen.update(hash(finding.place) for finding in findings)
                    await act(comparing, findings, page)
                report.take(page)
                cursors[name] = after or _END
                if noted is not None:
                    async with saving:
                        await self._ledger.save(noted, cursors, report.counts())
                self._progress(report.rows, about.rows)

        await together(segment(str(number)) for number in range(SEGMENTS))
        if made:
            async for found in entries(self._db, moved_from=self._old.table):
                findings = await comparing.entries(entry for entry in found if hash(place_of(entry)) not in seen)
                gone = [one for one in findings if one.verdict is Verdict.GONE]
                await act(comparing, gone, report)
                if visit is not None:
                    places = {one.place for one in gone}
                    await visit([entry for entry in found if place_of(entry) not in places], report)
        report.seconds = time.perf_counter() - started
        return report

    async def _is_made(self) -> bool:
        for table in (user_lessons_table, lessons_table):
            try:
                await self._db.store.call("DescribeTable", {"TableName": self._db.table_name(table)})
            except ResourceNotFoundException:
                return False
        return True


async def _settle(comparing: Comparing, findings: list[Finding], report: Report) -> None:
    await together(comparing.settle(finding, report) for finding in findings)


async def _count(comparing: Comparing, findings: list[Finding], report: Report) -> None:
    for finding in findings:
        count(finding, report, done=None)


def batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    left = iter(values)
    while batch := list(islice(left, size)):
        yield batch
