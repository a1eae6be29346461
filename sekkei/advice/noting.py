"""A store that notes what every table and index takes, minute by minute, in a file for `sekkei cost --learn`.

store = Noting(Embedded("shop.db"), Path("run.json"))
...
store.save()
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sekkei.advice.recording import READS, WRITES
from sekkei.clock import SYSTEM, Clock
from sekkei.store.protocol import Request, Response, Store

MINUTE = 60
SAVE_SECONDS = 10.0
FORM = "sekkei-run-1"


class Noting:
    """Passes calls on, and the store's own attributes too; writes its file now and then, and when asked to."""

    def __init__(self, store: Store, path: Path, clock: Clock = SYSTEM) -> None:
        self._store, self._path, self._clock = store, path, clock
        self._minutes: dict[int, dict[str, list[float]]] = {}
        self._began = self._saved = clock.now()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def call(self, operation: str, request: Request) -> Response:
        if operation not in READS | WRITES:
            return await self._store.call(operation, request)
        response = await self._store.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        consumed = response.get("ConsumedCapacity")
        if request.get("ReturnConsumedCapacity", "NONE") == "NONE":
            response.pop("ConsumedCapacity", None)
        for one in consumed if isinstance(consumed, list) else [consumed] if consumed else []:
            self._note(one, int(operation in WRITES))
        if self._clock.now() - self._saved >= SAVE_SECONDS:
            self.save()
        return response

    async def close(self) -> None:
        self.save()
        await self._store.close()

    def _note(self, consumed: Mapping[str, Any], kind: int) -> None:
        places = self._minutes.setdefault(int(self._clock.now()) // MINUTE * MINUTE, {})
        table, left = consumed["TableName"], float(consumed["CapacityUnits"])
        for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index, part in consumed.get(member, {}).items():
                units = float(part["CapacityUnits"])
                places.setdefault(f"{table}.{index}", [0.0, 0.0])[kind] += units
                left -= units
        places.setdefault(table, [0.0, 0.0])[kind] += left

    def save(self) -> None:
        self._saved = self._clock.now()
        minutes = {str(minute): places for minute, places in self._minutes.items()}
        content = {"form": FORM, "seconds": self._saved - self._began, "minutes": minutes}
        self._path.write_text(json.dumps(content) + "\n", "utf-8")
