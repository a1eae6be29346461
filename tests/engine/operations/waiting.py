"""Waiting for jobs that take many commits, and making them wait."""

from __future__ import annotations

import apsw
import pytest

from sekkei.engine import Engine
from sekkei.engine.history import jobs
from sekkei.engine.history.jobs import JobKind, Memory, State
from sekkei.engine.storage.transaction import Transaction
from tests.engine.conftest import Tables


def jobs_under_way(engine: Engine) -> int:
    file = apsw.Connection(engine.path)
    try:
        return int(file.execute("SELECT count(*) FROM jobs").get)
    finally:
        file.close()


async def jobs_done(engine: Engine) -> None:
    """Each sweep is a job for the writer itself, so that another part has been done when it returns."""
    while jobs_under_way(engine):
        await engine.sweep()


async def index_active(tables: Tables, table: str, index: str) -> None:
    """While other jobs may be held."""
    while True:
        described = (await tables("DescribeTable", TableName=table))["Table"]["GlobalSecondaryIndexes"]
        if {one["IndexName"]: one["IndexStatus"] for one in described}[index] == "ACTIVE":
            return
        await tables.engine.sweep()


class HeldJobs:
    """Lets jobs of one kind do a part only when told to, so that a test knows what happens in between."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
        self._kind = jobs.KINDS[kind]
        self._allowed = 0
        monkeypatch.setitem(jobs.KINDS, kind, JobKind(self._part, self._kind.finish))

    def _part(self, transaction: Transaction, id: int, state: State, memory: Memory) -> bool:
        if not self._allowed:
            return False
        self._allowed -= 1
        return self._kind.part(transaction, id, state, memory)

    async def do_parts(self, engine: Engine, count: int) -> None:
        self._allowed = count
        while self._allowed and jobs_under_way(engine):
            await engine.sweep()

    def let_go(self) -> None:
        self._allowed = 1_000_000
