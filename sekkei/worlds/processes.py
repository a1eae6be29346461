"""The processes of a deployment: started, and killed where they stand."""

from __future__ import annotations

from contextvars import Context
from dataclasses import dataclass
from typing import Any

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

    async def start_up(self) -> None:
        shell = self.app.state.shell
        await shell.prepare()
        await shell.deployment.worker.start()

    async def put_down(self) -> None:
        """What is under way may end."""
        await self.app.state.shell.deployment.worker.stop()
