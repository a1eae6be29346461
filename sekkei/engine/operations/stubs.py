"""Operations on what one file does not have, as a table of names, shapes and answers.

The endpoint and the limits are those of a new account. DynamoDB makes no global tables of 2017 any more, so none is
ever found. Kinesis does not exist here, so enabling a destination fails as it does without permission.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from sekkei.engine.operation import Checked, Read, Reading, Render, Response, Write
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.table_record import described_table
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, TableOperation, about_table, only_a_table, plain
from sekkei.engine.validation.shapes import List, Number, Shape, String, Structure
from sekkei.errors import (
    DynamoDBError,
    GlobalTableNotFoundException,
    ResourceNotFoundException,
    ValidationException,
)

_LIMITS = {"Account": 80_000, "Table": 40_000}
_INVALID = "One or more parameter values were invalid"
_LEGACY = (
    f"{_INVALID}: DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global "
    "tables version 2019.11.21, instead of version 2017.11.29 (Legacy)."
)
_KINESIS = "KinesisDataStreamDestinations"
_NOT_VALID = "Table is not in a valid state to enable Kinesis Streaming Destination: "

_UNITS = Number("Long", least=1)
_TARGET_TRACKING = Structure(
    "AutoScalingTargetTrackingScalingPolicyConfigurationUpdate",
    "TargetValue",
    DisableScaleIn=fields.BOOLEAN,
    ScaleInCooldown=Number(),
    ScaleOutCooldown=Number(),
    TargetValue=Number("Double"),
)
_SCALING_POLICY = Structure(
    "AutoScalingPolicyUpdate",
    "TargetTrackingScalingPolicyConfiguration",
    PolicyName=String(shortest=1, longest=256),
    TargetTrackingScalingPolicyConfiguration=_TARGET_TRACKING,
)
_AUTO_SCALING = Structure(
    "AutoScalingSettingsUpdate",
    MinimumUnits=_UNITS,
    MaximumUnits=_UNITS,
    AutoScalingDisabled=fields.BOOLEAN,
    AutoScalingRoleArn=String(shortest=1, longest=1600),
    ScalingPolicyUpdate=_SCALING_POLICY,
)


def _of_global_table(name: str, required: str = "", **members: Shape) -> Structure:
    return Structure(name, f"GlobalTableName {required}", GlobalTableName=fields.PLAIN_TABLE_NAME, **members)


def _of_index(name: str, **members: Shape) -> Structure:
    return Structure(name, "IndexName", IndexName=fields.INDEX_NAME, **members)


def _of_region(name: str, **members: Shape) -> Structure:
    return Structure(name, "RegionName", RegionName=fields.STRING, **members)


def _of_kinesis(verb: str, configuration: str) -> TableOperation:
    member = f"{configuration}KinesisStreamingConfiguration"
    precision = String(one_of="MILLISECOND MICROSECOND")
    return TableOperation(
        f"{verb}KinesisStreamingDestinationInput",
        "StreamArn",
        TableName=CONTROL_TABLE_NAME,
        StreamArn=fields.ARN,
        **{member: Structure(member, ApproximateCreationDateTimePrecision=precision)},
    )


_UPDATE_SETTINGS = _of_global_table(
    "UpdateGlobalTableSettingsInput",
    GlobalTableBillingMode=schema.BILLING_MODE,
    GlobalTableProvisionedWriteCapacityUnits=_UNITS,
    GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate=_AUTO_SCALING,
    GlobalTableGlobalSecondaryIndexSettingsUpdate=List(
        _of_index(
            "GlobalTableGlobalSecondaryIndexSettingsUpdate",
            ProvisionedWriteCapacityUnits=_UNITS,
            ProvisionedWriteCapacityAutoScalingSettingsUpdate=_AUTO_SCALING,
        ),
        shortest=1,
        longest=20,
    ),
    ReplicaSettingsUpdate=List(
        _of_region(
            "ReplicaSettingsUpdate",
            ReplicaProvisionedReadCapacityUnits=_UNITS,
            ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate=_AUTO_SCALING,
            ReplicaGlobalSecondaryIndexSettingsUpdate=List(
                _of_index(
                    "ReplicaGlobalSecondaryIndexSettingsUpdate",
                    ProvisionedReadCapacityUnits=_UNITS,
                    ProvisionedReadCapacityAutoScalingSettingsUpdate=_AUTO_SCALING,
                ),
                shortest=1,
                longest=20,
            ),
            ReplicaTableClass=schema.TABLE_CLASS,
        ),
        shortest=1,
        longest=50,
    ),
)
_UPDATE_SCALING = TableOperation(
    "UpdateTableReplicaAutoScalingInput",
    TableName=CONTROL_TABLE_NAME,
    GlobalSecondaryIndexUpdates=List(
        Structure(
            "GlobalSecondaryIndexAutoScalingUpdate",
            IndexName=fields.INDEX_NAME,
            ProvisionedWriteCapacityAutoScalingUpdate=_AUTO_SCALING,
        ),
        shortest=1,
    ),
    ProvisionedWriteCapacityAutoScalingUpdate=_AUTO_SCALING,
    ReplicaUpdates=List(
        _of_region("ReplicaAutoScalingUpdate", ReplicaProvisionedReadCapacityAutoScalingUpdate=_AUTO_SCALING),
        shortest=1,
    ),
)


def _answer(make: Callable[[Snapshot, Checked], Response]) -> Reading:
    return lambda snapshot, checked, render: make(snapshot, checked)


def _refuse(error: Callable[[Snapshot, Checked], DynamoDBError]) -> Reading:
    def refuse(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
        raise error(snapshot, checked)

    return refuse


def _limits(snapshot: Snapshot, checked: Checked) -> Response:
    return {f"{of}Max{kind}CapacityUnits": most for of, most in _LIMITS.items() for kind in ("Read", "Write")}


def _endpoints(snapshot: Snapshot, checked: Checked) -> Response:
    return {"Endpoints": [{"Address": f"dynamodb.{snapshot.region}.amazonaws.com", "CachePeriodInMinutes": 1440}]}


def _absent(name: str) -> str:
    return f"Global table with name: '{name}' does not exist."


def _no_global_table(snapshot: Snapshot, checked: Checked) -> DynamoDBError:
    return GlobalTableNotFoundException(f"Global table not found: {_absent(checked.request['GlobalTableName'])}")


def _no_settings(snapshot: Snapshot, checked: Checked) -> DynamoDBError:
    return GlobalTableNotFoundException(_absent(checked.request["GlobalTableName"]))


def _no_replicas(snapshot: Snapshot, checked: Checked) -> DynamoDBError:
    return ResourceNotFoundException(_absent(checked.table))


def _not_created(snapshot: Snapshot, checked: Checked) -> DynamoDBError:
    has_replica = checked.request["ReplicationGroup"]
    return ValidationException(_LEGACY if has_replica else f"{_INVALID}: Global table must have atleast one replica")


def _not_updated(snapshot: Snapshot, checked: Checked) -> DynamoDBError:
    updates = checked.request["ReplicaUpdates"]
    if not updates or any("Create" in update for update in updates):
        return ValidationException(_LEGACY if updates else _INVALID)
    return _no_global_table(snapshot, checked)


def _destinations(snapshot: Snapshot, checked: Checked) -> Response:
    """The latest destination comes first."""
    table = described_table(snapshot, checked.table)
    return {"TableName": table.name, _KINESIS: table.record.get(_KINESIS, [])}


def _enable_destination(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table, request = described_table(transaction, checked.table), checked.request
    configuration = request.get("EnableKinesisStreamingConfiguration") or {}
    destination = {
        "StreamArn": request["StreamArn"],
        "DestinationStatus": "ENABLE_FAILED",
        "DestinationStatusDescription": "User does not have a permission to use kinesis stream",
        **configuration,
    }
    record = copy.deepcopy(table.record)
    others = [other for other in record.get(_KINESIS, []) if other["StreamArn"] != request["StreamArn"]]
    record[_KINESIS] = [destination, *others]
    transaction.save_table(table.id, record)
    answer: dict[str, Any] = {
        "TableName": table.name,
        "StreamArn": request["StreamArn"],
        "DestinationStatus": "ENABLING",
    }
    return {**answer, "EnableKinesisStreamingConfiguration": configuration} if configuration else answer


def _not_disabled(snapshot: Snapshot, checked: Checked) -> DynamoDBError:
    described_table(snapshot, checked.table)
    if checked.request.get("EnableKinesisStreamingConfiguration"):
        return ValidationException("Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters")
    return ValidationException(f"{_NOT_VALID}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.")


def _destination_not_updated(snapshot: Snapshot, checked: Checked) -> DynamoDBError:
    table = described_table(snapshot, checked.table)
    if not checked.request.get("UpdateKinesisStreamingConfiguration"):
        return ValidationException(
            "Streaming destination cannot be updated with given parameters: "
            "UpdateKinesisStreamingConfiguration cannot be null or contain only null values"
        )
    return ValidationException(
        f"{_NOT_VALID}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. "
        f"TableName: {table.name}, StreamArn: {checked.request['StreamArn']}"
    )


_LIST = Structure(
    "ListGlobalTablesInput",
    ExclusiveStartGlobalTableName=fields.PLAIN_TABLE_NAME,
    Limit=fields.LIMIT,
    RegionName=fields.STRING,
)
_CREATE = _of_global_table(
    "CreateGlobalTableInput",
    "ReplicationGroup",
    ReplicationGroup=List(Structure("Replica", RegionName=fields.STRING)),
)
_UPDATE = _of_global_table(
    "UpdateGlobalTableInput",
    "ReplicaUpdates",
    ReplicaUpdates=List(Structure("ReplicaUpdate", Create=schema.REGION, Delete=schema.REGION)),
)
_DESCRIBE_SETTINGS = _of_global_table("DescribeGlobalTableSettingsInput")
_DESCRIBE_SCALING = only_a_table("DescribeTableReplicaAutoScalingInput")
_DESCRIBE_DESTINATION = only_a_table("DescribeKinesisStreamingDestinationInput")
_DISABLE = _of_kinesis("Disable", "Enable")
_ENABLE = _of_kinesis("Enable", "Enable")
_UPDATE_DESTINATION = _of_kinesis("Update", "Update")

OPERATIONS = (
    Read("DescribeEndpoints", Structure("DescribeEndpointsInput"), plain, _answer(_endpoints)),
    Read("DescribeLimits", Structure("DescribeLimitsInput"), plain, _answer(_limits)),
    Read("ListGlobalTables", _LIST, plain, _answer(lambda snapshot, checked: {"GlobalTables": []})),
    Read("CreateGlobalTable", _CREATE, plain, _refuse(_not_created)),
    Read("DescribeGlobalTable", _of_global_table("DescribeGlobalTableInput"), plain, _refuse(_no_global_table)),
    Read("DescribeGlobalTableSettings", _DESCRIBE_SETTINGS, plain, _refuse(_no_settings)),
    Read("UpdateGlobalTable", _UPDATE, plain, _refuse(_not_updated)),
    Read("UpdateGlobalTableSettings", _UPDATE_SETTINGS, plain, _refuse(_no_settings)),
    Read("DescribeTableReplicaAutoScaling", _DESCRIBE_SCALING, about_table, _refuse(_no_replicas)),
    Read("UpdateTableReplicaAutoScaling", _UPDATE_SCALING, about_table, _refuse(_no_replicas)),
    Read("DescribeKinesisStreamingDestination", _DESCRIBE_DESTINATION, about_table, _answer(_destinations)),
    Write("EnableKinesisStreamingDestination", _ENABLE, about_table, _enable_destination),
    Read("DisableKinesisStreamingDestination", _DISABLE, about_table, _refuse(_not_disabled)),
    Read("UpdateKinesisStreamingDestination", _UPDATE_DESTINATION, about_table, _refuse(_destination_not_updated)),
)
