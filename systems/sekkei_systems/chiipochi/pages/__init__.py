"""What people look at."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.runtime.system import Context
from sekkei_systems.chiipochi.pages import dashboard, mine, operator, paying, sheets
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.exports import Exports


def routes(context: Context, service: Service, exports: Exports) -> list[BaseRoute]:
    return [
        *dashboard.routes(context, service),
        *paying.routes(service),
        *mine.routes(context, service),
        *sheets.routes(context, service),
        *operator.routes(context, service, exports),
    ]
