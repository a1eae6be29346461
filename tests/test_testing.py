"""The kit for tests of programs that use Sekkei."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.store import Store
from sekkei.testing import OpenDesign, make, open_design, sekkei_store, store
from tests.design.example import Color, Notice, Status, Task, design, notices, tasks
from tests.design.test_model import Everything

__all__ = ["open_design", "sekkei_store"]  # fixtures, as `pytest_plugins` would bring them


async def test_a_fresh_store_each_time() -> None:
    async with store(design) as one, store(design) as two:
        assert isinstance(one, Database)
        await one.write(tasks.create(make(Task, team_id="t", task_id="k")))
        assert await two.get(tasks("t", "k")) is None
        assert await one.get(tasks("t", "k")) is not None


async def test_a_store_without_a_design() -> None:
    async with store(clock=ManualClock()) as empty:
        assert (await empty.call("ListTables", {}))["TableNames"] == []


@pytest.mark.torture
async def test_opening_is_quick() -> None:
    async def seconds() -> float:
        started = time.perf_counter()
        async with store():
            return time.perf_counter() - started

    assert min([await seconds() for _ in range(10)]) < 0.05  # about a millisecond on a quiet machine


async def test_the_fixtures(open_design: OpenDesign, sekkei_store: Store) -> None:
    db = await open_design(design)
    await db.write(notices.create(make(Notice, guild_id="g", notice_id="NTC#1")))
    assert await db.count(notices.where(Notice.guild_id == "g")) == 1
    assert db.store is sekkei_store


def test_instances_are_believable_and_differ() -> None:
    one, two = make(Task), make(Task, title="given")
    assert one.task_id != two.task_id
    assert two.title == "given"
    assert one.status is Status.TODO
    assert make(Notice).event_id.startswith("EVT#event_id-")
    assert isinstance(make(Everything).color, Color)
    tasks.encode(one)


def test_importing_a_design_loads_nothing_heavy() -> None:
    heavy = ("asyncio", "ssl", "apsw", "orjson", "boto3", "botocore", "aiobotocore", "pydantic", "hashlib")
    program = f"import sys, sekkei.design; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
