"""What waits for a moderator: the queue of all of it, reports, and answers that hold a forbidden word."""

from __future__ import annotations

from datetime import date
from typing import Literal
from urllib.parse import urlencode

from msgspec import Struct, field
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.typed import Token
from sekkei.runtime.days import now
from sekkei.runtime.refusals import Conflict
from sekkei.web import Html, Pages, Redirect
from sekkei_systems.q.design.models import ProfileImage, ReportStatus
from sekkei_systems.q.pages.desk import Paging, Reason, done
from sekkei_systems.q.rules.writing import PARTS
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.cases import Profiles, Queue
from sekkei_systems.q.service.moderation import Moderation

# All that waits for a moderator, with how long it has waited.


_HOURS_LATE = 24
"""What has waited longer stands out."""
pages = Pages()


@pages.get("/admin/queue", name="admin-queue")
async def queue(by: Admin, queue: Queue, clock: Clock) -> Html:
    at = now(clock)
    found = [(one, int((at - one.since).total_seconds() // 3600)) for one in await queue.show(by)]
    return Html(
        "q/admin/queue.html", found=found, hours_late=_HOURS_LATE, me=by.id, parts=[part.value for part in PARTS]
    )


@pages.get("/admin/pictures/{user_id}", name="admin-picture")
async def picture(by: Admin, profiles: Profiles, user_id: str) -> Response:
    return _image(await profiles.picture(by, user_id))


@pages.get("/admin/reports/{report_id}/picture", name="admin-reported-picture")
async def reported_picture(by: Admin, profiles: Profiles, report_id: str) -> Response:
    return _image(await profiles.reported_picture(by, report_id))


def _image(found: ProfileImage) -> Response:
    return Response(found.content, media_type=found.content_type, headers={"Cache-Control": "private, no-store"})


# What users have reported.


class Which(Paging):
    status: Token = ""

    @property
    def chosen(self) -> ReportStatus:
        return next((one for one in ReportStatus if one.value == self.status), ReportStatus.PENDING)


class Settle(Struct):
    status: Literal["resolved", "dismissed"]


@pages.get("/admin/reports", name="admin-reports")
async def reports(by: Admin, moderation: Moderation, query: Which, status: int = 200) -> Html:
    return Html(
        "q/admin/reports.html",
        status,
        found=await moderation.reports(by, query.chosen, query.after or None),
        chosen=query.chosen.value,
        statuses=[one.value for one in ReportStatus],
    )


@pages.post("/admin/reports/{report_id}")
async def settle(by: Admin, moderation: Moderation, report_id: str, query: Which, form: Settle) -> Html | Redirect:
    try:
        await moderation.settle(by, report_id, ReportStatus(form.status))
    except Conflict as refused:
        return (await reports(by, moderation, query, refused.status)).flash(refused)
    return done("/q/admin/reports")


# Answers with a forbidden word, and what becomes of any answer.


class From(Paging):
    """On which page the decision was made."""

    place: Token = field(name="from", default="")
    look: Token = ""


class Decision(Struct):
    decision: Literal["keep", "remove", "restore"]
    reason: Reason = ""


@pages.get("/admin/flagged", name="admin-flagged")
async def flagged(by: Admin, moderation: Moderation, query: Paging, status: int = 200) -> Html:
    return Html("q/admin/flagged.html", status, found=await moderation.flagged(by, query.after or None))


@pages.post("/admin/answers/{day}/{user_id}")
async def decide(
    by: Admin, moderation: Moderation, day: date, user_id: str, query: From, form: Decision
) -> Html | Redirect:
    try:
        if form.decision == "restore":
            await moderation.restore_post(by, day, user_id)
        else:
            await moderation.review_post(by, day, user_id, form.decision == "remove", form.reason)
    except Conflict as refused:
        return (await flagged(by, moderation, query, refused.status)).flash(refused)
    look = f"?{urlencode({'look': query.look})}" if query.look else ""
    places = {"reports": "/q/admin/reports", "queue": "/q/admin/queue", "user": f"/q/admin/users/{user_id}{look}"}
    return done(places.get(query.place, "/q/admin/flagged"))
