"""Lessons: a race for places, the monitor's pass beside many relations it must not read, the move of an old table."""

from __future__ import annotations

import asyncio
import tempfile
import time as clock
from collections.abc import Iterable, Mapping
from datetime import datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import uvloop

from bench.markdown import number, table
from sekkei.clock import SYSTEM
from sekkei.design import Database, tables
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.schedules import StoredSchedules
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.wiring import Wiring
from sekkei.store import Embedded
from sekkei.store.protocol import Request, Response
from sekkei_lessons_migration.configuration import OldTable
from sekkei_lessons_migration.moving import Move
from sekkei_lessons_migration.sample import fill, make_table, old_rows
from sekkei_systems import days
from sekkei_systems.lessons.design import Contact, Lesson, TieKind, UserLesson, contacts, design, lessons, user_lessons
from sekkei_systems.lessons.ports.booking import BookingPorts
from sekkei_systems.lessons.ports.timetable import ByStudio, Catalogue
from sekkei_systems.lessons.refusals import Full
from sekkei_systems.lessons.rules.policy import Policy
from sekkei_systems.lessons.rules.slots import Slot, ttl_of
from sekkei_systems.lessons.rules.studios import Sellers, Studio, Studios
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.bookings import Bookings
from sekkei_systems.lessons.service.monitor import Monitor
from sekkei_systems.lessons.service.ties import Ties
from sekkei_systems.lessons.service.timetable import Timetable
from sekkei_systems.lessons.service.waitlist import Waitlist

USERS, PLACES = 1_000, 20
RELATIONS = 100_000
DUE = 2_000
WAITING_PER_LESSON = 10
OLD_ROWS = 15_000
LANES = 16
BATCH = 25
ENV = "bench"
READS = ("GetItem", "Query", "BatchGetItem")


class Metered:
    """A store that adds up the read units of what passes."""

    def __init__(self, store: Embedded) -> None:
        self._store = store
        self.read_units = 0.0

    async def call(self, operation: str, request: Request) -> Response:
        if operation not in READS:
            return await self._store.call(operation, request)
        answer = await self._store.call(operation, {**request, "ReturnConsumedCapacity": "TOTAL"})
        used = answer.get("ConsumedCapacity") or []
        self.read_units += sum(one["CapacityUnits"] for one in (used if isinstance(used, list) else [used]))
        return answer

    async def close(self) -> None:
        await self._store.close()


async def _opened(folder: str | None) -> tuple[Metered, Database, Database]:
    store = Metered(Embedded(str(Path(folder) / "bench.db") if folder else None))
    for one in (design, runtime_design):
        await tables.create(store, one, ENV)
    return store, design.open(store, env=ENV), runtime_design.open(store, env=ENV)


async def _fill(store: Metered, name: str, items: Iterable[Mapping[str, Any]]) -> None:
    left = iter(items)

    async def lane() -> None:
        while batch := list(islice(left, BATCH)):
            puts = [{"PutRequest": {"Item": item}} for item in batch]
            await store.call("BatchWriteItem", {"RequestItems": {name: puts}})

    await asyncio.gather(*(lane() for _ in range(LANES)))


def _lesson(slot: Slot, capacity: int, now: datetime, booked: int = 0) -> Lesson:
    return Lesson(
        studio_code=slot.studio_code,
        lesson_date=slot.lesson_date,
        start_time=slot.start_time,
        lesson_name="BSL House 1",
        instructor="YUKI",
        capacity=capacity,
        booked=booked,
        updated_at=now,
    )


def _wiring(db: Database, runtime: Database) -> Wiring:
    values = (Policy(), Sellers(), ByStudio({}, Catalogue(db)), Secrets(b"a secret of the benchmark"), Settings())
    ways_out = (Outbox(runtime, SYSTEM, "lessons"), StoredSchedules(runtime, SYSTEM, "lessons"))
    wiring = Wiring(*values, *ways_out, clock=SYSTEM, db=db, runtime=runtime)
    return wiring.value(Studios, [Studio("gnz", "銀座")]).value(BookingPorts, {})


# A race


async def _race(folder: str) -> list[str]:
    store, db, runtime = await _opened(folder)
    now = days.now(SYSTEM)
    slot = Slot("gnz", days.day_of(now) + timedelta(days=2), time(19, 30))
    await db.write(lessons.put(_lesson(slot, PLACES, now)))
    wiring = _wiring(db, runtime)
    bookings, waitlist = wiring.build(Bookings), wiring.build(Waitlist)
    ties, timetable = wiring.build(Ties), wiring.build(Timetable)
    entries: list[UserLesson] = []

    async def one(user: str) -> bool:
        try:
            await bookings.book(Member(user), slot)
        except Full:
            entries.append(await waitlist.join(Member(user), slot))
            return False
        return True

    started = clock.perf_counter()
    won = sum(await asyncio.gather(*(one(f"u{number:04}") for number in range(USERS))))
    seconds = clock.perf_counter() - started
    found = await timetable.get(slot)
    queue = [tie.user_id for tie in await ties.queue(slot)]
    in_order = [tie.user_id for tie in sorted(entries, key=lambda tie: tie.queue_key or "")]
    assert (won, found.booked, len(queue)) == (PLACES, PLACES, USERS - PLACES), (won, found.booked, len(queue))
    assert queue == in_order, "the queue is not in the order of registration"
    await store.close()
    return [f"{USERS:,} for {PLACES}", f"{won}", f"{len(queue)}, in order", f"{seconds:.1f} s"]


# The monitor


def _slots(now: datetime, count: int, first: int) -> list[Slot]:
    """Lessons at many studios, from some day on."""
    return [
        Slot(f"s{at // 12:03}", days.day_of(now) + timedelta(days=first + at % 12), time(8 + at % 12, 0))
        for at in range(count)
    ]


