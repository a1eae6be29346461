"""CreateTable."""

from __future__ import annotations

from typing import Any

from sekkei.engine.history import streams
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.storage.table_record import build, described_as_creating, new_record
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, TableOperation, named
from sekkei.engine.validation.schema import refusal
from sekkei.errors import ResourceInUseException, ValidationException

_Record = dict[str, Any]

_SHAPE = TableOperation(
    "CreateTableInput",
    "AttributeDefinitions KeySchema",
    AttributeDefinitions=schema.ATTRIBUTE_DEFINITIONS,
    TableName=CONTROL_TABLE_NAME,
    BillingMode=schema.BILLING_MODE,
    ProvisionedThroughput=schema.PROVISIONED_THROUGHPUT,
    KeySchema=schema.TABLE_KEY_SCHEMA,
    GlobalSecondaryIndexes=schema.GLOBAL_INDEXES,
    LocalSecondaryIndexes=schema.LOCAL_INDEXES,
    StreamSpecification=schema.STREAM_SPECIFICATION,
    SSESpecification=schema.SSE_SPECIFICATION,
    Tags=schema.TAGS,
    TableClass=schema.TABLE_CLASS,
    DeletionProtectionEnabled=fields.BOOLEAN,
    OnDemandThroughput=schema.ON_DEMAND_THROUGHPUT,
    WarmThroughput=schema.WARM_THROUGHPUT,
    ResourcePolicy=fields.STRING,
)


def rules(request: dict[str, Any]) -> Checked:
    check_billing(request)
    _check_keys(request)
    _check_local_indexes(request)
    _check_global_indexes(request)
    _check_index_names(request)
    _check_definitions_used(request)
    schema.check_non_key_attributes(_indexes(request))
    _check_on_demand(request)
    _check_stream(request)
    schema.check_encryption(request.get("SSESpecification", {}))
    schema.check_tags(request.get("Tags", []))
    return Checked(request, named(request["TableName"]))


