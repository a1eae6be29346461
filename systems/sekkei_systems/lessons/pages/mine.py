"""My list and my history."""

from __future__ import annotations

import msgspec

from sekkei.kit.typed import Token
from sekkei.web import Html, Pages
from sekkei_systems.lessons.design import Status, TieKind, UserLesson
from sekkei_systems.lessons.pages.view import View
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.rules.waitlist import holds_offer
from sekkei_systems.lessons.service.lists import Lists

pages = Pages()


class Asked(msgspec.Struct):
    type: Token = ""

    @property
    def kind(self) -> TieKind | None:
        return TieKind(self.type) if self.type in [one.value for one in TieKind] else None


@pages.get("/mine", name="mine")
async def mine(view: View, lists: Lists, query: Asked) -> Html:
    everything = await lists.all(view.member, first=view.today)
    active = [tie for tie in everything if tie.status is Status.ACTIVE and tie.starts_at > view.now]
    shown = [tie for tie in active if query.kind is None or tie.kind is query.kind]
    return Html(
        "lessons/mine.html",
        view=view,
        ties=shown,
        counts={one: sum(tie.kind is one for tie in active) for one in TieKind},
        total=len(active),
        missing=await _missing_from_timetable(lists, shown),
        positions=await lists.positions([tie for tie in shown if tie.kind is TieKind.WAITLIST]),
        offered=lambda tie: holds_offer(tie, view.now),
        kind=query.kind,
        kinds=[TieKind.BOOKING, TieKind.WAITLIST, TieKind.FAVORITE],
        slot_of=slot_of,
    )


async def _missing_from_timetable(lists: Lists, ties: list[UserLesson]) -> set[Slot]:
    """Lessons that somebody still waits for, though no timetable has them any more: they can only be left."""
    waiting = [tie for tie in ties if tie.kind is TieKind.WAITLIST]
    return {slot_of(tie) for tie in waiting} - (await lists.lessons_of(waiting)).keys()


@pages.get("/history", name="history")
async def history(view: View, lists: Lists) -> Html:
    taken = await lists.all(view.member, TieKind.HISTORY)
    return Html("lessons/history.html", view=view, ties=taken[::-1], found=await lists.statistics(view.member))
