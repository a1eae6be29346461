"""GetRecords: the changes of a table, in the order of their commits, as its stream shows them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import orjson

from sekkei.engine.history import streams
from sekkei.engine.history.streams import Stream
from sekkei.engine.items.values import item_size
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import COLUMNS, ChangeRecord
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Number, String, Structure
from sekkei.errors import InternalServerError

_RECORDS_MAX = 1_000
BYTES_MAX = 1024 * 1024

_SELECT = f"SELECT {COLUMNS} FROM changes WHERE table_id = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"

_SHAPE = Structure(
    "GetRecordsInput",
    "ShardIterator",
    ShardIterator=String(shortest=1, longest=2048),
    Limit=Number(least=1, most=1000),
)


def get_records(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    iterator = streams.read(snapshot, request["ShardIterator"])
    limit = min(request.get("Limit") or _RECORDS_MAX, _RECORDS_MAX)
    with snapshot.at_one_moment():
        stream = streams.find_stream_by_id(snapshot, iterator.stream_id)
        streams.check_not_trimmed(snapshot, stream, iterator.position)
        changes, at_end = _page(_changes(snapshot, stream, iterator.position, limit), limit)
    response: Response = {"Records": [_record(change, stream, snapshot.region, render) for change in changes]}
    if stream.is_open or not at_end:
        position = changes[-1].seq + 1 if changes else iterator.position
        response["NextShardIterator"] = streams.at(snapshot, stream, position)
    return response


def _changes(snapshot: Snapshot, stream: Stream, position: int, limit: int) -> Iterator[ChangeRecord]:
    cursor = snapshot.connection.cursor()
    try:
        for row in cursor.execute(_SELECT, (stream.table_id, position, stream.end, limit)):
            change = ChangeRecord(*row)
            if not change.is_sound:
                raise InternalServerError(
                    f"A record of the stream {stream.arn} does not match its checksum: the file is damaged. "
                    "Run `sekkei verify` on it."
                )
            yield change
    finally:
        cursor.close()


def _page(changes: Iterator[ChangeRecord], limit: int) -> tuple[list[ChangeRecord], bool]:
    """Up to the limit or a megabyte, and whether there are no more."""
    page: list[ChangeRecord] = []
    size = 0
    for change in changes:
        size += (change.old_size or 0) + (change.new_size or 0) + len(change.keys)
        if page and size > BYTES_MAX:
            return page, False
        page.append(change)
    return page, len(page) < limit


def _record(change: ChangeRecord, stream: Stream, region: str, render: Render) -> dict[str, Any]:
    view = stream.record["StreamViewType"]
    number = streams.sequence_number(change.seq)
    keys = orjson.loads(change.keys)
    size = item_size(keys)
    body: dict[str, Any] = {"ApproximateCreationDateTime": change.time_ms // 1000, "Keys": keys}
    # A change may hold images that only point-in-time recovery needs.
    if change.new is not None and view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"):
        body["NewImage"] = render(change.new)
        size += change.new_size or 0
    if change.old is not None and view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
        body["OldImage"] = render(change.old)
        size += change.old_size or 0
    body["SequenceNumber"] = number
    body["SizeBytes"] = size
    body["StreamViewType"] = view
    record: dict[str, Any] = {
        "eventID": hashlib.blake2b(f"{stream.arn}/{number}".encode(), digest_size=16).hexdigest(),
        "eventName": change.event,
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": region,
        "dynamodb": body,
    }
    if change.by_ttl:
        record["userIdentity"] = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    return record


OPERATIONS = (Read("GetRecords", _SHAPE, plain, get_records),)
