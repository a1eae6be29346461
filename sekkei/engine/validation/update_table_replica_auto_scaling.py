"""UpdateTableReplicaAutoScaling."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.global_tables import AUTO_SCALING
from sekkei.engine.validation.plain import about_table as rules
from sekkei.engine.validation.shapes import List, Structure
from sekkei.engine.validation.table_name import CONTROL_TABLE_NAME, TableOperation

__all__ = ["SHAPE", "rules"]

SHAPE = TableOperation(
    "UpdateTableReplicaAutoScalingInput",
    TableName=CONTROL_TABLE_NAME,
    GlobalSecondaryIndexUpdates=List(
        Structure(
            "GlobalSecondaryIndexAutoScalingUpdate",
            IndexName=fields.INDEX_NAME,
            ProvisionedWriteCapacityAutoScalingUpdate=AUTO_SCALING,
        ),
        shortest=1,
    ),
    ProvisionedWriteCapacityAutoScalingUpdate=AUTO_SCALING,
    ReplicaUpdates=List(
        Structure(
            "ReplicaAutoScalingUpdate",
            "RegionName",
            RegionName=fields.STRING,
            ReplicaProvisionedReadCapacityAutoScalingUpdate=AUTO_SCALING,
        ),
        shortest=1,
    ),
)
