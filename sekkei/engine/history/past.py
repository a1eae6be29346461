"""What one item was: its changes as far as the table's log reaches, which a stream keeps for a day and point-in-time
recovery for up to 35 days."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from sekkei.engine.history.streams import SEQ_MAX, sequence_number
from sekkei.engine.items import values
from sekkei.engine.storage.change_log import COLUMNS, ChangeRecord
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import against_table

ROWS_AT_ONCE = 2_000
"""Changes of the table that one call looks through, some milliseconds' worth."""
Record = dict[str, Any]


def changes_of(
    snapshot: Snapshot, name: str, key: Mapping[str, Any], before: int | None = None
) -> tuple[list[Record], int | None]:
    """Records as a stream has them, the newest first; and where to look on, None at the beginning of the log."""
    # The changes of a deleted table outlive it, and would be taken for those of a new one of its name.
    snapshot.catalogue.refresh(snapshot.connection)
    table = snapshot.table(name)
    wanted = against_table.key_bytes(table, values.normalised_item(dict(key)))
    start = SEQ_MAX if before is None else before
    rows = snapshot.rows(
        "SELECT min(seq), count(*) FROM "
        "(SELECT seq FROM changes WHERE table_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?)",
        (table.id, start, ROWS_AT_ONCE),
    )
    first, count = rows[0]
    if first is None:
        return [], None
    found = snapshot.rows(
        f"SELECT {COLUMNS} FROM changes WHERE table_id = ? AND seq >= ? AND seq < ? AND key = ? ORDER BY seq DESC",
        (table.id, first, start, wanted),
    )
    return [_record(ChangeRecord(*row)) for row in found], first if count == ROWS_AT_ONCE else None


def _record(change: ChangeRecord) -> Record:
    body: Record = {
        "Keys": orjson.loads(change.keys),
        "SequenceNumber": sequence_number(change.seq),
        "ApproximateCreationDateTime": change.time_ms / 1000,
    }
    for name, image in (("OldImage", change.old), ("NewImage", change.new)):
        if image is not None:
            body[name] = orjson.loads(image)
    by = {"userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"}} if change.by_ttl else {}
    return {"eventName": change.event, "dynamodb": body, **by}
