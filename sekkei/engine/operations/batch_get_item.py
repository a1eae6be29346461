"""BatchGetItem: up to 100 items and 16 MB; what does not fit comes back as UnprocessedKeys."""

from __future__ import annotations

from typing import Any

import orjson

from sekkei.engine.capacity import Consumed, attach_all, wanted
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.validation import against_table

RESPONSE_BYTES_MAX = 16 * 1024 * 1024


def batch_get_item(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    how = checked.request.get("ReturnConsumedCapacity")
    consumed = Consumed() if wanted(how) else None
    tables = [snapshot.table(part.table) for part in checked.parts]
    for part, table in zip(checked.parts, tables, strict=True):
        against_table.check_keys(table, part.keys)

    responses: dict[str, list[Any]] = {}
    unprocessed: dict[str, Any] = {}
    room = RESPONSE_BYTES_MAX
    for part, table in zip(checked.parts, tables, strict=True):
        consistent = bool(part.request.get("ConsistentRead"))
        found = responses.setdefault(part.reference, [])
        keys = [table.key_bytes(key) for key in part.keys]
        for position, stored in enumerate(snapshot.stored_each(table, keys)):
            size = stored.size if stored is not None else 0
            if size > room:
                unprocessed[part.reference] = {**part.request, "Keys": list(part.keys[position:])}
                room = -1
                break
            room -= size
            if consumed is not None:
                consumed.add_read(table, size, consistent)
            if stored is not None:
                blob = stored.blob
                found.append(render(blob) if part.projection is None else part.projection.project(orjson.loads(blob)))
    response: Response = {"Responses": responses, "UnprocessedKeys": unprocessed}
    attach_all(response, consumed, how)
    return response
