"""Saved searches: a programme, an instructor, a studio, a time of the day. Whoever has one is told when a lesson that
fits appears or opens.

Somebody must be quick for a place that opened, so the first opening is told of at once; what opens in the two minutes
after that notice is one notice at their end. New lessons can wait: those of two minutes are one notice, too."""

from __future__ import annotations

import contextlib
import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.schedules import Schedules
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Lesson,
    Match,
    Search,
    Status,
    TieKind,
    contact,
    lesson,
    matches,
    matches_of,
    plain,
    search_key,
    searches,
    searches_of,
    seekers,
    user_lesson,
)
from sekkei_systems.lessons.rules.notices import Notices, quiet_pause
from sekkei_systems.lessons.rules.places import LESSON_NAME_MAX, is_available
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.service.access import Member

# Which lessons fit a saved search.


def fits(search: Search, lesson: Lesson) -> bool:
    """Whether a lesson is what somebody looks for."""
    names = {plain(name) for name in (lesson.program, lesson.lesson_name) if name}
    return (
        (search.studio_code is None or search.studio_code == lesson.studio_code)
        and (search.program is None or plain(search.program) in names)
        and (search.instructor is None or plain(search.instructor) == plain(lesson.instructor))
        and (not search.weekdays or lesson.lesson_date.weekday() in search.weekdays)
        and (search.time_from is None or lesson.start_time >= search.time_from)
        and (search.time_until is None or lesson.start_time < search.time_until)
    )


