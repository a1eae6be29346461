"""Lambda's entry points, for a deployment without a server: settings from `SEKKEI_*`, tables on `SEKKEI_STORE`.

systems.tasks.deployed.http       a function URL or API Gateway (payload 2.0)
systems.tasks.deployed.stream     event source mapping of both tables' streams, ReportBatchItemFailures
systems.tasks.deployed.schedule   EventBridge Scheduler: {"system": "tasks", "job": "snapshot", "payload": {}}
systems.tasks.deployed.work       every minute: mails that wait, and the next step of every job that is under way

Open boards are told of changes by the process they are connected to, so live boards want `sekkei serve tasks`.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sekkei.clock import SYSTEM as CLOCK
from sekkei.runtime.aws_lambda import Application, http_handler, schedule_handler, stream_handler
from sekkei.runtime.house import House
from sekkei.runtime.http import Http
from sekkei.runtime.settings import from_environment
from sekkei.runtime.system import ScheduledJob
from sekkei.runtime.transports import configured
from sekkei.store import open_store
from sekkei.web import application
from systems.tasks import SYSTEM

Event = Mapping[str, Any]


@functools.cache
def _application() -> Any:
    settings = from_environment()
    store = open_store(settings.store or "dynamodb://")
    return application([SYSTEM], store, settings, transports=configured(settings, CLOCK, Http()))


def _house() -> House:
    house: House = _application().state.shell.house
    return house


def _make_application() -> Application:
    app: Application = _application()
    return app


def _make_reactions() -> Callable[[Event], Awaitable[Mapping[str, Any]]]:
    (reactions,) = _house().systems[SYSTEM.name].parts.reactions
    return reactions.handle


def _make_jobs() -> Mapping[str, Mapping[str, ScheduledJob]]:
    async def everything(payload: Event) -> None:
        worker = _house().worker
        await worker.deliver()
        await worker.work_on_jobs()

    parts = _house().systems[SYSTEM.name].parts
    return {SYSTEM.name: {**parts.scheduled, "work": everything}}


http = http_handler(_make_application)
stream = stream_handler(_make_reactions)
schedule = schedule_handler(_make_jobs)


def work(event: Event, context: object) -> None:
    schedule({"system": SYSTEM.name, "job": "work", "payload": {}}, context)
