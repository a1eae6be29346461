"""All systems on one store, with their demo data: fixtures for what is true of all of them, and a look underneath."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.discovery import load_all
from sekkei.store import Embedded
from sekkei.web.testing import Client, opened

NOON = 1_876_014_000.0
"""2029-06-13 12:00 in Japan, a Wednesday."""


@pytest.fixture
async def store() -> AsyncIterator[Embedded]:
    made = Embedded(clock=ManualClock(NOON))
    yield made
    await made.close()


@pytest.fixture
async def client(store: Embedded) -> AsyncIterator[Client]:
    """Nobody is signed in yet; what the demo data set off is done."""
    systems, missing = load_all()
    assert missing == {}
    async with opened(*systems, store=store, clock=ManualClock(NOON), demo=True) as client:
        await client.work()
        yield client


async def tables(store: Embedded) -> dict[str, list[Any]]:
    """All rows of all tables, as they are stored."""
    names = (await store.call("ListTables", {}))["TableNames"]
    return {name: [row async for row in _rows(store, name)] for name in names}


async def _rows(store: Embedded, table: str) -> AsyncIterator[Any]:
    start: dict[str, Any] = {}
    while True:
        answer = await store.call("Scan", {"TableName": table, **start})
        for row in answer["Items"]:
            yield row
        if "LastEvaluatedKey" not in answer:
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
