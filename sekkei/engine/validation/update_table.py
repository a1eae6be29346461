"""UpdateTable."""

from __future__ import annotations

from typing import Any

from sekkei.engine.errors import ValidationException
from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.create_table import check_billing
from sekkei.engine.validation.global_tables import REGION
from sekkei.engine.validation.schema import refusal
from sekkei.engine.validation.shapes import List, String, Structure
from sekkei.engine.validation.table_name import CONTROL_TABLE_NAME, TableOperation, named

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


def rules(request: dict[str, Any]) -> Checked:
    _check_changes(request)
    _check_billing(request)
    _check_index_updates(request)
    schema.check_on_demand_units(request.get("OnDemandThroughput", {}), least=-1)
    schema.check_encryption(request.get("SSESpecification", {}))
    return Checked(request, named(request["TableName"]))


def _check_changes(request: dict[str, Any]) -> None:
    if not any(request.get(member) not in (None, [], {}) for member in CHANGES):
        raise ValidationException(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates "
            "or SSESpecification or ReplicaUpdates is required"
        )


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
        for action in update.values():
            if action["IndexName"] in seen:
                raise refusal(
                    "Only one global secondary index update per index is allowed simultaneously. "
                    f"Index: {action['IndexName']}"
                )
            seen.add(action["IndexName"])
        if "Create" in update:
            _check_new_index(update["Create"], request)


def _check_new_index(index: dict[str, Any], request: dict[str, Any]) -> None:
    """The keys of a new index are defined in this request, even where the table knows them already."""
    defined = schema.names_of(request.get("AttributeDefinitions", ()))
    schema.check_defined(schema.names_of(index["KeySchema"]), defined)
    schema.check_global_key_order(index["KeySchema"])
    schema.check_projection(index["Projection"])
