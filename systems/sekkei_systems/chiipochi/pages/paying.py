"""The way to the provider, and the way back."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from starlette.responses import Response

from sekkei.web import Html, Pages, Redirect
from sekkei_systems.chiipochi.design.models import Donation, Status, is_by_hand
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.donations import Orders
from sekkei_systems.chiipochi.service.payments import Settling

LOOKS_MAX = 30
"""Every two seconds: a provider that has not told us after a minute takes its time."""

pages = Pages()


class Looks(Struct):
    looks: Annotated[int, Meta(ge=0)] = 0


@pages.get("/pay/{token}", name="pay")
async def pay(token: str, settling: Settling) -> Response:
    return Response(None, 303, {"Location": await settling.start(token), "Cache-Control": "no-store"})


@pages.get("/pay/{token}/back", name="unpaid")
async def unpaid(token: str, orders: Orders, organisation: Organisation) -> Html | Redirect:
    """For whoever cancelled at the provider: pay after all, or go back to the chat."""
    donation = await orders.of_link(token)
    if donation.status is not Status.PENDING or donation.waiting_for is not None:
        return Redirect("chiipochi:paid", token=token)
    return Html(
        "chiipochi/unpaid.html",
        donation=donation,
        prefecture=recipient_of(donation),
        organisation=organisation,
        token=token,
    )


@pages.get("/pay/{token}/done", name="paid")
async def paid(token: str, orders: Orders, organisation: Organisation, query: Looks) -> Html:
    """Looks again for a little while; whoever comes later sees how it stands and can go on paying."""
    donation = await orders.of_link(token)
    looks = min(query.looks, LOOKS_MAX)
    again = donation.status is Status.PENDING and not donation.pay_url and looks < LOOKS_MAX
    return Html(
        "chiipochi/done.html",
        donation=donation,
        prefecture=recipient_of(donation),
        organisation=organisation,
        token=token,
        state=_state(donation, again),
        by_hand=is_by_hand(donation.refund_id),
        again=looks + 1 if again else None,
    )


def _state(donation: Donation, again: bool) -> str:
    """Which words are true of it now. Money that came too late was charged, and the page that waits no longer does not
    say that it renews itself."""
    if donation.paid_late_at is not None:
        return "late-refunded" if donation.refunded >= donation.amount else "late"
    if donation.status is Status.PENDING and donation.standing != "waiting" and not again:
        return "unconfirmed"
    if donation.status is Status.SUCCEEDED and donation.standing != "succeeded":
        return donation.standing
    return "waiting" if donation.standing == "waiting" else donation.status.value
