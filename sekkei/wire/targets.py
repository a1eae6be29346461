"""The values that X-Amz-Target may have, and the operation that each of them names."""

from __future__ import annotations

from sekkei.engine.operations import OPERATIONS as _ALL

DYNAMODB = "DynamoDB_20120810"
STREAMS = "DynamoDBStreams_20120810"

_OF_STREAMS = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}

OPERATIONS: dict[bytes, str] = {
    f"{STREAMS if operation in _OF_STREAMS else DYNAMODB}.{operation}".encode(): operation for operation in _ALL
}

LARGE_ANSWERS = frozenset(
    target
    for target, operation in OPERATIONS.items()
    if operation.startswith(("Batch", "Transact", "Execute")) or operation in ("GetRecords", "Query", "Scan")
)
"""Those that may be answered with more than one item."""