SEARCHES_MAX = 20
GATHERED = timedelta(minutes=2)
_TOLD_AGAIN_AFTER = timedelta(hours=1)
"""A lesson that opens and closes all the time is not told of all the time."""
_TOLD_AT_ONCE = 50
log = logging.getLogger("sekkei.lessons.searches")


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody looks for."""

    studio_code: str | None = None
    program: str | None = None
    instructor: str | None = None
    weekdays: frozenset[int] = frozenset()
    time_from: time | None = None
    time_until: time | None = None


@dataclass
class Searches:
    """The operations, and the job that tells."""

    db: Database
    clock: Clock
    outbox: Outbox
    schedules: Schedules
    notices: Notices

    async def of(self, member: Member) -> list[Search]:
        return await self.db.all(searches_of(member.user_id).consistent())

    async def save(self, member: Member, wish: Wish) -> Search:
        program, instructor = (wish.program or "").strip() or None, (wish.instructor or "").strip() or None
        if not (wish.studio_code or program or instructor):
            raise refusals.BadSearch()
        if max(len(program or ""), len(instructor or "")) > LESSON_NAME_MAX:
            raise refusals.BadSearch(field="program")
        if wish.time_from and wish.time_until and wish.time_from >= wish.time_until:
            raise refusals.BadSlot(field="time_until")
        made = Search(
            user_id=member.user_id,
            search_id=_id_of(wish),
            studio_code=wish.studio_code,
            program=program,
            instructor=instructor,
            weekdays=wish.weekdays,
            time_from=wish.time_from,
            time_until=wish.time_until,
            created_at=days.now(self.clock),
        )
        saved = await self.of(member)
        same = next((one for one in saved if _wish_of(one) == _wish_of(made)), None)
        if same is not None:
            return same
        if len(saved) >= SEARCHES_MAX:
            raise refusals.TooManySearches(limit=SEARCHES_MAX)
        with contextlib.suppress(TransactionFailed):  # by its id: the same one was saved at the same moment
            await self.db.transact(searches.create(made))
        return made

    async def delete(self, member: Member, search_id: str) -> None:
        try:
            await self.db.transact(searches.delete(member.user_id, search_id).must_exist())
        except TransactionFailed:
            raise refusals.NoSuchSearch() from None

    async def came_up(self, found: Lesson, *, opened: bool) -> int:
        """A lesson appeared or opened: note it for everybody who looks for it. Done twice, it is noted once."""
        now = days.now(self.clock)
        if slot_of(found).starts_at <= now or not is_available(found):
            return 0
        users = sorted({search.user_id for search in await self._looking_for(found)})
        noted = 0
        for user_id in users:
            if await self._note(user_id, found, now, opened):
                noted += 1
                await self._schedule(user_id, await self._next_turn(user_id, now) if opened else now + GATHERED)
        return noted

    async def _looking_for(self, found: Lesson) -> list[Search]:
        keys = {
            search_key(found.studio_code, None, None),
            search_key(None, found.lesson_name, None),
            search_key(None, None, found.instructor),
            *([search_key(None, found.program, None)] if found.program else []),
        }
        return [search for key in sorted(keys) for search in await self.db.all(seekers(key)) if fits(search, found)]

    async def _note(self, user_id: str, found: Lesson, now: datetime, opened: bool) -> bool:
        match = Match(
            user_id=user_id,
            studio_code=found.studio_code,
            lesson_date=found.lesson_date,
            start_time=found.start_time,
            seen_at=found.updated_at,
            opened=opened,
            ttl=slot_of(found).starts_at,
        )
        newer = (Match.seen_at < found.updated_at) & (
            Match.told_at.absent() | (Match.told_at < now - _TOLD_AGAIN_AFTER)
        )
        try:
            await self.db.write(matches.put(match).when(Match.user_id.absent() | newer))
        except ConditionFailed:
            return False
        return True

    async def _next_turn(self, user_id: str, now: datetime) -> datetime:
        """When somebody may be told of an opening: now, or two minutes after they were told of one."""
        noted = await self.db.all(matches_of(user_id).consistent())
        return max([now, *(one.told_at + GATHERED for one in noted if one.opened and one.told_at is not None)])

    async def _schedule(self, user_id: str, at: datetime) -> None:
        # By the window, so that lessons that keep coming do not put the notice off for ever.
        window = int(at.timestamp() // GATHERED.total_seconds())
        await self.schedules.put(f"lessons/searches/{user_id}/{window}", "searches", {"user": user_id}, at=at)

    async def tell(self, user_id: str) -> int:
        """One notice of all that came up and can still be booked; returns how many lessons are in it."""
        now = days.now(self.clock)
        untold = [one for one in await self.db.all(matches_of(user_id).consistent()) if one.told_at is None]
        untold = untold[:_TOLD_AT_ONCE]
        found = await self._still_wanted(user_id, untold, now)
        person = await self.db.get(contact(user_id))
        bodies = self.notices.found(person, found) if found else {}
        named = "".join(f"{slot_of(one)}{one.updated_at.isoformat()}" for one in found)
        reason = f"search/{user_id}/{hashlib.sha256(named.encode()).hexdigest()[:16]}"
        pause = quiet_pause(person, now, slot_of(found[0]).starts_at) if found else timedelta()
        # What was gone before it could be told of must not put off the next opening.
        told, passed_over = {slot_of(one) for one in found}, now - GATHERED
        marks = [
            matches.update(one.user_id, one.studio_code, one.lesson_date, one.start_time)
            .set(Match.told_at, now if slot_of(one) in told else passed_over)
            .when(Match.told_at.absent(), Match.seen_at == one.seen_at)
            for one in untold
            if bodies or slot_of(one) not in told  # who cannot be reached has been told of nothing
        ]
        messages = [
            self.outbox.message(kind, str(body["to"]), body, id=f"{reason}/{kind}", after=pause)
            for kind, body in bodies.items()
        ]
        if not marks:
            return 0
        try:
            await self.db.transact(*marks, *messages)
        except TransactionFailed as failed:
            log.info("another worker was quicker", extra={"user": user_id, "reason": str(failed)})
            return 0
        return len(found) if bodies else 0

    async def _still_wanted(self, user_id: str, noted: list[Match], now: datetime) -> list[Lesson]:
        """What is still free, and what the user has not booked or queued for; in time order."""
        there = await self.db.get_many(lesson(one.studio_code, one.lesson_date, one.start_time) for one in noted)
        free = [one for one in there if one is not None and is_available(one) and slot_of(one).starts_at > now]
        refs = [
            user_lesson(user_id, one.studio_code, one.lesson_date, one.start_time, kind)
            for one in free
            for kind in (TieKind.BOOKING, TieKind.WAITLIST)
        ]
        own = {slot_of(tie) for tie in await self.db.get_many(refs) if tie is not None and tie.status is Status.ACTIVE}
        return sorted((one for one in free if slot_of(one) not in own), key=lambda one: slot_of(one).starts_at)


def _wish_of(search: Search) -> tuple[object, ...]:
    """What is looked for, whatever width and case it was typed in."""
    names = (plain(search.program or ""), plain(search.instructor or ""))
    return search.studio_code, *names, search.weekdays, search.time_from, search.time_until


def _id_of(wish: Wish) -> str:
    """The same for the same wish, so that it is saved once."""
    named = [wish.studio_code or "", plain(wish.program or ""), plain(wish.instructor or "")]
    named += [str(sorted(wish.weekdays)), str(wish.time_from), str(wish.time_until)]
    return hashlib.sha256("\n".join(named).encode()).hexdigest()[:32]
