"""Schedules by Amazon EventBridge Scheduler: the real end of the port that `schedules` has a local end for.

A schedule's target is a Lambda function (`SEKKEI_SCHEDULE_TARGET`, called in the name of `SEKKEI_SCHEDULE_ROLE`), which
`aws_lambda.schedule_handler` turns back into a call of the system's job.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import orjson

from sekkei.clock import Clock
from sekkei.runtime.aws.signing import AwsService, error_message, error_type
from sekkei.runtime.http import Http
from sekkei.store.http import Answer

GROUP = "default"
NAME_LENGTH_MAX = 64


class EventBridgeSchedules:
    """One system's schedules. Names are letters, digits, `-`, `_`, `.` and `/`, at most 64 of them."""

    def __init__(
        self,
        system: str,
        region: str,
        target_arn: str,
        role_arn: str,
        http: Http,
        clock: Clock,
        endpoint: str | None = None,
        zone: str = "UTC",
    ) -> None:
        self._zone = zone
        self._system = system
        self._target = target_arn
        self._role = role_arn
        self._service = AwsService("scheduler", region, http, clock, endpoint)

    async def put(
        self, name: str, job: str, payload: Mapping[str, Any], *, at: datetime | None = None, cron: str | None = None
    ) -> None:
        if (at is None) == (cron is None):
            raise ValueError("A schedule has either a time or a cron text.")
        content = self._content(job, payload, at, cron)
        path = f"/schedules/{quote(schedule_name(name), safe='')}"
        answer = await self._service.call("POST", path, content)
        if error_type(answer) == "ConflictException":
            answer = await self._service.call("PUT", path, content)
        _check(answer)

    async def delete(self, name: str) -> None:
        answer = await self._service.call("DELETE", f"/schedules/{quote(schedule_name(name), safe='')}")
        if answer.status != 404:
            _check(answer)

    def _content(
        self, job: str, payload: Mapping[str, Any], at: datetime | None, cron: str | None
    ) -> dict[str, object]:
        content: dict[str, object] = {
            "GroupName": GROUP,
            "FlexibleTimeWindow": {"Mode": "OFF"},
            "Target": {
                "Arn": self._target,
                "RoleArn": self._role,
                "Input": orjson.dumps({"system": self._system, "job": job, "payload": dict(payload)}).decode(),
            },
        }
        if at is not None:
            content["ScheduleExpression"] = f"at({at.astimezone(UTC):%Y-%m-%dT%H:%M:%S})"
            content["ActionAfterCompletion"] = "DELETE"
        else:
            content["ScheduleExpression"] = f"cron({aws_cron(cron or '')})"
            content["ScheduleExpressionTimezone"] = self._zone
        return content


def schedule_name(name: str) -> str:
    """Refuses what EventBridge would refuse, before anything is sent."""
    cleaned = name.replace("/", ".")
    if not (0 < len(cleaned) <= NAME_LENGTH_MAX and all(c.isascii() and (c.isalnum() or c in "-_.") for c in cleaned)):
        raise ValueError(f"{name!r} cannot name a schedule: use letters, digits, - _ . and /, at most 64 of them.")
    return cleaned


def aws_cron(text: str) -> str:
    """Five fields as EventBridge's six: one of the two days must be `?`, its week starts with 1, and years follow."""
    minute, hour, day, month, weekday = text.split()
    if weekday == "*":
        weekday = "?"
    else:
        weekday = "".join(str(int(c) + 1) if c.isdigit() else c for c in weekday)
        day = "?" if day == "*" else day
    return f"{minute} {hour} {day} {month} {weekday} *"


def _check(answer: Answer) -> None:
    if answer.status >= 300:
        raise ConnectionError(f"EventBridge Scheduler: {error_type(answer)}: {error_message(answer)}")
