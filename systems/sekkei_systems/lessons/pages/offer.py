"""What a link in a notice opens: whoever has it may take or give back that one place for that one person, without
signing in. Looking changes nothing, because programs look too."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.runtime.refusals import Refusal
from sekkei.web import Html, Pages, Redirect
from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Status, TieKind, UserLesson
from sekkei_systems.lessons.rules.notices import Notices
from sekkei_systems.lessons.rules.openings import holds_offer
from sekkei_systems.lessons.rules.places import is_available
from sekkei_systems.lessons.rules.selling import Sellers
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.bookings import Bookings
from sekkei_systems.lessons.service.contacts import Contacts
from sekkei_systems.lessons.service.lists import Lists

pages = Pages()


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
