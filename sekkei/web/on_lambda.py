"""Any of the systems as Lambda functions; docs/aws.md leads through a deployment.

sekkei.web.on_lambda.http       a function URL, or API Gateway with payload 2.0: pages and APIs
sekkei.web.on_lambda.stream     event source mapping of the tables' streams, with ReportBatchItemFailures
sekkei.web.on_lambda.schedule   EventBridge Scheduler, for schedules that `EventBridgeSchedules` has put there
sekkei.web.on_lambda.work       once a minute: what is due by the clock, the outbox, the next steps of jobs

SEKKEI_SYSTEMS=tasks,q says which systems (default: all that are installed); SEKKEI_STORE and SEKKEI_SECRET must be set.
Tables are made beforehand, with `sekkei tables create`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any

from sekkei import logs
from sekkei.clock import SYSTEM as CLOCK
from sekkei.design import Reactions
from sekkei.runtime import discovery
from sekkei.runtime.aws.functions import Event, http_handler, schedule_handler, stream_handler
from sekkei.runtime.deployment import Deployment
from sekkei.runtime.ends import allowed_local, problems
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings, from_environment
from sekkei.runtime.system import Payload, ScheduledJob, System
from sekkei.runtime.transports import configured
from sekkei.store import Store, open_store
from sekkei.web.application import application

_SPARE_SECONDS = 10.0
"""Left of a function's time when `work` begins nothing new."""
WORK_SECONDS = 45.0
"""Then the next minute's call takes over; what has begun goes on, for as long as the function may run."""


class Functions:
    """The four functions of some systems on a store."""

    def __init__(self, systems: Sequence[System], store: Store, settings: Settings) -> None:
        app = application(systems, store, settings, CLOCK, transports=configured(settings, CLOCK, Http()))
        self.deployment: Deployment = app.state.shell.deployment
        self.http = http_handler(lambda: app)
        self.stream = stream_handler(lambda: self._react)
        self.schedule = schedule_handler(self._jobs)

    def work(self, event: Event, context: object) -> None:
        seconds = WORK_SECONDS
        if hasattr(context, "get_remaining_time_in_millis"):
            seconds = min(seconds, context.get_remaining_time_in_millis() / 1000 - _SPARE_SECONDS)
        self.schedule({"system": "", "job": "work", "payload": {"seconds": seconds}}, context)

    async def _react(self, event: Event) -> Mapping[str, Any]:
        """A batch is of one stream; a table of several systems' reactions is handled by each."""
        failures: list[dict[str, str]] = []
        for reactions in self._reactions(event):
            answer = await reactions.handle(event)
            failures += answer["batchItemFailures"]
        return {"batchItemFailures": failures}

    def _reactions(self, event: Event) -> list[Reactions]:
        tables = {record["eventSourceARN"].split("/")[1] for record in event["Records"]}
        found = [
            reactions
            for opened in self.deployment.systems.values()
            for reactions in opened.parts.reactions
            if tables & {opened.context.db.table_name(table) for table in reactions.tables}
        ]
        if not found:
            raise LookupError(
                f"No system here reacts to {', '.join(sorted(tables))}; see SEKKEI_SYSTEMS and SEKKEI_ENV."
            )
        return found

    def _jobs(self) -> Mapping[str, Mapping[str, ScheduledJob]]:
        async def work(payload: Payload) -> None:
            await self.deployment.worker.tick(payload["seconds"])

        named = {name: opened.parts.scheduled for name, opened in self.deployment.systems.items()}
        return {**named, "": {"work": work}}


@functools.cache
def functions() -> Functions:
    """Of what the environment says; made by the first call, kept while the function is warm."""
    for name in ("SEKKEI_STORE", "SEKKEI_SECRET"):
        if not os.environ.get(name):
            raise RuntimeError(f"{name} must be set: a function keeps no file of its own. See docs/aws.md.")
    logs.configure("json", "warning")
    settings = from_environment()
    names = [name.strip() for name in settings.get("systems").split(",") if name.strip()]
    systems = [discovery.load(name) for name in names or sorted(discovery.names())]
    ends = [end for system in systems for end in system.ends]
    found = problems(ends, settings, allowed_local(settings))
    if found:
        raise RuntimeError("\n".join(found))
    return Functions(systems, open_store(settings.store), settings)


def http(event: Event, context: object) -> dict[str, Any]:
    return functions().http(event, context)


def stream(event: Event, context: object) -> Mapping[str, Any]:
    return functions().stream(event, context)


def schedule(event: Event, context: object) -> None:
    functions().schedule(event, context)


def work(event: Event, context: object) -> None:
    functions().work(event, context)
