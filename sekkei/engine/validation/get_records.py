"""GetRecords."""

from __future__ import annotations

from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import Number, String, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "GetRecordsInput",
    "ShardIterator",
    ShardIterator=String(shortest=1, longest=2048),
    Limit=Number(least=1, most=1000),
)
