"""DescribeStream and ListStreams; GetRecords and GetShardIterator have files of their own."""

from __future__ import annotations

from typing import Any

from sekkei.engine.history import streams
from sekkei.engine.history.streams import Stream
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import TABLE_NAME, check_stream_arn, plain
from sekkei.engine.validation.shapes import String, Structure

_DESCRIBE = Structure(
    "DescribeStreamInput",
    "StreamArn",
    StreamArn=fields.ARN,
    Limit=fields.STREAMS_LIMIT,
    ExclusiveStartShardId=fields.SHARD_ID,
    ShardFilter=Structure("ShardFilter", "Type ShardId", Type=String(one_of="CHILD_SHARDS"), ShardId=fields.SHARD_ID),
)


def _describe_rules(request: dict[str, Any]) -> Checked:
    check_stream_arn(request["StreamArn"])
    return plain(request)


def describe_stream(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    stream = streams.find_stream(snapshot, request["StreamArn"])
    # The one shard never splits: it has no children, and nothing comes after it.
    beyond = request.get("ExclusiveStartShardId", "") >= stream.shard_id or "ShardFilter" in request
    return {
        "StreamDescription": {
            **stream.record,
            "StreamStatus": "ENABLED" if stream.is_open else "DISABLED",
            "Shards": [] if beyond else [_shard(stream)],
        }
    }


def _shard(stream: Stream) -> dict[str, Any]:
    numbers = {"StartingSequenceNumber": streams.sequence_number(stream.first_seq)}
    if stream.last_seq is not None:
        # A stream closed before its first change ends where it begins.
        numbers["EndingSequenceNumber"] = streams.sequence_number(max(stream.first_seq, stream.last_seq))
    return {"ShardId": stream.shard_id, "SequenceNumberRange": numbers}


_LIMIT_MAX = 100

_LIST = Structure(
    "ListStreamsInput",
    TableName=TABLE_NAME,
    Limit=fields.STREAMS_LIMIT,
    ExclusiveStartStreamArn=fields.ARN,
)


def _list_rules(request: dict[str, Any]) -> Checked:
    if "ExclusiveStartStreamArn" in request:
        check_stream_arn(request["ExclusiveStartStreamArn"])
    return plain(request)


def list_streams(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    start = request.get("ExclusiveStartStreamArn") or ""
    limit = min(request.get("Limit") or _LIMIT_MAX, _LIMIT_MAX)
    found = [
        stream
        for stream in streams.all_streams(snapshot)
        if stream.arn > start and checked.table in ("", stream.record["TableName"])
    ]
    members = ("StreamArn", "TableName", "StreamLabel")
    response: Response = {
        "Streams": [{member: stream.record[member] for member in members} for stream in found[:limit]]
    }
    if len(found) > limit:
        response["LastEvaluatedStreamArn"] = found[limit - 1].arn
    return response


OPERATIONS = (
    Read("DescribeStream", _DESCRIBE, _describe_rules, describe_stream),
    Read("ListStreams", _LIST, _list_rules, list_streams),
)
