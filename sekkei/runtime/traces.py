"""What messages, schedules and jobs of a system still say of somebody who has left, found wherever it stands.

Page by page, as steps of a job: the outbox keeps receipts for months, and their ids may name people too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sekkei.design import Action, Database, Query
from sekkei.runtime.design import (
    FAILED,
    JOB,
    SCHEDULE,
    JobRun,
    Message,
    Schedule,
    SetAside,
    all_schedules,
    job_runs,
    messages,
    newest_jobs,
    newest_messages,
    newest_set_aside,
    schedules,
    set_aside,
)
from sekkei.runtime.jobs import Payload, Progress, Step
from sekkei.runtime.receipts import names

PAGE_ITEMS = 100
M = TypeVar("M")


class Traces:
    """Those of one system."""

    def __init__(self, runtime: Database, system: str) -> None:
        self._runtime = runtime
        self._system = system

    def steps(self) -> Sequence[tuple[str, Step]]:
        return [
            ("runtime-messages", self._messages),
            ("runtime-jobs", self._jobs),
            ("runtime-schedules", self._schedules),
            ("runtime-schedules-failed", self._failed_schedules),
            ("runtime-records", self.records),
        ]

    async def _gone(
        self,
        query: Query[M],
        payload: Payload,
        cursor: str | None,
        said: Callable[[M], Any],
        delete: Callable[[M], Action[Any, Any] | None],
    ) -> Progress:
        """Delete what names them on one page."""
        people = {person for person in (payload["user_id"], payload.get("email")) if person}
        page = await self._runtime.page(query, size=PAGE_ITEMS, after=cursor)
        actions = [action for one in page if names(said(one), people) and (action := delete(one)) is not None]
        await self._runtime.write_many(actions)
        return Progress(len(actions), page.cursor)

    async def _messages(self, payload: Payload, cursor: str | None) -> Progress:
        def delete(one: Message) -> Action[Any, Any] | None:
            return messages.delete(one.id) if one.system == self._system else None

        return await self._gone(newest_messages(), payload, cursor, lambda one: [one.id, one.to, one.people], delete)

    async def _jobs(self, payload: Payload, cursor: str | None) -> Progress:
        """Those that have finished or were given up; what still runs has its work to do."""

        def delete(one: JobRun) -> Action[Any, Any] | None:
            over = one.finished or one.due_pk == FAILED + JOB
            return job_runs.delete(one.id) if over and one.system == self._system else None

        return await self._gone(newest_jobs(), payload, cursor, lambda one: [one.id, one.payload], delete)

    async def _schedules(self, payload: Payload, cursor: str | None) -> Progress:
        return await self._gone_schedules(SCHEDULE, payload, cursor)

    async def _failed_schedules(self, payload: Payload, cursor: str | None) -> Progress:
        return await self._gone_schedules(FAILED + SCHEDULE, payload, cursor)

    async def _gone_schedules(self, place: str, payload: Payload, cursor: str | None) -> Progress:
        def delete(one: Schedule) -> Action[Any, Any] | None:
            return schedules.delete(one.name) if one.cron is None and one.system == self._system else None

        return await self._gone(all_schedules(place), payload, cursor, lambda one: [one.name, one.payload], delete)

    async def records(self, payload: Payload, cursor: str | None) -> Progress:
        def delete(one: SetAside) -> Action[Any, Any] | None:
            ours = one.consumer.startswith(f"{self._system}/")
            return set_aside.delete(one.consumer, one.sequence) if ours else None

        return await self._gone(newest_set_aside(), payload, cursor, lambda one: one.record, delete)
