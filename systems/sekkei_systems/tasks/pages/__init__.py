"""What people look at. Every page asks the service, which decides who may see it."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.runtime.system import Context
from sekkei.web import Pages
from sekkei_systems.tasks.pages import board, files, home, invitations, lists, notes, settings, task
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.digest import Digest


def routes(service: Service, context: Context, digest: Digest) -> list[BaseRoute]:
    pages = Pages()
    for part in (home, board, lists, task, settings, invitations, files):
        part.declare(pages, service, context)
    notes.declare(pages, service, context, digest)
    return pages.routes
