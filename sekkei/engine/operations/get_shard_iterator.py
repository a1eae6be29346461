"""GetShardIterator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.engine import shard_iterator, streams
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.streams import Stream
from sekkei.errors import ResourceNotFoundException


def get_shard_iterator(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    with snapshot.at_one_moment():
        stream = streams.find_stream(snapshot, request["StreamArn"])
        if request["ShardId"] != stream.shard_id:
            raise ResourceNotFoundException(
                f"Requested resource not found: Shard: {request['ShardId']} in Stream: {stream.arn} not found"
            )
        return {"ShardIterator": shard_iterator.at(snapshot, stream, _position(snapshot, stream, request))}


def _position(snapshot: Snapshot, stream: Stream, request: Mapping[str, Any]) -> int:
    kind = request["ShardIteratorType"]
    if kind == "TRIM_HORIZON":
        return shard_iterator.oldest(snapshot, stream)
    if kind == "LATEST":
        return shard_iterator.newest(snapshot, stream)
    if kind == "AT_TIMESTAMP":
        since = max(int(request["Timestamp"] * 1000), streams.horizon_ms(snapshot) + 1)
        return shard_iterator.first_since(snapshot, stream, since)
    position = streams.seq_of(request["SequenceNumber"])
    if kind == "AFTER_SEQUENCE_NUMBER":
        position += 1
    shard_iterator.check_not_trimmed(snapshot, stream, position)
    return position
