"""The bot as Lambda functions, on the same code as on a laptop.

    systems.eventbot.on_lambda.http       behind a function URL: Discord's interactions and the pages
    systems.eventbot.on_lambda.schedule   target of EventBridge Scheduler: reminders, starts, deadlines; and, with the
                                          input TICK once a minute, everything that waits: edits of messages, the
                                          outbox, long jobs

SEKKEI_STORE=dynamodb://ap-northeast-1 and the settings of `gateway` say where and as whom. Tables are made once, with
`sekkei tables`, not by a function.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from sekkei.clock import SYSTEM as CLOCK
from sekkei.runtime import aws_lambda
from sekkei.runtime.settings import from_environment
from sekkei.runtime.system import Payload, ScheduledJob
from sekkei.store import open_store
from sekkei.web.shell import Shell, application
from systems.eventbot import SYSTEM

TICK = {"system": "eventbot", "job": "tick", "payload": {}}


@functools.cache
def make_application() -> aws_lambda.Application:
    settings = from_environment()
    found: aws_lambda.Application = application([SYSTEM], open_store(settings.store), settings, CLOCK)
    return found


def make_jobs() -> Mapping[str, Mapping[str, ScheduledJob]]:
    shell: Shell = make_application().state.shell  # type: ignore[attr-defined]

    async def tick(payload: Payload) -> None:
        await shell.house.worker.run_until_idle()

    return {"eventbot": {**shell.house.systems["eventbot"].parts.scheduled, "tick": tick}}


http = aws_lambda.http_handler(make_application)
schedule = aws_lambda.schedule_handler(make_jobs)
