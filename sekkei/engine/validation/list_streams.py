"""ListStreams."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.plain import plain
from sekkei.engine.validation.shapes import Structure
from sekkei.engine.validation.stream_arn import check_stream_arn
from sekkei.engine.validation.table_name import TABLE_NAME

SHAPE = Structure(
    "ListStreamsInput",
    TableName=TABLE_NAME,
    Limit=fields.STREAMS_LIMIT,
    ExclusiveStartStreamArn=fields.ARN,
)


def rules(request: dict[str, Any]) -> Checked:
    if "ExclusiveStartStreamArn" in request:
        check_stream_arn(request["ExclusiveStartStreamArn"])
    return plain(request)
