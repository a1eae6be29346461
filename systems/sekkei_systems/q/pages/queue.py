"""All that waits for a moderator, with how long it has waited."""

from __future__ import annotations

from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.runtime.days import now
from sekkei.web import Html, Pages
from sekkei_systems.q.design.models import ProfileImage
from sekkei_systems.q.rules.profile import PARTS
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.cases import Profiles, Queue

HOURS_LATE = 24
"""What has waited longer stands out."""
pages = Pages()


@pages.get("/admin/queue", name="admin-queue")
async def queue(by: Admin, queue: Queue, clock: Clock) -> Html:
    at = now(clock)
    found = [(one, int((at - one.since).total_seconds() // 3600)) for one in await queue.show(by)]
    return Html(
        "q/admin/queue.html", found=found, hours_late=HOURS_LATE, me=by.id, parts=[part.value for part in PARTS]
    )


@pages.get("/admin/pictures/{user_id}", name="admin-picture")
async def picture(by: Admin, profiles: Profiles, user_id: str) -> Response:
    return _image(await profiles.picture(by, user_id))


@pages.get("/admin/reports/{report_id}/picture", name="admin-reported-picture")
async def reported_picture(by: Admin, profiles: Profiles, report_id: str) -> Response:
    return _image(await profiles.reported_picture(by, report_id))


def _image(found: ProfileImage) -> Response:
    return Response(found.content, media_type=found.content_type, headers={"Cache-Control": "private, no-store"})
