"""What a link in a notice opens."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.system import Context
from sekkei.web import Pages, flash, language_of, page, redirect, t
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Status, TieKind
from sekkei_systems.lessons.rules.places import is_available
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Member


def declare(pages: Pages, service: Service, context: Context) -> None:
    """The link in a notice: who has it may take or give back that one place for that one person, without signing in.
    Looking changes nothing, because programs look too."""

    @pages.get("/offers/{token}", name="offer")
    async def offer(request: Request) -> Response:
        tap = await service.contacts.tapped(request.path_params["token"])
        tie = await service.lists.tie_of_link(Member(tap.user_id), tap.slot, tap.tie_id)
        view = await service.lists.view(Member(tap.user_id), tap.slot)
        return page(
            request,
            "lessons/offer.html",
            view=view,
            tie=tie,
            slot=tap.slot,
            words=service.notices.words(view.lesson, language=language_of(request)),
            available=is_available(view.lesson) and not view.held and tie.status is Status.ACTIVE,
            # What was booked after the link was over is none of its business.
            booking=None if tie.status is Status.CANCELLED else view.ties.get(TieKind.BOOKING),
            may_cancel=service.policy.may_cancel(tap.slot.starts_at, days.now(context.clock)),
            late=service.policy.is_late(tap.slot.starts_at, days.now(context.clock)),
            token=request.path_params["token"],
        )

    @pages.post("/offers/{token}", name="take")
    async def take(request: Request) -> Response:
        tap = await service.contacts.tapped(request.path_params["token"])
        tie = await service.lists.tie_of_link(Member(tap.user_id), tap.slot, tap.tie_id)
        try:
            if tie.status is Status.CANCELLED:
                raise refusals.LinkOver()
            await service.bookings.book(Member(tap.user_id), tap.slot)
        except refusals.AlreadyRegistered:
            pass
        except (refusals.Full, refusals.Held):
            flash(request, t(request, "offer.gone"), "error")
        except refusals.Closed as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        return redirect(request, "lessons:offer", token=request.path_params["token"])

    @pages.post("/offers/{token}/cancel", name="give_back")
    async def give_back(request: Request) -> Response:
        tap = await service.contacts.tapped(request.path_params["token"])
        tie = await service.lists.tie_of_link(Member(tap.user_id), tap.slot, tap.tie_id)
        if tie.status is Status.CANCELLED:
            raise refusals.LinkOver()
        try:
            await service.bookings.cancel(Member(tap.user_id), tap.slot)
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, "done.cancelled"))
        return redirect(request, "lessons:offer", token=request.path_params["token"])
