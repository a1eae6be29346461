"""ListStreams."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import Structure
from sekkei.engine.validation.table_name import TABLE_NAME

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "ListStreamsInput",
    TableName=TABLE_NAME,
    Limit=fields.LIMIT,
    ExclusiveStartStreamArn=fields.ARN,
)
