"""The phone client, the pictures that it shares, and the moderators' desk below /q/admin, one noun a file."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.q.pages import cases, client, overview, questions, users, words


def routes(given: Given) -> list[BaseRoute]:
    files = (client, overview, cases, questions, users, words)
    return [route for file in files for route in file.pages.routes(given)]
