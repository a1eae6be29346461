"""A season in simulated time: two studios that sell here, one whose own system lags, loses calls and is down at times.

Every day lessons open at 07:00 to a crowd, places are given back all day, and its counter sells beside us. At night,
when nothing is under way, the raw tables say: nobody has a place that there is not, on both sides together; every
opening was one and everybody who waits was told of it once; queues were kept in order, or the reason is written down.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from itertools import pairwise
from typing import Any

import pytest

from sekkei.clock import Clock, ManualClock
from sekkei.design import Database, replace
from sekkei.runtime.deployment import Deployment, assemble
from sekkei.runtime.design import Message
from sekkei.runtime.refusals import Refusal
from sekkei.store import Embedded
from sekkei.web.testing import test_settings
from sekkei_fakes.studio.end import LocalStudio
from sekkei_fakes.studio.system import Faults, State
from sekkei_systems import days
from sekkei_systems.lessons import system
from sekkei_systems.lessons.design import Contact, Lesson, Reservation, StudioRules, TieKind, UserLesson
from sekkei_systems.lessons.design import contacts as contact_rows
from sekkei_systems.lessons.design import lessons as lesson_rows
from sekkei_systems.lessons.design import reservations as reservation_rows
from sekkei_systems.lessons.design import user_lessons as tie_rows
from sekkei_systems.lessons.ports.booking import NoWord
from sekkei_systems.lessons.rules.places import Availability, free_places, is_available
from sekkei_systems.lessons.rules.policy import Fairness
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.rules.waitlist import holds_offer, is_paused
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Member, Staff
from sekkei_systems.lessons.system import SYSTEM
from tests.systems.lessons.rules.test_weekly import WEDNESDAYS
from tests.systems.lessons.world import NOON

OPENS_DAYS, OPENS = 3, time(7, 0)
AT_ONCE = 100
LOST = 0.03
OPENING = re.compile(r"lessons/opening/([^/]+/[^/]+/[^/]+)/([^/]+)/[^/]+/([0-9]+)/mail")

log = logging.getLogger("sekkei.season")


class Outside(LocalStudio):
    """The studio with a system of its own: requests and answers get lost, and at times nobody is there."""

    def __init__(self, db: Database, clock: Clock) -> None:
        super().__init__(db, clock)
        self.dice, self.down, self.lost = random.Random(5), False, LOST

    async def list(self, studio_code: str, first: date, last: date) -> Any:
        return None if self.down else await super().list(studio_code, first, last)

    async def availability(self, lesson: Lesson) -> Availability | None:
        return None if self.down else await super().availability(lesson)

    async def reserve(self, key: str, slot: Slot) -> None:
        await self._over_the_wire(lambda: super(Outside, self).reserve(key, slot))

    async def confirm(self, key: str) -> None:
        await self._over_the_wire(lambda: super(Outside, self).confirm(key))

    async def release(self, key: str) -> None:
        await self._over_the_wire(lambda: super(Outside, self).release(key))

    async def _over_the_wire(self, act: Callable[[], Any]) -> None:
        await asyncio.sleep(0)
        if self.down or self.dice.random() < self.lost:
            raise NoWord("the request is lost")
        await act()
        if self.dice.random() < self.lost:
            raise NoWord("the answer is lost")


class Post:
    """Counts what arrives, and remembers who has read of which opening."""

    def __init__(self) -> None:
        self.received: Counter[str] = Counter()
        self.read: list[tuple[Slot, str]] = []

    async def send(self, message: Message) -> str:
        self.received[message.id] += 1
        found = OPENING.fullmatch(message.id)
        if found:
            studio, day, start = found[1].split("/")
            self.read.append((Slot(studio, date.fromisoformat(day), time.fromisoformat(start)), found[2]))
        return "received"


@dataclass(frozen=True, slots=True)
class Size:
    members: int
    days: int
    rush: int
    """Requests at 07:00."""
    hours: int
    """Between two looks at the day."""
    capacity: int = 12
    fickle: float = 0.02
    """How many give their place back, at each look."""


@dataclass(slots=True)
class Season:
    size: Size
    clock: ManualClock
    deployment: Deployment
    studio: Outside
    post: Post
    dice: random.Random
    given_back: Counter[Slot]
    """How often a place was given back here, by lesson."""
    tried: Counter[str]
    booked: dict[tuple[str, Slot], None] = field(default_factory=dict)
    waiting: dict[tuple[str, Slot], None] = field(default_factory=dict)
    """Who might give something up, in the order in which they got it; the raw tables are counted at night."""

    @property
    def service(self) -> Service:
        found: Service = self.deployment.systems["lessons"].running.parts.service
        return found

    @property
    def db(self) -> Database:
        return self.deployment.systems["lessons"].context.db

    # The season

    async def begin(self) -> None:
        for number in range(self.size.members):
            more: dict[str, Any] = (
                {"channels": frozenset({"mail"}), "email": f"m{number}@example.com"} if number % 50 else {}
            )
            muted = frozenset({"opening"}) if number % 50 == 1 else frozenset()
            await self.db.write(contact_rows.put(Contact(user_id=f"m{number}", name=f"m{number}", muted=muted, **more)))
        now = days.now(self.clock)
        for studio, fairness in (
            (self.service.access.studios[0], "first-in-line"),
            (self.service.access.studios[1], None),
        ):
            staff = Staff("staff", studio)
            rules = StudioRules(studio_code=studio.code, opens_days=OPENS_DAYS, opens_time=OPENS, updated_at=now)
            await self.service.rulebook.save(staff, replace(rules, fairness=fairness))
            for weekday in range(7):
                for hour in (12, 19):
                    every = replace(WEDNESDAYS, studio_code=studio.code, weekday=weekday, start_time=time(hour, 30))
                    every = replace(every, capacity=self.size.capacity, first_day=days.today(self.clock))
                    await self.service.weekly.save(staff, every)
        await self.deployment.worker.tick(0)

    async def live(self) -> None:
        for number in range(self.size.days):
            await self._until(OPENS)
            await self._rush()
            await self._minutes_after()
            hour = OPENS.hour
            while (hour := hour + self.size.hours) < 23:
                await self._until(time(hour, self.dice.randrange(60)))
                await self._hour()
            await self._night()
            await self.hold()
            log.info("day %d: %s", number + 1, dict(self.tried))

    async def _until(self, moment: time) -> None:
        now = days.now(self.clock).astimezone(days.JST)
        then = now.replace(hour=moment.hour, minute=moment.minute, second=0, microsecond=0)
        then += timedelta(days=1) if then <= now else timedelta()
        self.clock.advance((then - now).total_seconds())
        await self.deployment.worker.run_until_idle()

    async def _rush(self) -> None:
        """Everybody wants what has opened this minute, and Ebisu's lessons of the same day."""
        day = days.today(self.clock) + timedelta(days=OPENS_DAYS)
        opened = [one for code in ("gnz", "sby", "ebs") for one in await self.service.timetable.between(code, day, day)]
        crowd = [self.dice.randrange(self.size.members) for _ in range(self.size.rush)]
        for start in range(0, len(crowd), AT_ONCE):
            some = [(f"m{number}", slot_of(self.dice.choice(opened))) for number in crowd[start : start + AT_ONCE]]
            await asyncio.gather(*(self._wants(user, slot) for user, slot in some))
            for one in opened:
                lesson = await self.service.timetable.get(slot_of(one))
                assert lesson.capacity is None or lesson.booked <= lesson.capacity, f"{slot_of(one)} in the rush"

    async def _minutes_after(self) -> None:
        """What Ebisu tells is as it was before the rush, and people go by what they read."""
        self.studio.system.faults.lag_seconds = 300.0
        for _ in range(3):
            self.clock.advance(60)
            await self.deployment.worker.run_until_idle()
            await self._those_who_read()

    async def _wants(self, user: str, slot: Slot) -> None:
        if await self._books("books", user, slot) or self.dice.random() < 0.4:
            return
        if await self._did("waits", self.service.waitlist.join(Member(user), slot)):
            self.waiting[user, slot] = None

    async def _books(self, what: str, user: str, slot: Slot) -> bool:
        booked = await self._did(what, self.service.bookings.book(Member(user), slot))
        if booked:
            self.booked[user, slot] = None
            self.waiting.pop((user, slot), None)
        return booked

    async def _did(self, what: str, act: Any) -> bool:
        try:
            await act
        except Refusal as refusal:
            self.tried[f"{what}: {refusal.code}"] += 1
            return False
        self.tried[what] += 1
        return True

    async def _hour(self) -> None:
        """Those who read of a place try for it, some give theirs back, and the studio lives its own life."""
        self.studio.down = self.dice.random() < 0.1
        self.studio.system.faults.lag_seconds = self.dice.choice((0.0, 60.0, 300.0))
        await self._those_who_read()
        for user, slot in self._some(self.booked, self.size.fickle):
            if await self._did("cancels", self.service.bookings.cancel(Member(user), slot)):
                self.given_back[slot] += 1
        for user, slot in self._some(self.waiting, 0.01):
            await self._did("leaves", self.service.waitlist.leave(Member(user), slot))
        for name in sorted(self.studio.system.lessons):
            if self.dice.random() < 0.1:
                (self.studio.system.sell if self.dice.random() < 0.6 else self.studio.system.give_back)(name)
        await self.deployment.worker.run_until_idle()

    def _some(self, ties: dict[tuple[str, Slot], None], chance: float) -> list[tuple[str, Slot]]:
        """Who gives up what they have of a lesson to come."""
        now = days.now(self.clock)
        found = [one for one in ties if self.dice.random() < chance]
        for one in found:
            del ties[one]
        return [(user, slot) for user, slot in found if slot.starts_at > now]

    async def _those_who_read(self) -> None:
        read, self.post.read = self.post.read, []
        tries = [(user, slot) for slot, user in read if self.dice.random() < 0.7]
        for start in range(0, len(tries), AT_ONCE):
            some = tries[start : start + AT_ONCE]
            await asyncio.gather(*(self._books("takes", user, slot) for user, slot in some))

    async def _night(self) -> None:
        """Nothing is lost any more, and what was begun comes to its end."""
        self.studio.down, self.studio.lost, self.studio.system.faults = False, 0.0, Faults()
        await self._until(time(23, 30))
        for _ in range(60):
            self.clock.advance(180)
            await self.deployment.worker.run_until_idle()
            if not await self.db.all(reservation_rows.scan().consistent()):
                break
        self.clock.advance(660)  # no feed is behind any more
        await self.deployment.worker.run_until_idle()
        self.studio.lost, now = LOST, days.now(self.clock)
        for ties in (self.booked, self.waiting):
            for one in [one for one in ties if one[1].starts_at <= now]:
                del ties[one]

    # What holds

    async def _ties(self) -> tuple[list[UserLesson], list[UserLesson]]:
        """Bookings and waitlist entries that go on, of lessons to come, as they are stored."""
        now, found = days.now(self.clock), {TieKind.BOOKING: list[UserLesson](), TieKind.WAITLIST: list[UserLesson]()}
        async for item in self._scanned():
            tie = tie_rows.decode(item)
            if tie.starts_at > now and tie.kind in found:
                found[tie.kind].append(tie)
        return found[TieKind.BOOKING], found[TieKind.WAITLIST]

    async def _scanned(self) -> AsyncIterator[dict[str, Any]]:
        request: dict[str, Any] = {
            "TableName": self.db.table_name(tie_rows.table),
            "ConsistentRead": True,
            "FilterExpression": "#status = :active",
            "ExpressionAttributeNames": {"#status": "status"},
            "ExpressionAttributeValues": {":active": {"S": "active"}},
        }
        while True:
            answer = await self.db.store.call("Scan", request)
            for item in answer["Items"]:
                yield item
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    async def hold(self) -> None:
        """At night."""
        left: list[Reservation] = await self.db.all(reservation_rows.scan().consistent())
        assert left == [], "everything was settled"
        bookings, waiting = await self._ties()
        queues: dict[Slot, list[UserLesson]] = {}
        for tie in sorted(waiting, key=lambda tie: str(tie.queue_key)):
            queues.setdefault(slot_of(tie), []).append(tie)
        now = days.now(self.clock)
        booked = Counter(slot_of(tie) for tie in bookings)
        for lesson in await self.db.all(lesson_rows.scan().consistent()):
            slot = slot_of(lesson)
            if slot.starts_at > now:
                self._places(lesson, booked[slot])
                await self._told(lesson, queues.get(slot, []))
        self._both_sides(bookings)
        assert max(self.post.received.values(), default=1) == 1, "nobody is told the same twice"
        assert not {(tie.user_id, slot_of(tie)) for tie in bookings} & {(tie.user_id, slot_of(tie)) for tie in waiting}

    def _places(self, lesson: Lesson, booked: int) -> None:
        slot = slot_of(lesson)
        assert lesson.booked_here == booked, f"{slot}: {lesson.booked_here} said, {booked} booked"
        counter = self.studio.system.lessons[str(slot)].counter if slot.studio_code == "ebs" else 0
        assert lesson.capacity is not None
        assert booked + counter <= lesson.capacity, f"{slot}: {booked} here, {counter} there, {lesson.capacity} places"

    def _both_sides(self, bookings: list[UserLesson]) -> None:
        now, kept = days.now(self.clock), self.studio.system.reservations
        sold = {key for key, one in kept.items() if one.state is State.SOLD and _starts(one.lesson) > now.timestamp()}
        assert sold == {tie.reservation_id for tie in bookings if tie.studio_code == "ebs"}, "both sides agree"

    async def _told(self, lesson: Lesson, queue: list[UserLesson]) -> None:
        slot, now = slot_of(lesson), days.now(self.clock)
        assert lesson.episode <= self._openings(slot), f"{slot}: {lesson.episode} openings told"
        assert not queue or lesson.was_available == self._has_room(lesson), f"{slot}: {lesson.was_available} is noted"
        policy = await self.service.rulebook.policy(slot.studio_code)
        if not lesson.was_available or slot.starts_at - now <= policy.stop_before:
            return
        may = [tie for tie in queue if not is_paused(tie, now)]
        told = [tie.notify_episode == lesson.episode for tie in may]
        passed = [tie.passed_over == lesson.episode for tie in may]
        if slot.studio_code == "gnz" and policy.mode(slot.starts_at, now) is Fairness.FIRST_IN_LINE:
            last = max((place for place, is_told in enumerate(told) if is_told), default=-1)
            assert all(told[place] or passed[place] for place in range(last)), f"{slot}: out of their order"
            holding = sum(holds_offer(tie, now) for tie in may)
            assert holding >= min(free_places(lesson) or 0, told.count(False) - passed.count(True)), (
                f"{slot}: none held"
            )
        else:
            assert all(a or b for a, b in zip(told, passed, strict=True)), f"{slot}: {told.count(False)} were not told"

    def _has_room(self, lesson: Lesson) -> bool:
        """Nobody is behind any more: what stands there since minutes was noticed."""
        if lesson.studio_code != "ebs":
            return is_available(lesson)
        return self.studio.system.lessons[str(slot_of(lesson))].told[-1][1] > 0

    def _openings(self, slot: Slot) -> int:
        """How often there was something to tell: it began with places, and each that came back may be one."""
        if slot.studio_code != "ebs":
            return 1 + self.given_back[slot]
        free = [free for _, free in self.studio.system.lessons[str(slot)].told]
        return 1 + sum(before == 0 < after for before, after in pairwise(free))


