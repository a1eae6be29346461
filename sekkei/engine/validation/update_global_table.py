"""UpdateGlobalTable."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.global_tables import REGION
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import List, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "UpdateGlobalTableInput",
    "GlobalTableName ReplicaUpdates",
    GlobalTableName=fields.PLAIN_TABLE_NAME,
    ReplicaUpdates=List(Structure("ReplicaUpdate", Create=REGION, Delete=REGION)),
)
