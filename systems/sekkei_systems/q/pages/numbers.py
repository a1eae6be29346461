"""How Q. is doing: answers by day, who stays, what became of pushes, how much moderators have to do."""

from __future__ import annotations

from starlette.responses import Response

from sekkei.kit.sheets import write
from sekkei.web import Html, Pages, download
from sekkei_systems.q.rules.numbers import COHORTS, CohortRow, Day
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.numbers import Numbers

DAY_COLUMNS = (
    *("date", "members", "answers", "onTime", "deleted", "answersPerHundred", "joined", "away", "back"),
    *("pushesSent", "pushesFailed", "pushesGone", "opened", "stillOpen", "settled", "hoursToDecision"),
)
SHOWN_COHORTS = 8
pages = Pages()


@pages.get("/admin/numbers", name="admin-numbers")
async def show(by: Admin, numbers: Numbers) -> Html:
    found = await numbers.show(by)
    return Html("q/admin/numbers.html", found=found, weeks=SHOWN_COHORTS)


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
