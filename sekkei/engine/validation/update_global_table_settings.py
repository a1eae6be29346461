"""UpdateGlobalTableSettings."""

from __future__ import annotations

from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.global_tables import AUTO_SCALING, INDEX_SETTINGS, REPLICA_SETTINGS
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import Number, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "UpdateGlobalTableSettingsInput",
    "GlobalTableName",
    GlobalTableName=fields.PLAIN_TABLE_NAME,
    GlobalTableBillingMode=schema.BILLING_MODE,
    GlobalTableProvisionedWriteCapacityUnits=Number("Long", least=1),
    GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate=AUTO_SCALING,
    GlobalTableGlobalSecondaryIndexSettingsUpdate=INDEX_SETTINGS,
    ReplicaSettingsUpdate=REPLICA_SETTINGS,
)
