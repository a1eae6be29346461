"""How far a move has come: one item per old table, beside the timetable. It is the flag that says which table leads."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, replace
from sekkei.runtime import days
from sekkei_systems.lessons.design import Migration, Stage, migrations

NEW_LEADS = (Stage.CUT_OVER, Stage.FINAL)
FOLLOWED = (Stage.RUNNING, Stage.COPIED, Stage.VERIFIED, Stage.CUT_OVER)
"""While a move is in one of these, changes of the old table are carried over."""


class WrongStage(Exception):
    """The move has not come so far, or has gone too far, or somebody else moves it."""


class Ledger:
    """The entry of one old table. Whoever enters a stage owns it, and whoever owned it before is stopped."""

    def __init__(self, db: Database, clock: Clock, source: str) -> None:
        self._db = db
        self._clock = clock
        self._source = source

    async def read(self) -> Migration | None:
        return await self._db.get(migrations(self._source).consistent())

    async def enter(self, stage: Stage, before: Migration | None, **changes: Any) -> Migration:
        """Go to a stage from what was read before."""
        entered = self._entry(stage, before, **changes)
        unchanged = Migration.owner.absent() if before is None else Migration.owner == before.owner
        try:
            await self._db.write(migrations.put(entered).known_by(Migration.owner).when(unchanged))
        except ConditionFailed:
            raise WrongStage("Another command moves this table at the same time; look with: status") from None
        return entered

    async def save(self, mine: Migration, cursors: Mapping[str, Any], counts: Mapping[str, int]) -> None:
        """Note how far a stage has come, if it is still mine."""
        noted = replace(mine, cursors=dict(cursors), counts=dict(counts), updated_at=days.now(self._clock))
        try:
            await self._db.write(migrations.put(noted).when(Migration.owner == mine.owner))
        except ConditionFailed:
            raise WrongStage("Another command has taken over this move.") from None

    def _entry(self, stage: Stage, before: Migration | None, **changes: Any) -> Migration:
        now = days.now(self._clock)
        fresh = before or Migration(source=self._source, stage=stage, updated_at=now)
        return replace(fresh, stage=stage, owner=secrets.token_hex(8), updated_at=now, **changes)
