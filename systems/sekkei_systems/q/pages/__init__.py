"""The phone client, the pictures that it shares, and the moderators' desk below /q/admin, one page a file."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.q.pages import (
    client,
    days,
    drawings,
    flagged,
    invites,
    log,
    numbers,
    overview,
    questions,
    queue,
    reports,
    standing,
    submissions,
    users,
    words,
)

DESK = (overview, queue, submissions, flagged, reports, questions, days, users, standing, words, numbers, log)
FILES = (client, invites, drawings, *DESK)


def routes(given: Given) -> list[BaseRoute]:
    return [route for file in FILES for route in file.pages.routes(given)]
