"""Every page of the console, for the application."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.web import console
from sekkei.web.console import (
    acts,
    changes,
    designs,
    edit,
    history,
    item,
    masks,
    partiql,
    patterns,
    tables,
    token_login,
)

PARTS = (console, acts, token_login, tables, item, edit, changes, history, partiql, masks, designs, patterns)


def routes() -> list[BaseRoute]:
    return [route for part in PARTS for route in part.routes()]
