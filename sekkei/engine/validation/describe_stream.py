"""DescribeStream."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.plain import plain
from sekkei.engine.validation.shapes import String, Structure
from sekkei.engine.validation.stream_arn import check_stream_arn

SHAPE = Structure(
    "DescribeStreamInput",
    "StreamArn",
    StreamArn=fields.ARN,
    Limit=fields.STREAMS_LIMIT,
    ExclusiveStartShardId=fields.SHARD_ID,
    ShardFilter=Structure("ShardFilter", "Type ShardId", Type=String(one_of="CHILD_SHARDS"), ShardId=fields.SHARD_ID),
)


def rules(request: dict[str, Any]) -> Checked:
    check_stream_arn(request["StreamArn"])
    return plain(request)
