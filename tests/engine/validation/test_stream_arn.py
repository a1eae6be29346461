"""Requests about streams: ARNs, limits and filters that DynamoDB Streams refuses."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import ValidationException

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/items/stream/2026-01-01T00:00:00.000"
NO_ARN = "x" * 40
SHARD = "shardId-00000000000000000000-00000000"


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("DescribeStream", {"StreamArn": NO_ARN}),
        ("DescribeStream", {"StreamArn": ARN, "Limit": 101}),
        ("DescribeStream", {"StreamArn": ARN, "ShardFilter": {"Type": "CHILD_SHARDS"}}),
        ("DescribeStream", {"StreamArn": ARN, "ShardFilter": {"ShardId": SHARD}}),
        ("GetShardIterator", {"StreamArn": NO_ARN, "ShardId": SHARD, "ShardIteratorType": "LATEST"}),
        ("ListStreams", {"ExclusiveStartStreamArn": NO_ARN}),
        ("ListStreams", {"Limit": 101}),
    ],
)
def test_refusals(operation: str, request_: dict[str, Any]) -> None:
    with pytest.raises(ValidationException):
        operations.check(operation, request_)


def test_an_arn_of_a_stream_passes() -> None:
    assert operations.check("DescribeStream", {"StreamArn": ARN, "Limit": 100})
    assert operations.check("ListStreams", {"ExclusiveStartStreamArn": ARN, "Limit": 100})
