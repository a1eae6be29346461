"""What needs an administrator now, and what is asked next."""

from __future__ import annotations

import asyncio

from sekkei.clock import Clock
from sekkei.web import Html, Pages
from sekkei_systems.days import today
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.moderation import Moderation
from sekkei_systems.q.service.questions import Editing

AHEAD_DAYS = 3
LINES = 8
pages = Pages()


@pages.get("/admin", name="admin")
async def overview(by: Admin, editing: Editing, moderation: Moderation, logs: Logs, clock: Clock) -> Html:
    waiting, written, calendar, log = await asyncio.gather(
        moderation.waiting(by), editing.stock(by), editing.calendar(by, today(clock), AHEAD_DAYS), logs.page(by)
    )
    found = {**waiting, **written}
    counts = [(name, *found[name]) for name in ("queue", "submissions", "flagged", "reports", "questions")]
    return Html("q/admin/overview.html", counts=counts, calendar=calendar, log=list(log)[:LINES])
