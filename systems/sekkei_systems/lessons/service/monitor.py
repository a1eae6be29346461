"""The monitor: sees when a full lesson gets a free place, and tells those who wait for it, once per opening.

An opening is numbered: the lesson's `episode` goes up when it turns from full to available, by a conditional write, so
that of several monitors one counts it. Who has been told of which opening stands in each waitlist entry, written in the
transaction that puts the notice into the outbox: a monitor that dies in between has told nobody and marked nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from itertools import groupby
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, TransactionFailed, Update, replace
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Changed
from sekkei_systems import days
from sekkei_systems.lessons.design import (
    Contact,
    Lesson,
    Status,
    UserLesson,
    contact,
    lesson,
    lessons,
    queue_of,
    user_lessons,
    watched_on,
)
from sekkei_systems.lessons.ports.timetable import Provider
from sekkei_systems.lessons.rules.notices import Notices, quiet_pause
from sekkei_systems.lessons.rules.places import (
    Availability,
    Word,
    as_said,
    free_places,
    has_places,
    is_available,
    is_overtaken,
)
from sekkei_systems.lessons.rules.policy import Fairness, Policy
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.rules.waitlist import books_itself, offers_left, untold
from sekkei_systems.lessons.service.rulebook import Rulebook
from sekkei_systems.lessons.service.waitlist import AutoBooking, NoPlace

HORIZON = timedelta(days=14)
_LESSONS_AT_ONCE = 8
_TOLD_AT_ONCE = 25
_TRIES = 10
_FEED_BEHIND = timedelta(minutes=10)
"""So old what a studio's system says may be, when it is asked. A place is told late rather than falsely."""
log = logging.getLogger("sekkei.lessons.monitor")


class _Outcome(Enum):
    """Of telling somebody about an opening."""

    TOLD = "told"
    UNREACHABLE = "unreachable"
    """No address, or they do not want to hear of it: the next in line is told."""
    TAKEN = "taken"
    """Another monitor was quicker, or the place was taken."""


@dataclass(frozen=True, slots=True)
class Pass:
    """What one look at all that is waited for came to."""

    told: int
    nothing_before: datetime | None
    """While nobody waits: when another day comes into sight."""