def _tie(user: str, slot: Slot, kind: TieKind, now: datetime, at: int = 0) -> UserLesson:
    return UserLesson(
        user_id=user,
        studio_code=slot.studio_code,
        lesson_date=slot.lesson_date,
        start_time=slot.start_time,
        lesson_name="BSL House 1",
        instructor="YUKI",
        kind=kind,
        created_at=now,
        updated_at=now,
        ttl=ttl_of(kind, slot.starts_at),
        waitlist_id=f"wl_{user}_{at}" if kind is TieKind.WAITLIST else None,
        notification_sent=False if kind is TieKind.WAITLIST else None,
        reservation_id=f"rsv_{user}_{at}" if kind is TieKind.BOOKING else None,
        queue_key=f"{at:012x}" if kind is TieKind.WAITLIST else None,
    )


async def _others(store: Metered, db: Database, count: int, now: datetime) -> None:
    """Active relations that are not due: favourites, bookings, and waitlists of lessons far away."""
    near, far = _slots(now, 144, 1), _slots(now, 144, 40)
    kinds = (TieKind.FAVORITE, TieKind.BOOKING, TieKind.WAITLIST)

    def items() -> Iterable[Mapping[str, Any]]:
        for at in range(count):
            kind = kinds[at % 3]
            slot = (far if kind is TieKind.WAITLIST else near)[at % 144]
            yield user_lessons.encode(_tie(f"x{at:06}", slot, kind, now, at))

    await _fill(store, db.table_name(user_lessons.table), items())


async def _due(store: Metered, db: Database, first: int, count: int, now: datetime) -> list[Slot]:
    """Who waits for lessons of the next days, ten for each, all full."""
    slots = _slots(now, 2 * DUE // WAITING_PER_LESSON, 1)[first // WAITING_PER_LESSON :][: count // WAITING_PER_LESSON]
    await db.write_many(lessons.put(_lesson(slot, 20, now, booked=20)) for slot in slots)
    people = [
        Contact(user_id=f"w{at:05}", name="花", email=f"w{at}@example.com", channels=frozenset({"mail"}))
        for at in range(first, first + count)
    ]
    await db.write_many(contacts.put(person) for person in people)
    ties = (
        _tie(person.user_id, slots[at // WAITING_PER_LESSON], TieKind.WAITLIST, now, at)
        for at, person in enumerate(people)
    )
    await _fill(store, db.table_name(user_lessons.table), (user_lessons.encode(tie) for tie in ties))
    return slots


async def _monitor() -> list[list[str]]:
    # In memory: what is measured is what it reads, and filling it is the longer part.
    store, db, runtime = await _opened(None)
    now = days.now(SYSTEM)
    monitor = _wiring(db, runtime).build(Monitor)
    rows: list[list[str]] = []

    async def look(what: str, active: int, due: int) -> float:
        store.read_units, started = 0.0, clock.perf_counter()
        told = await monitor.run()
        seconds = clock.perf_counter() - started
        units = store.read_units
        rows.append([what, f"{active:,}", f"{due:,}", f"{told:,}", number(units), f"{seconds:.2f} s"])
        return units

    few = DUE // 10
    slots = await _due(store, db, 0, few, now)
    alone = await look("all full", few, few)
    await _others(store, db, RELATIONS - DUE, now)
    beside = await look("all full", RELATIONS - DUE + few, few)
    assert beside == alone, "relations that are not due cost units"
    slots += await _due(store, db, few, DUE - few, now)
    many = await look("all full", RELATIONS, DUE)
    assert many < 11 * alone, "units do not grow with the due ones alone"
    for slot in slots:
        await db.write(lessons.update(slot.studio_code, slot.lesson_date, slot.start_time).set(Lesson.capacity, 21))
    await look("a place in each", RELATIONS, DUE)
    await look("the same again", RELATIONS, DUE)
    assert [row[3] for row in rows] == ["0", "0", "0", f"{DUE:,}", "0"], rows
    await store.close()
    return rows


# The migration


async def _migration(folder: str) -> list[list[str]]:
    store, db, _ = await _opened(folder)
    old = OldTable()
    await make_table(store, old.table)
    await fill(store, old.table, old_rows(OLD_ROWS, days.now(SYSTEM)), SYSTEM)
    move = Move(db, SYSTEM, old)
    rows = []
    written = []
    for what, stage in (("run", move.run), ("run again", move.run), ("verify", move.verify)):
        started = clock.perf_counter()
        report = await stage()
        seconds = clock.perf_counter() - started
        written.append(report.written)
        assert report.rows == OLD_ROWS
        assert not report.drift
        counts = (report.written, report.unchanged, report.conflicts.count, report.unusable.count)
        rows.append([what, *(f"{count:,}" for count in counts), number(OLD_ROWS / seconds)])
    assert written[1] == 0, "a second run is not without effect"
    await store.close()
    return rows


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        row = uvloop.run(_race(folder))
        print(table(["users", "booked", "waiting", "time"], [row]))
    print(f"\nThe monitor's pass, {WAITING_PER_LESSON} waiting per lesson; units as DynamoDB bills its reads\n")
    found = uvloop.run(_monitor())
    print(table(["pass", "active relations", "due", "told", "read units", "time"], found), flush=True)
    print(f"\nThe move of {OLD_ROWS:,} rows of an old waitlist table\n")
    with tempfile.TemporaryDirectory() as folder:
        found = uvloop.run(_migration(folder))
        print(table(["stage", "written", "as they are", "conflicts", "unusable", "rows a second"], found))


def main() -> None:
    run()


if __name__ == "__main__":
    main()
