"""DescribeStream."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import String, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "DescribeStreamInput",
    "StreamArn",
    StreamArn=fields.ARN,
    Limit=fields.LIMIT,
    ExclusiveStartShardId=fields.SHARD_ID,
    ShardFilter=Structure("ShardFilter", Type=String(one_of="CHILD_SHARDS"), ShardId=fields.SHARD_ID),
)
