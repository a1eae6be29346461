"""What needs an administrator now; how Q. is doing; and what administrators did."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.sheets import write
from sekkei.kit.typed import Token
from sekkei.web import Html, Pages, download
from sekkei_systems.days import today
from sekkei_systems.q.design.models import AdminAction
from sekkei_systems.q.pages.desk import Paging
from sekkei_systems.q.rules.numbers import COHORTS, CohortRow, Day
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.moderation import Moderation
from sekkei_systems.q.service.numbers import Numbers
from sekkei_systems.q.service.questions import Editing

_AHEAD_DAYS = 3
LINES = 8
pages = Pages()


@pages.get("/admin", name="admin")
async def overview(by: Admin, editing: Editing, moderation: Moderation, logs: Logs, clock: Clock) -> Html:
    waiting, written, calendar, log = await asyncio.gather(
        moderation.waiting(by), editing.stock(by), editing.calendar(by, today(clock), _AHEAD_DAYS), logs.page(by)
    )
    found = {**waiting, **written}
    counts = [(name, *found[name]) for name in ("queue", "submissions", "flagged", "reports", "questions")]
    return Html("q/admin/overview.html", counts=counts, calendar=calendar, log=list(log)[:LINES])


# How Q. is doing: answers by day, who stays, what became of pushes, how much moderators have to do.


DAY_COLUMNS = (
    *("date", "members", "answers", "onTime", "deleted", "answersPerHundred", "joined", "away", "back"),
    *("pushesSent", "pushesFailed", "pushesGone", "opened", "stillOpen", "settled", "hoursToDecision"),
)
_SHOWN_COHORTS = 8


@pages.get("/admin/numbers", name="admin-numbers")
async def show(by: Admin, numbers: Numbers) -> Html:
    found = await numbers.show(by)
    return Html("q/admin/numbers.html", found=found, weeks=_SHOWN_COHORTS)


@pages.get("/admin/numbers/days.csv", name="admin-numbers-days")
async def days(by: Admin, numbers: Numbers) -> Response:
    found = await numbers.show(by)
    return download("q-days.csv", write([DAY_COLUMNS, *map(_day, found.days)]))


@pages.get("/admin/numbers/cohorts.csv", name="admin-numbers-cohorts")
async def cohorts(by: Admin, numbers: Numbers) -> Response:
    found = await numbers.show(by)
    head = ("week", "joined", *(f"week{later}" for later in range(COHORTS)))
    return download("q-cohorts.csv", write([head, *map(_cohort, found.cohorts)]))


def _day(one: Day) -> tuple[object, ...]:
    own = one.numbers
    answers = (own.posted, own.on_time, own.deleted, one.rate)
    moderation = (own.opened, own.waiting, own.settled, one.hours)
    pushes = (own.sent, own.failed, own.gone)
    return (own.day, one.members, *answers, own.joined, own.away, own.back, *pushes, *moderation)


def _cohort(one: CohortRow) -> tuple[object, ...]:
    return (one.week, one.joined, *one.people)


# What administrators did.


class Which(Paging):
    action: Token = ""
    admin: Token = ""

    @property
    def chosen(self) -> AdminAction | None:
        return next((one for one in AdminAction if one.value == self.action), None)


@pages.get("/admin/log", name="admin-log")
async def log(by: Admin, logs: Logs, query: Which) -> Html:
    return Html(
        "q/admin/log.html",
        found=await logs.page(by, action=query.chosen, admin=query.admin or None, after=query.after or None),
        actions=[one.value for one in AdminAction],
        action=query.action if query.chosen else "",
        admin=query.admin or None,
    )
