"""GetShardIterator."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.shapes import String, Structure
from sekkei.engine.validation.stream_arn import check_stream_arn
from sekkei.errors import ValidationException

SHAPE = Structure(
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
