"""CreateGlobalTable."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import List, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "CreateGlobalTableInput",
    "GlobalTableName ReplicationGroup",
    GlobalTableName=fields.PLAIN_TABLE_NAME,
    ReplicationGroup=List(Structure("Replica", RegionName=fields.STRING)),
)
