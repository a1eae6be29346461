"""People who take their data along, or leave: places go back to the studio, and nothing stays but nameless records."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from sekkei.design import Action, ConditionFailed, Database
from sekkei.runtime.data_subjects import Exported, Person, Personal, as_data
from sekkei.runtime.jobs import Payload, Progress, Step
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.sweeping import Sweep
from sekkei_systems.lessons.design import (
    Status,
    TieKind,
    UserLesson,
    all_of_user,
    contacts,
    lessons_table,
    matches,
    matches_of,
    passes,
    passes_of,
    proofs,
    searches,
    searches_of,
    staff_members,
    staff_of_chain,
    standings,
    standings_of,
    user_lessons,
    week_counts,
    weeks_of,
)
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.service.access import CHAIN, Member
from sekkei_systems.lessons.service.bookings import Bookings
from sekkei_systems.lessons.service.contacts import CHANNELS

_TIES_PER_STEP = 25
_ABOUT = {
    "ja": "予約とキャンセル待ちは取り消され、気になるレッスン・履歴・検索条件・会員証・通知先はすべて消えます。"
    "残っている回数券は使えなくなります。",
    "en": "Your bookings and waitlist entries are cancelled, and your favourites, history, searches, passes and "
    "contact details are deleted. Unused tickets are lost.",
}
_Held = tuple[str, list[Any], list[Action[Any, Any]]]
"""A file's name, what is in it, and how it is deleted."""


@dataclass
class LessonPeople:
    db: Database
    bookings: Bookings

    def personal(self) -> Personal:
        acts = Sweep(self.db, [lessons_table], ["userId", "by", "addedBy"], beside={"userId": ["name"]})
        steps: Sequence[tuple[str, Step]] = [
            ("lessons", self._ties),
            ("member", self._member),
            ("lessons-late", self._ties),  # what the desk booked for them until nobody knew them any more
            ("staff", self._staff),
            ("acts-about", acts.step),
        ]
        # A day later, of what they asked for themselves a moment before: a booking, a favourite, their address. With
        # that the desk knew them again.
        late: Sequence[tuple[str, Step]] = [
            ("lessons", self._ties),
            ("member", self._member),
            ("acts-about", acts.step),
        ]
        return Personal(_ABOUT, self.export, steps, late=late)

    async def export(self, person: Person) -> AsyncIterator[Exported]:
        contact = await self.db.get(contacts(person.user_id).consistent())
        if contact is not None:
            yield "contact.json", as_data(contact, "calendar_token")
        ties = await self.db.all(all_of_user(person.user_id).consistent())
        if ties:
            yield "lessons.json", [as_data(tie, "queue_key", "legacy") for tie in ties]
        for name, rows, _ in await self._held(person.user_id):
            if rows:
                yield name, [as_data(row) for row in rows]

    async def _held(self, user_id: str) -> list[_Held]:
        sought, found = await self.db.all(searches_of(user_id)), await self.db.all(matches_of(user_id))
        held, weeks = await self.db.all(passes_of(user_id)), await self.db.all(weeks_of(user_id))
        standing = await self.db.all(standings_of(user_id))
        places = [(one.studio_code, one.lesson_date, one.start_time) for one in found]
        return [
            ("searches.json", sought, [searches.delete(user_id, one.search_id) for one in sought]),
            ("matches.json", found, [matches.delete(user_id, *place) for place in places]),
            ("passes.json", held, [passes.delete(user_id, one.studio_code, one.pass_id) for one in held]),
            ("weeks.json", weeks, [week_counts.delete(user_id, one.studio_code, one.monday) for one in weeks]),
            ("standings.json", standing, [standings.delete(user_id, one.studio_code) for one in standing]),
        ]

    # Leaving

    async def _ties(self, payload: Payload, cursor: str | None) -> Progress:
        """Each booking with its place, its ticket and the studio's own system; then the rows."""
        page = await self.db.page(all_of_user(payload["user_id"]).consistent(), size=_TIES_PER_STEP)
        for tie in page:
            await self._end(tie)
        return Progress(len(page), "more" if len(page) else None)

    async def _end(self, tie: UserLesson) -> None:
        if tie.kind is TieKind.BOOKING and tie.status is Status.ACTIVE:
            try:
                await self.bookings.cancel(Member(tie.user_id), slot_of(tie), told=())
            except NotThere:
                pass  # it ended meanwhile
        gone = user_lessons.delete(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind)
        if tie.kind is not TieKind.BOOKING:
            await self.db.write(gone)
            return
        with contextlib.suppress(ConditionFailed):  # it goes on again: the next step ends it, with its place
            await self.db.write(gone.when(~(UserLesson.status == Status.ACTIVE)))

    async def _member(self, payload: Payload, cursor: str | None) -> Progress:
        user_id = payload["user_id"]
        await self.db.write_many([contacts.delete(user_id)])  # first: from then on nobody books for them
        actions = [action for _, _, deletes in await self._held(user_id) for action in deletes]
        actions += [proofs.delete(user_id, channel) for channel in CHANNELS]
        await self.db.write_many(actions)
        return Progress(len(actions) + 1)

    async def _staff(self, payload: Payload, cursor: str | None) -> Progress:
        """Who runs a studio does so by their address."""
        found = await self.db.all(staff_of_chain(CHAIN).consistent())
        theirs = [one for one in found if payload["email"] and one.email == payload["email"]]
        await self.db.write_many(staff_members.delete(CHAIN, one.studio_code, one.email) for one in theirs)
        return Progress(len(theirs))
