"""Global tables of 2017: DynamoDB makes none any more, so none is ever found. Replicas are not for one file."""

from __future__ import annotations

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, TableOperation, about_table, only_a_table, plain
from sekkei.engine.validation.shapes import List, Number, String, Structure
from sekkei.errors import GlobalTableNotFoundException, ResourceNotFoundException, ValidationException

INVALID = "One or more parameter values were invalid"

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

CREATE = Structure(
    "CreateGlobalTableInput",
    "GlobalTableName ReplicationGroup",
    GlobalTableName=fields.PLAIN_TABLE_NAME,
    ReplicationGroup=List(Structure("Replica", RegionName=fields.STRING)),
)
DESCRIBE = Structure("DescribeGlobalTableInput", "GlobalTableName", GlobalTableName=fields.PLAIN_TABLE_NAME)
DESCRIBE_SETTINGS = Structure(
    "DescribeGlobalTableSettingsInput", "GlobalTableName", GlobalTableName=fields.PLAIN_TABLE_NAME
)
LIST = Structure(
    "ListGlobalTablesInput",
    ExclusiveStartGlobalTableName=fields.PLAIN_TABLE_NAME,
    Limit=fields.LIMIT,
    RegionName=fields.STRING,
)
UPDATE = Structure(
    "UpdateGlobalTableInput",
    "GlobalTableName ReplicaUpdates",
    GlobalTableName=fields.PLAIN_TABLE_NAME,
    ReplicaUpdates=List(Structure("ReplicaUpdate", Create=REGION, Delete=REGION)),
)
UPDATE_SETTINGS = Structure(
    "UpdateGlobalTableSettingsInput",
    "GlobalTableName",
    GlobalTableName=fields.PLAIN_TABLE_NAME,
    GlobalTableBillingMode=schema.BILLING_MODE,
    GlobalTableProvisionedWriteCapacityUnits=Number("Long", least=1),
    GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate=AUTO_SCALING,
    GlobalTableGlobalSecondaryIndexSettingsUpdate=INDEX_SETTINGS,
    ReplicaSettingsUpdate=REPLICA_SETTINGS,
)
DESCRIBE_SCALING = only_a_table("DescribeTableReplicaAutoScalingInput")
UPDATE_SCALING = TableOperation(
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


def create_global_table(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    if not checked.request["ReplicationGroup"]:
        raise ValidationException(f"{INVALID}: Global table must have atleast one replica")
    raise version_not_supported()


def describe_global_table(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    raise no_global_table(checked.request["GlobalTableName"])


def describe_global_table_settings(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    raise no_settings(checked.request["GlobalTableName"])


def list_global_tables(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    return {"GlobalTables": []}


def update_global_table(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    updates = checked.request["ReplicaUpdates"]
    if not updates:
        raise ValidationException(INVALID)
    if any("Create" in update for update in updates):
        raise version_not_supported()
    raise no_global_table(checked.request["GlobalTableName"])


def update_global_table_settings(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    raise no_settings(checked.request["GlobalTableName"])


def describe_table_replica_auto_scaling(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    raise no_replicas(checked.table)


def update_table_replica_auto_scaling(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    raise no_replicas(checked.table)


def version_not_supported() -> ValidationException:
    return ValidationException(
        f"{INVALID}: DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global "
        "tables version 2019.11.21, instead of version 2017.11.29 (Legacy)."
    )


def no_global_table(name: str) -> GlobalTableNotFoundException:
    return GlobalTableNotFoundException(f"Global table not found: {_absence(name)}")


def no_settings(name: str) -> GlobalTableNotFoundException:
    return GlobalTableNotFoundException(_absence(name))


def no_replicas(name: str) -> ResourceNotFoundException:
    return ResourceNotFoundException(_absence(name))


def _absence(name: str) -> str:
    return f"Global table with name: '{name}' does not exist."


OPERATIONS = (
    Read("CreateGlobalTable", CREATE, plain, create_global_table),
    Read("DescribeGlobalTable", DESCRIBE, plain, describe_global_table),
    Read("DescribeGlobalTableSettings", DESCRIBE_SETTINGS, plain, describe_global_table_settings),
    Read("ListGlobalTables", LIST, plain, list_global_tables),
    Read("UpdateGlobalTable", UPDATE, plain, update_global_table),
    Read("UpdateGlobalTableSettings", UPDATE_SETTINGS, plain, update_global_table_settings),
    Read("DescribeTableReplicaAutoScaling", DESCRIBE_SCALING, about_table, describe_table_replica_auto_scaling),
    Read("UpdateTableReplicaAutoScaling", UPDATE_SCALING, about_table, update_table_replica_auto_scaling),
)
