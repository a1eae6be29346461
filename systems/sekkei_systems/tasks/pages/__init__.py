"""What people look at. A page asks the service, which decides who may see it."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import Given
from sekkei_systems.tasks.pages import (
    board,
    burndown,
    comments,
    files,
    home,
    hooks,
    imports,
    invitations,
    late,
    lists,
    notes,
    plan,
    settings,
    subtasks,
    task,
    trash,
)

PARTS = (
    home,
    board,
    lists,
    late,
    burndown,
    task,
    plan,
    subtasks,
    comments,
    trash,
    settings,
    hooks,
    invitations,
    files,
    imports,
    notes,
)


def routes(given: Given) -> list[BaseRoute]:
    return [route for part in PARTS for route in part.pages.routes(given)]