def check_billing(request: dict[str, Any]) -> None:
    throughput = request.get("ProvisionedThroughput")
    if request.get("BillingMode") == "PAY_PER_REQUEST":
        if throughput is not None:
            raise refusal(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
            )
    elif throughput is None:
        raise refusal("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
    else:
        schema.check_units(throughput)


def _check_keys(request: dict[str, Any]) -> None:
    keys, defined = schema.names_of(request["KeySchema"]), schema.names_of(request["AttributeDefinitions"])
    _check_defined_once(defined)
    if len(keys) > len(defined):
        raise ValidationException("Invalid KeySchema: Some index key attribute have no definition")
    schema.check_defined(keys, defined)
    schema.check_key_order(request["KeySchema"])
    if not _has_indexes(request) and len(keys) != len(defined):
        raise refusal(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in "
            "AttributeDefinitions"
        )


def _check_defined_once(defined: list[str]) -> None:
    for place, name in enumerate(defined):
        if name in defined[:place]:
            raise ValidationException(f"Attribute Name is duplicated: {name}")


def _has_indexes(request: dict[str, Any]) -> bool:
    return "LocalSecondaryIndexes" in request or "GlobalSecondaryIndexes" in request


def _indexes(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [*request.get("LocalSecondaryIndexes", ()), *request.get("GlobalSecondaryIndexes", ())]


def _check_local_indexes(request: dict[str, Any]) -> None:
    indexes = request.get("LocalSecondaryIndexes")
    if indexes is None:
        return
    if not indexes:
        raise refusal("List of LocalSecondaryIndexes is empty")
    if len(request["KeySchema"]) != 2:
        raise refusal(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
        )
    for index in indexes:
        _check_local_index(index, request)
    _check_distinct_names(indexes)
    if len(indexes) > schema.LOCAL_INDEXES_MAX:
        raise refusal(f"Number of LocalSecondaryIndexes exceeds per-table limit of {schema.LOCAL_INDEXES_MAX}")


def _check_local_index(index: dict[str, Any], request: dict[str, Any]) -> None:
    name, keys = index["IndexName"], schema.names_of(index["KeySchema"])
    schema.check_defined(keys, schema.names_of(request["AttributeDefinitions"]))
    schema.check_key_order(index["KeySchema"])
    if len(keys) != 2:
        raise refusal(f"Index KeySchema does not have a range key for index: {name}")
    table_hash = request["KeySchema"][0]["AttributeName"]
    if keys[0] != table_hash:
        raise refusal(
            "Index KeySchema does not have the same leading hash key as table KeySchema "
            f"for index: {name}. index hash key: {keys[0]}, table hash key: {table_hash}"
        )
    schema.check_projection(index["Projection"])


def _check_global_indexes(request: dict[str, Any]) -> None:
    indexes = request.get("GlobalSecondaryIndexes")
    if indexes is None:
        return
    if not indexes:
        raise refusal("List of GlobalSecondaryIndexes is empty")
    defined = schema.names_of(request["AttributeDefinitions"])
    on_demand = request.get("BillingMode") == "PAY_PER_REQUEST"
    for index in indexes:
        schema.check_defined(schema.names_of(index["KeySchema"]), defined)
        schema.check_global_key_order(index["KeySchema"])
        schema.check_projection(index["Projection"])
        _check_index_billing(index, on_demand)
    _check_distinct_names(indexes)
    if len(indexes) > schema.GLOBAL_INDEXES_MAX:
        raise refusal(f"GlobalSecondaryIndex count exceeds the per-table limit of {schema.GLOBAL_INDEXES_MAX}")


def _check_index_billing(index: dict[str, Any], on_demand: bool) -> None:
    name, throughput = index["IndexName"], index.get("ProvisionedThroughput")
    if on_demand and throughput is not None:
        raise refusal(
            f"ProvisionedThroughput should not be specified for index: {name} when BillingMode is PAY_PER_REQUEST"
        )
    if not on_demand and throughput is None:
        raise refusal(f"ProvisionedThroughput is not specified for index: {name}")
    if throughput is not None:
        schema.check_units(throughput, name)


def _check_distinct_names(indexes: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for index in indexes:
        if index["IndexName"] in seen:
            raise refusal(f"Duplicate index name: {index['IndexName']}")
        seen.add(index["IndexName"])


def _check_index_names(request: dict[str, Any]) -> None:
    """A local and a global index share one space of names."""
    _check_distinct_names(_indexes(request))


def _check_definitions_used(request: dict[str, Any]) -> None:
    defined = schema.names_of(request["AttributeDefinitions"])
    schemas = [request["KeySchema"], *(index["KeySchema"] for index in _indexes(request))]
    used = dict.fromkeys(name for key_schema in schemas for name in schema.names_of(key_schema))
    if len(used) < len(defined):
        raise refusal(
            f"Some AttributeDefinitions are not used. AttributeDefinitions: [{', '.join(defined)}], "
            f"keys used: [{', '.join(used)}]"
        )


def _check_on_demand(request: dict[str, Any]) -> None:
    throughput = request.get("OnDemandThroughput")
    if not throughput:
        return
    if request.get("BillingMode") != "PAY_PER_REQUEST":
        member = next(name for name in ("MaxReadRequestUnits", "MaxWriteRequestUnits") if name in throughput)
        raise refusal(f"{member} for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.")
    schema.check_on_demand_units(throughput, least=1)


def _check_stream(request: dict[str, Any]) -> None:
    stream = request.get("StreamSpecification")
    if stream is None:
        return
    if not stream["StreamEnabled"] and "StreamViewType" in stream:
        raise refusal("Table is being created with a stream disabled, UpdateViewType should not be specified")
    if stream["StreamEnabled"] and "StreamViewType" not in stream:
        raise refusal("Table is being created with a stream enabled, UpdateViewType is required")


def create_table(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    name = checked.table
    if transaction.find_table(name) is not None:
        raise ResourceInUseException(f"Table already exists: {name}")
    table_id = transaction.take_id()
    record = new_record(transaction, {**request, "TableName": name})
    if record.get("StreamSpecification", {}).get("StreamEnabled"):
        streams.open_stream(transaction, table_id, record)
    build(transaction, table_id, record)
    return {"TableDescription": described_as_creating(transaction, name)}


_UNANSWERED = "VectorIndexes GlobalTableSourceArn GlobalTableSettingsReplicationMode"

OPERATIONS = (Write("CreateTable", _SHAPE, rules, create_table, unanswered=_UNANSWERED),)
