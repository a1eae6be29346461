"""DescribeStream."""

from __future__ import annotations

from typing import Any

from sekkei.engine import streams
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.streams import Stream


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
