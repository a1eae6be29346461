"""Whether somebody may book, and with what: the studio's rules as parts of the transaction that books."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, Update, replace
from sekkei.runtime.refusals import Refusal
from sekkei_systems import days
from sekkei_systems.days import JST
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Contact,
    Pass,
    PassKind,
    Standing,
    StudioRules,
    TieKind,
    UserLesson,
    WeekCount,
    count_in_week,
    of_user_and_kind,
    passes,
    passes_of,
    return_ticket,
    standings,
    take_ticket,
    week_counts,
)
from sekkei_systems.lessons.rules.passes import TRIAL_ID, blocked_until, chosen, late_costs, monday_of, opens_at
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.rulebook import Rulebook

KEPT = timedelta(days=30)
_WEEK_KEPT = timedelta(days=30)
_TICKETS_MAX = 1000
_LAST_DAY = date(9998, 12, 31)


@dataclass(slots=True)
class Entitled:
    """What a booking takes, for its transaction; and what it means when one of them fails."""

    booking: UserLesson
    takes: list[tuple[Action[Any, Any], Refusal | None]] = field(default_factory=list)
    """None: somebody took it at the same moment, so look again."""

    @property
    def actions(self) -> list[Action[Any, Any]]:
        return [action for action, _ in self.takes]


@dataclass
class Entitlements:
    db: Database
    clock: Clock
    rulebook: Rulebook

    async def entitled(self, booking: UserLesson, *, by_desk: bool = False) -> Entitled:
        """Raises NotYetOpen, NoPass, Blocked. The desk may book in anybody; it takes a ticket where there is one."""
        rules = await self.rulebook.rules(booking.studio_code)
        found = Entitled(booking)
        if not by_desk:
            self._in_time(rules, booking)
            await self._in_good_standing(rules, found)
            self._in_the_week(rules, found)
        if rules.needs_pass:
            await self._with_a_pass(rules, found, by_desk)
        return found

    def _in_time(self, rules: StudioRules, booking: UserLesson) -> None:
        opens = opens_at(rules, booking.starts_at)
        if opens is not None and days.now(self.clock) < opens:
            local = opens.astimezone(JST)
            raise refusals.NotYetOpen(when=f"{local.month}/{local.day} {local:%H:%M}")

    async def _in_good_standing(self, rules: StudioRules, found: Entitled) -> None:
        if rules.no_shows_max is None:
            return
        key = (found.booking.user_id, found.booking.studio_code)
        standing, now = await self.db.get(standings(*key).consistent()), days.now(self.clock)
        if standing is None:
            found.takes.append((standings.must_not_exist(*key), None))
            return
        if standing.blocked_until is not None and standing.blocked_until > now:
            local = standing.blocked_until.astimezone(JST)
            raise refusals.Blocked(until=f"{local.month}/{local.day} {local:%H:%M}")
        free = Standing.blocked_until.absent() | (Standing.blocked_until <= now)
        found.takes.append((standings.must_exist(*key).when(free), None))

    def _in_the_week(self, rules: StudioRules, found: Entitled) -> None:
        if rules.per_week is None:
            return
        booking = found.booking
        monday = monday_of(booking.lesson_date)
        ttl = datetime.combine(monday, time(0, 0), JST) + _WEEK_KEPT
        counted = count_in_week(booking.user_id, booking.studio_code, monday, rules.per_week, ttl)
        found.booking = replace(booking, week_counted=monday)
        found.takes.append((counted, refusals.WeekFull(n=rules.per_week)))

    async def _with_a_pass(self, rules: StudioRules, found: Entitled, by_desk: bool) -> None:
        booking = found.booking
        own = await self.db.all(passes_of(booking.user_id).consistent())
        used = chosen(own, booking.studio_code, booking.lesson_date)
        if used is None:
            if rules.has_trial and not by_desk and await self._is_newcomer(booking, own):
                self._on_trial(found)
            elif not by_desk:
                raise refusals.NoPass()
            return
        taken = used.tickets_left is not None
        found.booking = replace(booking, pass_id=used.pass_id, ticket_taken=taken or None)
        if taken:
            found.takes.append((take_ticket(used), None))
        else:
            key = (used.user_id, used.studio_code, used.pass_id)
            found.takes.append((passes.must_exist(*key).when(Pass.valid_until >= booking.lesson_date), None))

    async def _is_newcomer(self, booking: UserLesson, own: list[Pass]) -> bool:
        """Without a pass of the studio, and never there: passes that have ended are deleted after a while."""
        if any(one.studio_code == booking.studio_code for one in own):
            return False
        history = await self.db.all(of_user_and_kind(booking.user_id, TieKind.HISTORY))
        return not any(one.studio_code == booking.studio_code for one in history)

    def _on_trial(self, found: Entitled) -> None:
        """The first lesson: written down, so that there is one."""
        booking = found.booking
        trial = Pass(
            user_id=booking.user_id,
            studio_code=booking.studio_code,
            pass_id=TRIAL_ID,
            kind=PassKind.TRIAL,
            name="",
            valid_from=days.today(self.clock),
            valid_until=_LAST_DAY,
            tickets_left=0,
            created_at=days.now(self.clock),
        )
        found.booking = replace(booking, pass_id=TRIAL_ID, ticket_taken=True)
        found.takes.append((passes.create(trial), None))

    async def returned(self, booking: UserLesson, *, late: bool = False) -> list[Action[Any, Any]]:
        """For the transaction that ends a booking: what it took goes back, unless it is late and the rules say no.
        Whoever was noted as absent has missed nothing."""
        rules = await self.rulebook.rules(booking.studio_code)
        actions = await self.forgiven(booking)
        if late and late_costs(rules):
            return actions
        if booking.week_counted is not None:
            actions += await self._uncounted(booking)
        if booking.ticket_taken and booking.pass_id is not None:
            there = await self.db.get(passes(booking.user_id, booking.studio_code, booking.pass_id).consistent())
            actions += [return_ticket(there)] if there is not None else []  # a book that has ended is gone
        return actions

    async def _uncounted(self, booking: UserLesson) -> list[Update[WeekCount]]:
        assert booking.week_counted is not None
        key = (booking.user_id, booking.studio_code, booking.week_counted)
        there = await self.db.get(week_counts(*key).consistent())
        if there is None or there.count <= 0:
            return []
        return [week_counts.update(*key).add(WeekCount.count, -1).when(WeekCount.count > 0)]

    async def forgiven(self, booking: UserLesson) -> list[Action[Any, Any]]:
        """For the transaction after which a booking is no longer one of that lesson."""
        return await self.missed(booking.user_id, slot_of(booking), came=True) if booking.attended is False else []

    async def missed(self, user_id: str, slot: Slot, came: bool) -> list[Action[Any, Any]]:
        """For the transaction that notes whether somebody came."""
        rules = await self.rulebook.rules(slot.studio_code)
        if rules.no_shows_max is None:
            return []
        there = await self.db.get(standings(user_id, slot.studio_code).consistent())
        before = there.absences if there is not None else frozenset()
        absences = before - {str(slot)} if came else before | {str(slot)}
        if absences == before:
            return []
        until = blocked_until(rules, absences, days.now(self.clock))
        update = standings.upsert(user_id, slot.studio_code).set(Standing.absences, absences)
        if until is None:
            update = update.remove(Standing.blocked_until)
        elif not came:  # an absence less makes no block longer
            update = update.set(Standing.blocked_until, until)
        same = Standing.absences.absent() if there is None else Standing.absences == before
        return [update.when(same)]

    # What people have

    async def passes_of(self, user_id: str) -> list[Pass]:
        """Those that have not ended; what has ended stays in the table for a while."""
        today = days.today(self.clock)
        found = await self.db.all(passes_of(user_id).consistent())
        return [one for one in found if one.valid_until >= today and one.kind is not PassKind.TRIAL]

    async def give(
        self, staff: Staff, person: Contact, name: str, valid_from: date, valid_until: date, tickets: int | None
    ) -> Pass:
        """A membership, or a book of tickets."""
        if not 1 <= len(name.strip()) <= NAME_MAX:
            raise refusals.BadPass(field="name")
        if not valid_from <= valid_until <= _LAST_DAY or valid_until < days.today(self.clock):
            raise refusals.BadPass(field="valid_until")
        if tickets is not None and not 1 <= tickets <= _TICKETS_MAX:
            raise refusals.BadPass(field="tickets")
        given = Pass(
            user_id=person.user_id,
            studio_code=staff.studio.code,
            pass_id=f"ps_{secrets.token_hex(8)}",
            kind=PassKind.MEMBERSHIP if tickets is None else PassKind.TICKETS,
            name=name.strip(),
            valid_from=valid_from,
            valid_until=valid_until,
            tickets_left=tickets,
            created_at=days.now(self.clock),
            ttl=datetime.combine(valid_until, time(0, 0), JST) + KEPT,
        )
        return await self.db.write(passes.create(given).known_by(Pass.pass_id))

    async def take_away(self, staff: Staff, user_id: str, pass_id: str) -> None:
        """What was given. A first lesson was not, and stays written down: they would have another."""
        if pass_id != TRIAL_ID:
            await self.db.write(passes.delete(user_id, staff.studio.code, pass_id))
