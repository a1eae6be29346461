"""UpdateTable."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.create_table import check_billing
from sekkei.engine.validation.global_tables import REGION
from sekkei.engine.validation.schema import refusal
from sekkei.engine.validation.shapes import List, String, Structure
from sekkei.engine.validation.table_name import CONTROL_TABLE_NAME, TableOperation, named
from sekkei.errors import LimitExceededException, ValidationException

SHAPE = TableOperation(
    "UpdateTableInput",
    TableName=CONTROL_TABLE_NAME,
    AttributeDefinitions=schema.ATTRIBUTE_DEFINITIONS,
    ProvisionedThroughput=schema.PROVISIONED_THROUGHPUT,
    BillingMode=schema.BILLING_MODE,
    GlobalSecondaryIndexUpdates=List(
        Structure(
            "GlobalSecondaryIndexUpdate",
            Update=Structure(
                "UpdateGlobalSecondaryIndexAction",
                "IndexName",
                IndexName=fields.INDEX_NAME,
                ProvisionedThroughput=schema.PROVISIONED_THROUGHPUT,
                OnDemandThroughput=schema.ON_DEMAND_THROUGHPUT,
                WarmThroughput=schema.WARM_THROUGHPUT,
            ),
            Create=schema.global_index("CreateGlobalSecondaryIndexAction"),
            Delete=Structure("DeleteGlobalSecondaryIndexAction", "IndexName", IndexName=fields.INDEX_NAME),
        )
    ),
    StreamSpecification=schema.STREAM_SPECIFICATION,
    SSESpecification=schema.SSE_SPECIFICATION,
    ReplicaUpdates=List(Structure("ReplicationGroupUpdate", Create=REGION, Update=REGION, Delete=REGION), shortest=1),
    TableClass=schema.TABLE_CLASS,
    DeletionProtectionEnabled=fields.BOOLEAN,
    MultiRegionConsistency=String(one_of="EVENTUAL STRONG"),
    OnDemandThroughput=schema.ON_DEMAND_THROUGHPUT,
    WarmThroughput=schema.WARM_THROUGHPUT,
)
CHANGES = (
    "ProvisionedThroughput",
    "BillingMode",
    "StreamSpecification",
    "GlobalSecondaryIndexUpdates",
    "SSESpecification",
    "ReplicaUpdates",
    "TableClass",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
)


ALONE = {
    "SSESpecification": "Server-Side Encryption modification",
    "TableClass": "TableClass modification",
    "DeletionProtectionEnabled": "DeletionProtection modification",
    "ReplicaUpdates": "Replica modification",
}
"""Changes that a request makes alone, and what DynamoDB calls them."""


def rules(request: dict[str, Any]) -> Checked:
    _check_changes(request)
    _check_combinations(request)
    _check_billing(request)
    _check_stream(request)
    _check_index_updates(request)
    schema.check_on_demand_units(request.get("OnDemandThroughput", {}), least=-1)
    schema.check_encryption(request.get("SSESpecification", {}))
    return Checked(request, named(request["TableName"]))


def _changes(request: dict[str, Any]) -> list[str]:
    return [member for member in CHANGES if request.get(member) not in (None, [], {})]


def _check_changes(request: dict[str, Any]) -> None:
    if request.get("GlobalSecondaryIndexUpdates") == []:
        raise refusal("List of GlobalSecondaryIndexUpdates is empty")
    if not _changes(request):
        raise ValidationException(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
            "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
            "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass "
            "is required"
        )


def _check_combinations(request: dict[str, Any]) -> None:
    changes = _changes(request)
    for member, name in ALONE.items():
        if member in changes and len(changes) > 1:
            raise refusal(f"{name} must be the only operation in the request")
    indexes = request.get("GlobalSecondaryIndexUpdates", ())
    moves_index = any("Create" in update or "Delete" in update for update in indexes)
    if "ProvisionedThroughput" in changes and "StreamSpecification" in changes:
        raise refusal("You cannot modify stream status while updating table IOPS")
    if "ProvisionedThroughput" in changes and moves_index and "BillingMode" not in changes:
        raise refusal("You cannot create or delete index while updating table IOPS")
    if "StreamSpecification" in changes and moves_index:
        raise refusal("You cannot create or delete index while changing stream status")


def _check_stream(request: dict[str, Any]) -> None:
    stream = request.get("StreamSpecification")
    if stream is None:
        return
    if stream["StreamEnabled"] and "StreamViewType" not in stream:
        raise refusal("If stream is being enabled then UpdateViewType is required")
    if not stream["StreamEnabled"] and "StreamViewType" in stream:
        raise refusal("If stream is being disabled, then UpdateViewType must not be specified")


def _check_billing(request: dict[str, Any]) -> None:
    mode, throughput = request.get("BillingMode"), request.get("ProvisionedThroughput")
    if mode == "PROVISIONED" and throughput is None:
        raise refusal("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    if throughput is not None:
        check_billing(request)


def _check_index_updates(request: dict[str, Any]) -> None:
    seen: set[str] = set()
    for update in request.get("GlobalSecondaryIndexUpdates", ()):
        if not update:
            raise refusal(
                "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            )
        if len(update) > 1:
            raise refusal("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
        for action in update.values():
            if action["IndexName"] in seen:
                raise refusal(
                    "Only one global secondary index update per index is allowed simultaneously. "
                    f"Index: {action['IndexName']}"
                )
            seen.add(action["IndexName"])
        if "Create" in update:
            _check_new_index(update["Create"], request)
    _check_one_at_a_time(request)


def _check_one_at_a_time(request: dict[str, Any]) -> None:
    updates = request.get("GlobalSecondaryIndexUpdates", ())
    if sum("Create" in update or "Delete" in update for update in updates) > 1:
        raise LimitExceededException(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )


def _check_new_index(index: dict[str, Any], request: dict[str, Any]) -> None:
    """The keys of a new index are defined in this request, even where the table knows them already."""
    if "AttributeDefinitions" not in request:
        raise refusal(f"AttributeDefinitions is not specified for index: {index['IndexName']}")
    defined = schema.names_of(request["AttributeDefinitions"])
    schema.check_defined(schema.names_of(index["KeySchema"]), defined)
    schema.check_global_key_order(index["KeySchema"])
    schema.check_projection(index["Projection"])