@dataclass
class Monitor:
    """One pass looks at every lesson that somebody waits for within the horizon."""

    db: Database
    clock: Clock
    outbox: Outbox
    provider: Provider
    rulebook: Rulebook
    notices: Notices
    sellers: Sellers
    auto: AutoBooking

    async def run(self, horizon: timedelta = HORIZON) -> int:
        """Returns how many were told."""
        return (await self.look_at_all(horizon)).told

    async def look_at_all(self, horizon: timedelta = HORIZON) -> Pass:
        """Reads grow with those who wait, not with all ties."""
        now = days.now(self.clock)
        told, day, last = 0, days.day_of(now), days.day_of(now + horizon)
        before: datetime | None = days.start_of(day + timedelta(days=1))
        while day <= last:
            waiting = await self.db.all(watched_on(day))
            queues = {slot: list(ties) for slot, ties in groupby(waiting, key=slot_of)}
            due = {slot: ties for slot, ties in queues.items() if now < slot.starts_at <= now + horizon}
            told += await self._look_at_all(due, now)
            if any(now < slot.starts_at for slot in queues):
                before = None
            day += timedelta(days=1)
        return Pass(told, before)

    async def look_at(self, slot: Slot) -> int:
        """One lesson now: a place was given back, or its studio says that something changed."""
        now = days.now(self.clock)
        queue = await self.db.all(queue_of(slot.studio_code, slot.lesson_date, slot.start_time))
        if slot.starts_at <= now or not queue:
            return 0
        return await self._look_at_all({slot: queue}, now)

    async def pushed(self, slot: Slot, found: Availability, said_at: datetime | None = None) -> int:
        """A studio says how many places are free, without being asked; returns how many were told.

        `said_at` is when the studio said so, now unless given: what is older than the newest that was heard is ignored.
        Raises Changed when more is known than was said, as far as clocks can tell: it is to be said anew, because
        nobody asks for it.
        """
        await self.sellers.fresh()
        now = days.now(self.clock)
        if slot.starts_at <= now:
            return 0
        said_at = min(said_at or now, now)  # a clock that runs ahead must not silence what is said later
        newest = Lesson.pushed_at.absent() | (Lesson.pushed_at <= said_at)
        heard = lessons.update(slot.studio_code, slot.lesson_date, slot.start_time).set(Lesson.pushed_at, said_at)
        try:
            # Noted also when it says nothing new, or an older one that comes later would be believed.
            current = await self.db.write(heard.when(Lesson.studio_code.exists(), newest))
        except ConditionFailed:
            return 0
        queue = await self.db.all(queue_of(slot.studio_code, slot.lesson_date, slot.start_time))
        told = await self._act_on(current, queue, Word(found, said_at, said_at), now)
        if told is None:
            raise Changed()
        return told

    async def filled(self, before: Lesson, full: Lesson) -> None:
        """The last place was taken. Were it given back before the next pass, that would be an opening too."""
        await self.sellers.fresh()
        told, ours = self.sellers.tells(full), full.booked_here > before.booked_here
        refused = full.sold_out_at != before.sold_out_at
        if told and not (ours or refused or full.called_off):
            return  # its studio's system says so, and that was judged when it was heard
        if told and ours:
            await self._sold_out(full)
        if await self._ended(full) is not None:
            await self._arm_again(await self.db.all(queue_of(full.studio_code, full.lesson_date, full.start_time)))

    async def _sold_out(self, full: Lesson) -> None:
        """By our own booking, which its studio's system may not show yet."""
        older = Lesson.sold_out_at.absent() | (Lesson.sold_out_at < full.updated_at)
        update = lessons.update(full.studio_code, full.lesson_date, full.start_time)
        update = update.set(Lesson.sold_out_at, full.updated_at)
        still = (Lesson.episode == full.episode, Lesson.booked >= Lesson.capacity, older)
        with contextlib.suppress(ConditionFailed):
            await self.db.write(update.when(*still))

    async def _ended(self, full: Lesson, known_at: datetime | None = None) -> Lesson | None:
        """The opening is over. None when that is no news: word of it may come late, when the next one was counted."""
        update = lessons.update(full.studio_code, full.lesson_date, full.start_time).set(Lesson.was_available, False)
        update = update if known_at is None else update.set(Lesson.sold_out_at, known_at)
        try:
            return await self.db.write(update.when(Lesson.was_available.is_(True), Lesson.episode == full.episode))
        except ConditionFailed:
            return None

    async def _look_at_all(self, queues: Mapping[Slot, list[UserLesson]], now: datetime) -> int:
        await self.sellers.fresh()
        refs = [lesson(slot.studio_code, slot.lesson_date, slot.start_time) for slot in queues]
        found = [one for one in await self.db.get_many(refs) if one is not None]
        told = 0
        for start in range(0, len(found), _LESSONS_AT_ONCE):
            some = found[start : start + _LESSONS_AT_ONCE]
            told += sum(await asyncio.gather(*(self._ask(one, queues[slot_of(one)], now) for one in some)))
        return told

    async def _ask(self, current: Lesson, queue: list[UserLesson], now: datetime) -> int:
        found = await self.provider.availability(current)
        if found is None:
            return 0
        return await self._act_on(current, queue, Word(found, now - _FEED_BEHIND, now), now) or 0

    async def _act_on(self, current: Lesson, queue: list[UserLesson], word: Word, now: datetime) -> int | None:
        """Returns how many were told; None when more is known than was said."""
        found = word.found
        noted, said = await self._noted(current, queue, word, now)
        if noted.pushed_at != current.pushed_at:
            return 0  # its studio has said something newer since, and that is acted on
        if said is None:
            return None
        # Offers are made out of what was counted, not out of what has been booked since.
        current = replace(noted, booked=said.booked)
        if not has_places(current, found):
            await self._arm_again(queue)
            return 0
        policy = await self.rulebook.policy(current.studio_code)
        if not current.was_available or slot_of(current).starts_at - now < policy.stop_before:
            return 0
        mode = self._mode(policy, current, now)
        if mode is Fairness.FIRST_IN_LINE:
            queue = await self._as_they_are(queue)  # who holds an offer decides who is next
        places = None if found.told and found.available is None else free_places(current)
        waiting = untold(queue, current.episode, now, policy.quiet_period)
        offers = offers_left(queue, places, mode, now)
        if offers is not None:
            return await self._tell_in_order(waiting, offers, current, mode, now)
        booked, waiting = await self._book_for_some(waiting, current, now)
        return booked + await self._tell_in_order(waiting, None, current, mode, now)

    async def _book_for_some(
        self, waiting: list[UserLesson], current: Lesson, now: datetime
    ) -> tuple[int, list[UserLesson]]:
        """Whoever wants a place without being asked gets it first, in their order; then who is left to be told."""
        booked: set[str] = set()
        for tie in waiting:
            try:
                if books_itself(tie, now) and await self._booked(tie, current):
                    booked.add(tie.user_id)
            except NoPlace:
                return len(booked), []
        left = [tie for tie in waiting if tie.user_id not in booked]
        if booked and left:
            fresh = await self.db.get(lesson(current.studio_code, current.lesson_date, current.start_time))
            left = left if fresh is not None and is_available(fresh) else []
        return len(booked), left

    async def _booked(self, tie: UserLesson, current: Lesson) -> bool:
        fresh = await self._as_they_are([tie])  # the index may be behind
        return bool(fresh) and await self.auto.book(fresh[0], current)

    async def _tell_in_order(
        self, waiting: list[UserLesson], offers: int | None, current: Lesson, mode: Fairness, now: datetime
    ) -> int:
        """`offers` is how many of them get a place offered, who can be reached; None for all. Returns how many were
        told."""
        told, at_once = 0, _TOLD_AT_ONCE if offers is None else 1
        for start in range(0, len(waiting), at_once):
            if offers is not None and offers <= 0:
                break
            outcomes = await self._tell_some(waiting[start : start + at_once], current, mode, now)
            told += outcomes.count(_Outcome.TOLD)
            if offers is not None:
                offers -= len(outcomes) - outcomes.count(_Outcome.UNREACHABLE)
        return told

    def _mode(self, policy: Policy, lesson: Lesson, now: datetime) -> Fairness:
        """Nothing can be held where others sell too."""
        if not self.sellers.holds(lesson):
            return Fairness.BROADCAST
        return policy.mode(slot_of(lesson).starts_at, now)

    async def _as_they_are(self, queue: list[UserLesson]) -> list[UserLesson]:
        """Those who still wait, by the items themselves: the index may be behind."""
        found = await self.db.get_many(user_lessons.ref_of(tie).consistent() for tie in queue)
        return [tie for tie in found if tie is not None and tie.status is Status.ACTIVE]

    async def _as_filled(self, current: Lesson, queue: list[UserLesson]) -> Lesson:
        """Our own booking may have taken the last place a moment ago, and word of it be on its way: `filled`."""
        taken = current.was_available and current.is_open and free_places(current) == 0
        if not taken or not self.sellers.by_port(current):
            return current
        ended = await self._ended(current, current.updated_at)
        if ended is not None:
            await self._arm_again(queue)
            return ended
        return await self.db.get(lesson(current.studio_code, current.lesson_date, current.start_time)) or current

    async def _noted(
        self, current: Lesson, queue: list[UserLesson], word: Word, now: datetime
    ) -> tuple[Lesson, Lesson | None]:
        """The lesson with what the provider says of it and the opening counted by whoever sees it first; and the
        lesson as it was when that was reckoned, None when more is known than was said."""
        found, said = word.found, current
        for _ in range(_TRIES):
            if found.told:
                current = await self._as_filled(current, queue)
            said, is_free, certain = self._reckoned(current, word)
            if said == current and current.was_available == is_free:
                return current, said if certain else None
            try:
                noted = await self.db.write(_note(current, said, is_free, word, now))
                return noted, said if certain else None
            except ConditionFailed:
                fresh = await self.db.get(lesson(current.studio_code, current.lesson_date, current.start_time))
                if fresh is None or fresh.pushed_at != current.pushed_at or not found.told:
                    return fresh or current, said
                current = fresh  # somebody booked meanwhile: what the studio says of its side is still true
        return current, said

    def _reckoned(self, current: Lesson, word: Word) -> tuple[Lesson, bool, bool]:
        """The lesson as it was said, whether a place is free by that, and whether that is certain."""
        said = as_said(current, word.found, includes_ours=self.sellers.counts_ours(current))
        if not is_overtaken(current, word):
            return said, has_places(said, word.found), True
        # Where others sell, full is shown at once; whether the opening is over will be known later.
        shown = not word.found.has_places and not self.sellers.by_port(current)
        return said if shown else current, current.was_available, False

    async def _arm_again(self, queue: list[UserLesson]) -> None:
        """Full again: whoever was told and did not book is told of the next opening."""
        told = [tie for tie in queue if tie.notification_sent]
        for start in range(0, len(told), _TOLD_AT_ONCE):
            await asyncio.gather(*(self._arm(tie) for tie in told[start : start + _TOLD_AT_ONCE]))

    async def _arm(self, tie: UserLesson) -> None:
        update = _update(tie).set(UserLesson.notification_sent, False).remove(UserLesson.offer_until)
        # Not who was told of another opening since: what is held for them stays held.
        same = UserLesson.notify_episode.absent() | (UserLesson.notify_episode == tie.notify_episode)
        with contextlib.suppress(ConditionFailed):
            await self.db.write(update.when(UserLesson.status == Status.ACTIVE, same))

    async def _tell_some(
        self, ties: list[UserLesson], current: Lesson, mode: Fairness, now: datetime
    ) -> list[_Outcome]:
        fresh = await self._as_they_are(ties)
        people = await self.db.get_many(contact(tie.user_id) for tie in fresh)
        by_id = {person.user_id: person for person in people if person is not None}
        return await asyncio.gather(*(self._tell(tie, by_id.get(tie.user_id), current, mode, now) for tie in fresh))

    async def _tell(
        self, tie: UserLesson, person: Contact | None, current: Lesson, mode: Fairness, now: datetime
    ) -> _Outcome:
        """Mark one entry as told and write its notices, in one transaction; or book the place, if they wish so."""
        if mode is Fairness.FIRST_IN_LINE and books_itself(tie, now):
            try:
                if await self._booked(tie, current):
                    return _Outcome.TOLD
            except NoPlace:
                return _Outcome.TAKEN
        pause = quiet_pause(person, now, tie.starts_at)
        policy = await self.rulebook.policy(tie.studio_code)
        until = policy.held_until(tie.starts_at, now + pause) if mode is Fairness.FIRST_IN_LINE else None
        notices = self.notices.opening(person, replace(tie, offer_until=until), current)
        if not notices:
            return await self._pass_over(tie, current)
        actions: list[Action[Any, Any]] = [_claim(tie, current, until, now)]
        if until is not None:
            actions.append(_offer(current))
        for kind, body in notices.items():
            reason = f"opening/{slot_of(tie)}/{tie.user_id}/{tie.waitlist_id}/{current.episode}/{kind}"
            actions.append(self.outbox.message(kind, str(body["to"]), body, id=reason, after=pause))
        try:
            await self.db.transact(*actions)
        except TransactionFailed as failed:
            log.info("another monitor was quicker", extra={"user": tie.user_id, "reason": str(failed)})
            return _Outcome.TAKEN
        return _Outcome.TOLD

    async def _pass_over(self, tie: UserLesson, current: Lesson) -> _Outcome:
        """Nobody can tell them. They keep their place in the queue; as soon as they can be reached, they are told."""
        if tie.passed_over != current.episode:
            update = _update(tie).set(UserLesson.passed_over, current.episode)
            with contextlib.suppress(ConditionFailed):
                await self.db.write(update.when(UserLesson.status == Status.ACTIVE))
        return _Outcome.UNREACHABLE


