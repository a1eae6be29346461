"""GetItem."""

from __future__ import annotations

import orjson

from sekkei.engine.capacity import Consumed, attach, wanted
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.validation import against_table
from sekkei.engine.values import item_size


def get_item(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    table = snapshot.table(checked.table)
    key = checked.key
    assert key is not None
    against_table.check_key(table, key)
    against_table.check_scalar_keys(table, checked.projection)
    blob = snapshot.get(table, table.key_bytes(key))
    response: Response = {}
    if blob is not None:
        if checked.projection is None:
            response["Item"] = render(blob)
        else:
            response["Item"] = checked.projection.project(orjson.loads(blob))
    how = checked.request.get("ReturnConsumedCapacity")
    if wanted(how):
        consumed = Consumed()
        size = item_size(orjson.loads(blob)) if blob is not None else 0
        consumed.add_read(table, size, bool(checked.request.get("ConsistentRead")))
        attach(response, consumed, how)
    return response
