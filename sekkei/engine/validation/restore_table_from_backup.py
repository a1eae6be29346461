"""RestoreTableFromBackup."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.shapes import Shape, Structure

OVERRIDES: dict[str, Shape] = {
    "BillingModeOverride": schema.BILLING_MODE,
    "GlobalSecondaryIndexOverride": schema.GLOBAL_INDEXES,
    "LocalSecondaryIndexOverride": schema.LOCAL_INDEXES,
    "ProvisionedThroughputOverride": schema.PROVISIONED_THROUGHPUT,
    "OnDemandThroughputOverride": schema.ON_DEMAND_THROUGHPUT,
    "SSESpecificationOverride": schema.SSE_SPECIFICATION,
}
SHAPE = Structure(
    "RestoreTableFromBackupInput",
    "TargetTableName BackupArn",
    TargetTableName=fields.PLAIN_TABLE_NAME,
    BackupArn=fields.ARN,
    **OVERRIDES,
)


def rules(request: dict[str, Any]) -> Checked:
    return Checked(request, request["TargetTableName"])
