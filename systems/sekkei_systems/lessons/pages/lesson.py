"""One lesson: what it is, what I have to do with it, and what I can do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request

from sekkei.clock import Clock
from sekkei.kit.typed import Text, Token
from sekkei.runtime.live import Live
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems import days
from sekkei_systems.days import JST
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Contact, Status, TieKind, UserLesson
from sekkei_systems.lessons.pages.timetable import live_at
from sekkei_systems.lessons.pages.view import View
from sekkei_systems.lessons.rules.notices import Notices, reaches
from sekkei_systems.lessons.rules.places import free_places, is_available
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.rules.waitlist import HOURS, Wishes, books_itself, holds_offer, is_paused
from sekkei_systems.lessons.service.access import Access, Member
from sekkei_systems.lessons.service.bookings import Bookings
from sekkei_systems.lessons.service.contacts import Contacts
from sekkei_systems.lessons.service.lists import Favorites, Lists
from sekkei_systems.lessons.service.waitlist import Waitlist

pages = Pages()


class Note(msgspec.Struct):
    notes: Annotated[str, Text(500)] = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """The lesson's page; a note that was refused shows it again."""

    request: Request
    view: View
    at: Slot
    access: Access
    lists: Lists
    contacts: Contacts
    notices: Notices
    sellers: Sellers
    live: Live

    async def html(self, status: int = 200, filled: Form | None = None) -> Html:
        view, at = self.view, self.at
        studio = self.access.studio(at.studio_code)
        listening = live_at(self.request, self.live, studio.code)
        seen = await self.lists.view(view.member, at)
        favorite, waiting = seen.ties.get(TieKind.FAVORITE), seen.ties.get(TieKind.WAITLIST)
        overlaps = await self.lists.overlaps(view.member, seen.lesson)
        policy = await self.lists.policy(at.studio_code)
        return Html(
            "lessons/lesson.html",
            status,
            view=view,
            seen=seen,
            live=listening,
            slot=at,
            studio=studio,
            available=is_available(seen.lesson) and not seen.held,
            sells_here=self.sellers.sells_here(seen.lesson),
            booking_page=self.sellers.page(seen.lesson),
            free=free_places(seen.lesson),
            overlaps=[self.notices.words(other, language=view.language) for other in overlaps],
            favorite=favorite,
            waiting=waiting,
            offered=holds_offer(waiting, view.now),
            unreachable=waiting is not None and not reaches(await self.contacts.get(view.member.user_id), "opening"),
            booking=seen.ties.get(TieKind.BOOKING),
            cancel_hours=f"{policy.cancel_until / timedelta(hours=1):g}",
            may_cancel=policy.may_cancel(at.starts_at, view.now),
            late=policy.is_late(at.starts_at, view.now),
            over=at.starts_at <= view.now,
            wishes=_wishes_of(waiting, at),
            hours=HOURS,
            paused=waiting is not None and is_paused(waiting, view.now),
            books=waiting is not None and books_itself(waiting, view.now),
            form=filled or Form({"notes": (favorite.notes or "") if favorite else ""}),
        )


def _wishes_of(waiting: UserLesson | None, at: Slot) -> Form:
    if waiting is None:
        return Form({})
    until, pause = waiting.auto_book_until, waiting.paused_until
    hours = "" if until is None else f"{(at.starts_at - until) / timedelta(hours=1):g}"
    return Form({"book_hours": hours, "paused_until": f"{pause.astimezone(JST).date()}" if pause else ""})


@pages.get("/lessons/{slot:path}", name="lesson")
async def lesson(shown: Shown) -> Html:
    return await shown.html()


@pages.post("/notes/{slot:path}", name="note")
async def note(shown: Shown, favorites: Favorites, sent: Sent[Note]) -> Html | Redirect:
    try:
        await favorites.change_note(shown.view.member, shown.at, sent.value.notes or None)
    except Invalid as wrong:
        return await shown.html(422, sent.refilled(wrong))
    return Redirect("lessons:lesson", slot=str(shown.at)).flash("done.note")


class WishesForm(msgspec.Struct):
    """An empty field: not wanted."""

    book_hours: Annotated[int, Meta(ge=0, le=336)] | None = None
    paused_until: date | None = None


@pages.post("/waiting/{slot:path}", name="wishes")
async def wish(at: Slot, member: Member, waitlist: Waitlist, form: WishesForm) -> Redirect:
    answer = Redirect("lessons:lesson", slot=str(at))
    try:
        await waitlist.prefer(member, at, Wishes(form.book_hours, form.paused_until))
    except refusals.NoSuchLesson:
        raise
    except Refusal as refusal:
        return answer.flash(refusal)
    return answer.flash("done.wishes")


