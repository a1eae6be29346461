"""A thousand messages at once; one destination hangs, one fails, one is slow: how long the others wait, from when they
were written until they are out."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from bench.markdown import table
from sekkei.clock import SYSTEM
from sekkei.runtime.deployment import assemble
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import SHELL, Outbox
from sekkei.runtime.settings import Secrets, Settings
from sekkei.store import Embedded

MESSAGES = 1_000
DESTINATIONS = 100
PROVIDER_SECONDS = 0.02
"""What a good provider takes for one message."""


class Post:
    timeout_seconds = 5.0

    def __init__(self) -> None:
        self.out: dict[str, float] = {}
        self.some = asyncio.Event()

    async def send(self, message: Message) -> str:
        if message.to == "d0":
            await asyncio.sleep(3600)
        if message.to == "d1":
            raise ConnectionError("broken")
        await asyncio.sleep(1.0 if message.to == "d2" else PROVIDER_SECONDS)
        self.out[message.id] = time.monotonic()
        self.some.set()
        return "sent"


def run() -> None:
    waits = sorted(asyncio.run(_measure()))
    figures = [f"{waits[len(waits) * share // 100 - 1]:.2f} s" for share in (50, 99, 100)]
    print(table(["messages to good destinations", "median", "p99", "last"], [[str(len(waits)), *figures]]))


async def _measure() -> list[float]:
    """The seconds that each message to a good destination waited."""
    with tempfile.TemporaryDirectory() as folder:
        store, post = Embedded(Path(folder) / "sekkei.db"), Post()
        settings = Settings(data=Path(folder), secrets=Secrets(b"of the bench" * 3))
        deployment = assemble([], store, settings, SYSTEM, transports={"mail": post})
        await deployment.make_tables()
        outbox, written = Outbox(deployment.runtime, SYSTEM, SHELL), dict[str, float]()
        await deployment.worker.start()
        for number in range(MESSAGES):
            await outbox.put("mail", f"d{number % DESTINATIONS}", {"text": "x"}, id=f"{number}")
            if number % DESTINATIONS > 2:
                written[f"{SHELL}/{number}"] = time.monotonic()
        while not written.keys() <= post.out.keys():
            post.some.clear()
            await post.some.wait()
        await deployment.worker.stop()
        await store.close()
        return [post.out[id] - at for id, at in written.items()]