def _starts(lesson: str) -> float:
    studio, day, start = lesson.split("/")
    return Slot(studio, date.fromisoformat(day), time.fromisoformat(start)).starts_at.timestamp()


@asynccontextmanager
async def season(size: Size, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Season]:
    clock, made = ManualClock(NOON), []

    def studio(settings: Any, db: Database, clock: Clock) -> Outside:
        made.append(Outside(db, clock))
        return made[-1]

    monkeypatch.setattr(system, "demo_studio", studio)
    store, post = Embedded(clock=clock), Post()
    settings = test_settings(values={"lessons_studios": "gnz=銀座,sby=渋谷"})
    deployment = assemble([SYSTEM], store, settings, clock, transports={"mail": post})
    await deployment.make_tables()
    found = Season(size, clock, deployment, made[0], post, random.Random(size.days), Counter(), Counter())
    await found.begin()
    yield found
    await store.close()


@asynccontextmanager
async def rare_collections() -> AsyncIterator[None]:
    """A quarter of the time went into looking for garbage that is not there."""
    kept = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)
    yield
    gc.set_threshold(*kept)


async def test_two_days_of_a_season(monkeypatch: pytest.MonkeyPatch) -> None:
    async with season(Size(members=40, days=2, rush=40, hours=8, capacity=3, fickle=0.2), monkeypatch) as found:
        await found.live()
        assert found.tried["books"] > 10
        assert min(found.tried[what] for what in ("waits", "cancels", "takes")) > 0


@pytest.mark.torture
@pytest.mark.timeout(14400)
async def test_a_season(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Twelve weeks, 5,000 members, 3,000 requests every morning:

        SEKKEI_SEASON=1 python -m pytest -m torture -n 0 --log-cli-level=INFO tests/systems/lessons/test_season.py

    Without SEKKEI_SEASON a tenth of it. A line tells of each day."""
    caplog.set_level(logging.ERROR)
    caplog.set_level(logging.INFO, "sekkei.season")
    tenth = Size(members=500, days=28, rush=900, hours=2, capacity=12)
    whole = Size(members=5_000, days=84, rush=3_000, hours=1, capacity=20)
    size = whole if os.environ.get("SEKKEI_SEASON") else tenth
    async with season(size, monkeypatch) as found, rare_collections():
        await found.live()
        assert min(found.tried[what] for what in ("books", "waits", "cancels", "takes")) > size.days
