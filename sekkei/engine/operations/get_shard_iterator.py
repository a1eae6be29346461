"""GetShardIterator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.engine.history import streams
from sekkei.engine.history.streams import Stream
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import check_stream_arn
from sekkei.engine.validation.shapes import String, Structure
from sekkei.errors import ResourceNotFoundException, ValidationException

_SHAPE = Structure(
    "GetShardIteratorInput",
    "StreamArn ShardId ShardIteratorType",
    StreamArn=fields.ARN,
    ShardId=fields.SHARD_ID,
    ShardIteratorType=String(one_of="TRIM_HORIZON LATEST AT_SEQUENCE_NUMBER AFTER_SEQUENCE_NUMBER AT_TIMESTAMP"),
    SequenceNumber=String(shortest=21, longest=40),
    Timestamp=fields.TIME,
)


def rules(request: dict[str, Any]) -> Checked:
    check_stream_arn(request["StreamArn"])
    kind = request["ShardIteratorType"]
    by_number = kind.endswith("SEQUENCE_NUMBER")
    if by_number and "SequenceNumber" not in request:
        raise ValidationException(f"SequenceNumber is required when ShardIteratorType is {kind}")
    if not by_number and "SequenceNumber" in request:
        raise ValidationException(f"SequenceNumber must not be specified when ShardIteratorType is {kind}")
    if kind == "AT_TIMESTAMP" and "Timestamp" not in request:
        raise ValidationException(f"Timestamp is required when ShardIteratorType is {kind}")
    return Checked(request)


def get_shard_iterator(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    with snapshot.at_one_moment():
        stream = streams.find_stream(snapshot, request["StreamArn"])
        if request["ShardId"] != stream.shard_id:
            raise ResourceNotFoundException(
                f"Requested resource not found: Shard: {request['ShardId']} in Stream: {stream.arn} not found"
            )
        return {"ShardIterator": streams.at(snapshot, stream, _position(snapshot, stream, request))}


def _position(snapshot: Snapshot, stream: Stream, request: Mapping[str, Any]) -> int:
    kind = request["ShardIteratorType"]
    if kind == "TRIM_HORIZON":
        return streams.oldest(snapshot, stream)
    if kind == "LATEST":
        return streams.newest(snapshot, stream)
    if kind == "AT_TIMESTAMP":
        since = max(int(request["Timestamp"] * 1000), streams.horizon_ms(snapshot) + 1)
        return streams.first_since(snapshot, stream, since)
    position = streams.seq_of(request["SequenceNumber"])
    if kind == "AFTER_SEQUENCE_NUMBER":
        position += 1
    streams.check_not_trimmed(snapshot, stream, position)
    return position


OPERATIONS = (Read("GetShardIterator", _SHAPE, rules, get_shard_iterator),)