def _claim(tie: UserLesson, current: Lesson, until: datetime | None, now: datetime) -> Update[UserLesson]:
    """Told of this opening, if nobody else has told them; with a place held until then."""
    fresh = UserLesson.notify_episode.absent() | (UserLesson.notify_episode < current.episode)
    claim = (
        _update(tie)
        .set(UserLesson.notification_sent, True)
        .set(UserLesson.notified_at, now)
        .set(UserLesson.notify_episode, current.episode)
        .add(UserLesson.notify_count, 1)
        .remove(UserLesson.passed_over)
        .when(UserLesson.status == Status.ACTIVE, fresh)
    )
    return claim.remove(UserLesson.offer_until) if until is None else claim.set(UserLesson.offer_until, until)


def _note(current: Lesson, said: Lesson, is_free: bool, word: Word, now: datetime) -> Update[Lesson]:
    """What was said, if nothing else was said or booked meanwhile."""
    update = lessons.update(current.studio_code, current.lesson_date, current.start_time)
    update = update.set(Lesson.was_available, is_free).set(Lesson.updated_at, now)
    heard = current.pushed_at
    no_newer = Lesson.pushed_at.absent() if heard is None else Lesson.pushed_at == heard
    update = update.when(Lesson.was_available.is_(current.was_available), no_newer)
    if said != current:
        update = update.set(Lesson.is_open, said.is_open).set(Lesson.booked, said.booked)
        update = update.set(Lesson.capacity, said.capacity) if said.capacity is not None else update
        off = Lesson.called_off.is_(True)
        update = update.when(Lesson.booked == current.booked, off if current.called_off else ~off)
        update = update.when(Lesson.booked_here == current.booked_here)
    if is_free and not current.was_available:
        return update.add(Lesson.episode, 1).set(Lesson.opened_at, word.latest)
    is_told_full = word.found.told and current.was_available and not is_free
    return update.set(Lesson.sold_out_at, word.latest) if is_told_full else update


def _update(tie: UserLesson) -> Update[UserLesson]:
    return user_lessons.update(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind)


def _offer(current: Lesson) -> Update[Lesson]:
    """Holds a place for somebody; not if places were taken since it was counted, and seen by those who are booking."""
    update = lessons.update(current.studio_code, current.lesson_date, current.start_time).add(Lesson.offers, 1)
    return update.when(Lesson.booked <= current.booked, Lesson.is_open.is_(True))
