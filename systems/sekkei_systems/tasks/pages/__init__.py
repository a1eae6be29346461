"""What people look at. A page asks the service, which decides who may see it."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.tasks.pages import board, burndown, files, home, hooks, lists, plan, settings, task

PARTS = (home, board, lists, burndown, task, plan, settings, hooks, files)


def routes(given: Given) -> list[BaseRoute]:
    return [route for part in PARTS for route in part.pages.routes(given)]
