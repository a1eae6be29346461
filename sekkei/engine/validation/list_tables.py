"""ListTables."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import Number, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "ListTablesInput",
    Limit=Number(least=1, most=100),
    ExclusiveStartTableName=fields.PLAIN_TABLE_NAME,
)
