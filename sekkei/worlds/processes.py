"""The processes of a deployment: started, and killed where they stand."""

from __future__ import annotations

from contextvars import Context
from dataclasses import dataclass
from typing import Any

from sekkei.design import replace
from sekkei.runtime.design import job_runs
from sekkei.runtime.worker import once_id
from sekkei.worlds.clock import WorldClock
from sekkei.worlds.loop import Life


@dataclass(eq=False)
class Process:
    """One process of the deployment, until it is killed."""

    name: str
    life: Life
    context: Context
    app: Any
    clock: WorldClock

    async def start_up(self, first: bool = False) -> None:
        """The tables that the first one has made stay: nobody after it asks for each of them."""
        shell = self.app.state.shell
        if first:
            await shell.prepare()
            await self._note_upgrades()
        await shell.deployment.worker.start()

    async def _note_upgrades(self) -> None:
        """What brings rows of an earlier version up to date has been done: a new store has none."""
        deployment = self.app.state.shell.deployment
        for name, opened in deployment.systems.items():
            for job in opened.parts.once:
                begun = opened.running.jobs.start_action(job, {}, id=once_id(name, job)).instance
                await deployment.runtime.write(job_runs.put(replace(begun, finished=True, due_pk=None, due_at=None)))

    async def put_down(self) -> None:
        """What is under way may end."""
        await self.app.state.shell.deployment.worker.stop()
