"""Shapes of the operations on global tables and their scaling."""

from __future__ import annotations

from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.shapes import List, Number, String, Structure

_UNITS = Number("Long", least=1)
REGION = Structure("ReplicaAction", "RegionName", RegionName=fields.STRING)
AUTO_SCALING = Structure(
    "AutoScalingSettingsUpdate",
    MinimumUnits=_UNITS,
    MaximumUnits=_UNITS,
    AutoScalingDisabled=fields.BOOLEAN,
    AutoScalingRoleArn=String(shortest=1, longest=1600),
    ScalingPolicyUpdate=Structure(
        "AutoScalingPolicyUpdate",
        "TargetTrackingScalingPolicyConfiguration",
        PolicyName=String(shortest=1, longest=256),
        TargetTrackingScalingPolicyConfiguration=Structure(
            "AutoScalingTargetTrackingScalingPolicyConfigurationUpdate",
            "TargetValue",
            DisableScaleIn=fields.BOOLEAN,
            ScaleInCooldown=Number(),
            ScaleOutCooldown=Number(),
            TargetValue=Number("Double"),
        ),
    ),
)
REPLICA_SETTINGS = List(
    Structure(
        "ReplicaSettingsUpdate",
        "RegionName",
        RegionName=fields.STRING,
        ReplicaProvisionedReadCapacityUnits=_UNITS,
        ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate=AUTO_SCALING,
        ReplicaGlobalSecondaryIndexSettingsUpdate=List(
            Structure(
                "ReplicaGlobalSecondaryIndexSettingsUpdate",
                "IndexName",
                IndexName=fields.INDEX_NAME,
                ProvisionedReadCapacityUnits=_UNITS,
                ProvisionedReadCapacityAutoScalingSettingsUpdate=AUTO_SCALING,
            ),
            shortest=1,
            longest=20,
        ),
        ReplicaTableClass=schema.TABLE_CLASS,
    ),
    shortest=1,
    longest=50,
)
INDEX_SETTINGS = List(
    Structure(
        "GlobalTableGlobalSecondaryIndexSettingsUpdate",
        "IndexName",
        IndexName=fields.INDEX_NAME,
        ProvisionedWriteCapacityUnits=_UNITS,
        ProvisionedWriteCapacityAutoScalingSettingsUpdate=AUTO_SCALING,
    ),
    shortest=1,
    longest=20,
)