class Back(msgspec.Struct):
    back: Token = ""
    """`mine`: to the list, else to the lesson."""


class Actions:
    """What the buttons of a lesson do, by their names, and what is said then."""

    def __init__(self, bookings: Bookings, waitlist: Waitlist, favorites: Favorites) -> None:
        self._by_name: dict[str, tuple[Callable[[Member, Slot], Awaitable[object]], str]] = {
            "book": (bookings.book, "done.booked"),
            "cancel": (bookings.cancel, "done.cancelled"),
            "wait": (waitlist.join, "done.waiting"),
            "leave": (waitlist.leave, "done.left"),
            "favorite": (favorites.add, "done.favorite"),
            "unfavorite": (favorites.remove, "done.unfavorite"),
        }

    async def act(self, name: str, member: Member, slot: Slot) -> str:
        """Returns the key of what is said."""
        if name not in self._by_name:
            raise refusals.NoSuchLesson()
        operation, said = self._by_name[name]
        await operation(member, slot)
        return said


@pages.post("/act/{action}/{slot:path}", name="act")
async def act(action: str, member: Member, at: Slot, person: Contact, actions: Actions, query: Back) -> Redirect:
    answer = Redirect("lessons:mine") if query.back == "mine" else Redirect("lessons:lesson", slot=str(at))
    try:
        return answer.flash(await actions.act(action, member, at))
    except refusals.NoSuchLesson:
        raise
    except Refusal as refusal:
        return answer.flash(refusal)


# What a link in a notice opens: whoever has it may take or give back that one place for that one person, without
# signing in. Looking changes nothing, because programs look too.


@dataclass(frozen=True, slots=True)
class Tapped:
    """A link that was opened: whose it is, and the tie that it was made for."""

    member: Member
    slot: Slot
    tie: UserLesson
    token: str

    @property
    def is_over(self) -> bool:
        return self.tie.status is Status.CANCELLED


async def tapped(token: str, contacts: Contacts, lists: Lists) -> Tapped:
    tap = await contacts.tapped(token)
    member = Member(tap.user_id)
    return Tapped(member, tap.slot, await lists.tie_of_link(member, tap.slot, tap.tie_id), token)


@pages.get("/offers/{token}", name="offer")
async def offer(tapped: Tapped, lists: Lists, notices: Notices, sellers: Sellers, clock: Clock, language: str) -> Html:
    slot, tie, now = tapped.slot, tapped.tie, days.now(clock)
    policy = await lists.policy(slot.studio_code)
    seen = await lists.view(tapped.member, slot)
    return Html(
        "lessons/offer.html",
        seen=seen,
        tie=tie,
        slot=slot,
        words=notices.words(seen.lesson, language=language),
        available=is_available(seen.lesson) and not seen.held and tie.status is Status.ACTIVE,
        sells_here=sellers.sells_here(seen.lesson),
        booking_page=sellers.page(seen.lesson),
        held_until=f"{tie.offer_until.astimezone(days.JST):%H:%M}" if tie.offer_until and holds_offer(tie, now) else "",
        # What was booked after the link was over is none of its business.
        booking=None if tapped.is_over else seen.ties.get(TieKind.BOOKING),
        may_cancel=policy.may_cancel(slot.starts_at, now),
        late=policy.is_late(slot.starts_at, now),
        token=tapped.token,
    )


@pages.post("/offers/{token}", name="take")
async def take(tapped: Tapped, bookings: Bookings) -> Redirect:
    answer = Redirect("lessons:offer", token=tapped.token)
    if tapped.is_over:
        raise refusals.LinkOver()
    try:
        await bookings.book(tapped.member, tapped.slot)
    except refusals.AlreadyRegistered:
        return answer
    except (refusals.Full, refusals.Held):
        return answer.flash("offer.gone", "error")
    except (refusals.Closed, refusals.BookedElsewhere, refusals.StudioSilent) as refusal:
        return answer.flash(refusal)
    return answer


@pages.post("/offers/{token}/cancel", name="give_back")
async def give_back(tapped: Tapped, bookings: Bookings) -> Redirect:
    answer = Redirect("lessons:offer", token=tapped.token)
    if tapped.is_over:
        raise refusals.LinkOver()
    try:
        await bookings.cancel(tapped.member, tapped.slot)
    except Refusal as refusal:
        return answer.flash(refusal)
    return answer.flash("done.cancelled")
