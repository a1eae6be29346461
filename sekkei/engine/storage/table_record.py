"""A table's record: made, laid out in the file, and described as DescribeTable describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.engine.storage.catalogue import Table, table_arn
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.errors import ResourceNotFoundException

_Record = dict[str, Any]

# Members of the record that DescribeTable repeats as they are.
_REPEATED = (
    "AttributeDefinitions",
    "TableName",
    "KeySchema",
    "CreationDateTime",
    "TableArn",
    "TableId",
    "LatestStreamLabel",
    "LatestStreamArn",
    "StreamSpecification",
    "SSEDescription",
    "TableClassSummary",
    "OnDemandThroughput",
    "RestoreSummary",
    "BillingModeSummary",
)


def described_table(snapshot: Snapshot, name: str) -> Table:
    # Another process may have changed the table.
    snapshot.catalogue.refresh(snapshot.connection)
    table = snapshot.find_table(name)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {name} not found")
    return table


def describe(snapshot: Snapshot, table: Table, status: str | None = None) -> _Record:
    record = table.record
    items, size = snapshot.statistics(table.id)
    description: _Record = {member: record[member] for member in _REPEATED if member in record}
    description["TableStatus"] = status or record.get("TableStatus", "ACTIVE")
    description["TableSizeBytes"] = size
    description["ItemCount"] = items
    description["ProvisionedThroughput"] = _throughput(record["ProvisionedThroughput"])
    description["WarmThroughput"] = _warm_throughput(record)
    description["DeletionProtectionEnabled"] = record.get("DeletionProtectionEnabled", False)
    if "LocalSecondaryIndexes" in record:
        description["LocalSecondaryIndexes"] = [
            _index(snapshot, table, index) for index in record["LocalSecondaryIndexes"]
        ]
    if record.get("GlobalSecondaryIndexes"):
        description["GlobalSecondaryIndexes"] = [
            _global_index(snapshot, table, index) for index in record["GlobalSecondaryIndexes"]
        ]
    return description


def _index(snapshot: Snapshot, table: Table, index: _Record) -> _Record:
    items, size = snapshot.statistics(index["id"])
    return {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "IndexSizeBytes": size,
        "ItemCount": items,
        "IndexArn": f"{table.arn}/index/{index['IndexName']}",
    }


def _global_index(snapshot: Snapshot, table: Table, index: _Record) -> _Record:
    backfilling = index.get("Backfilling", False)
    description = _index(snapshot, table, index)
    description["IndexStatus"] = "CREATING" if backfilling or not table.is_active else "ACTIVE"
    description["ProvisionedThroughput"] = _throughput(index.get("ProvisionedThroughput", {}))
    description["WarmThroughput"] = _warm_throughput({**table.record, **index})
    if "OnDemandThroughput" in index:
        description["OnDemandThroughput"] = index["OnDemandThroughput"]
    if backfilling:
        description["Backfilling"] = True
    return description


def _throughput(throughput: _Record) -> _Record:
    return {
        **{name: throughput[name] for name in ("LastIncreaseDateTime", "LastDecreaseDateTime") if name in throughput},
        "NumberOfDecreasesToday": throughput.get("NumberOfDecreasesToday", 0),
        "ReadCapacityUnits": throughput.get("ReadCapacityUnits", 0),
        "WriteCapacityUnits": throughput.get("WriteCapacityUnits", 0),
    }


def _warm_throughput(record: _Record) -> _Record:
    """What DynamoDB keeps ready: as told, as provisioned, or the on-demand default."""
    provisioned = record.get("ProvisionedThroughput", {})
    told = record.get("WarmThroughput", {})
    return {
        "ReadUnitsPerSecond": told.get("ReadUnitsPerSecond") or provisioned.get("ReadCapacityUnits") or 12_000,
        "WriteUnitsPerSecond": told.get("WriteUnitsPerSecond") or provisioned.get("WriteCapacityUnits") or 4_000,
        "Status": "ACTIVE",
    }


POLICIES = "ResourcePolicies"
"""The record's member that holds the policies of the table and of its stream, by ARN."""


def build(transaction: Transaction, table_id: int, record: _Record) -> None:
    """Lay a table out: its items, its indexes, its record."""
    transaction.create_items(table_id)
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for index in record.get(member, ()):
            index["id"] = transaction.take_id()
            transaction.create_index(index["id"])
    transaction.save_table(table_id, record, new=True)


def described_as_creating(transaction: Transaction, name: str) -> _Record:
    """The table is ready at once; the answer still says what DynamoDB's says."""
    description = describe(transaction, transaction.catalogue.tables[name], "CREATING")
    for index in description.get("GlobalSecondaryIndexes", ()):
        index["IndexStatus"] = "CREATING"
    return description


def new_record(transaction: Transaction, request: Mapping[str, Any]) -> _Record:
    on_demand = request.get("BillingMode") == "PAY_PER_REQUEST"
    record: _Record = {
        "TableName": request["TableName"],
        "TableArn": table_arn(request["TableName"], transaction.region),
        "TableId": transaction.uuid(),
        "CreationDateTime": round(transaction.now, 3),
        "AttributeDefinitions": request["AttributeDefinitions"],
        "KeySchema": request["KeySchema"],
        "ProvisionedThroughput": {} if on_demand else throughput(request.get("ProvisionedThroughput") or {}),
        "DeletionProtectionEnabled": request.get("DeletionProtectionEnabled") or False,
    }
    if request.get("LocalSecondaryIndexes"):
        record["LocalSecondaryIndexes"] = [_local_index(index) for index in request["LocalSecondaryIndexes"]]
    if request.get("GlobalSecondaryIndexes"):
        record["GlobalSecondaryIndexes"] = [global_index(index) for index in request["GlobalSecondaryIndexes"]]
    if on_demand:
        record["BillingModeSummary"] = billing_mode_summary(transaction)
    for member in ("OnDemandThroughput", "WarmThroughput"):
        if request.get(member):
            record[member] = request[member]
    if request.get("TableClass"):
        record["TableClassSummary"] = {"TableClass": request["TableClass"]}
    if request.get("Tags"):
        record["Tags"] = {tag["Key"]: tag["Value"] for tag in request["Tags"]}
    if request.get("ResourcePolicy"):
        attach_policy(record, record["TableArn"], request["ResourcePolicy"], transaction.now)
    stream = request.get("StreamSpecification")
    if stream and stream["StreamEnabled"]:
        record["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": stream["StreamViewType"]}
    encryption = encryption_description(request.get("SSESpecification"))
    if encryption is not None:
        record["SSEDescription"] = encryption
    return record


def throughput(requested: Mapping[str, Any]) -> _Record:
    return {name: requested[name] for name in ("ReadCapacityUnits", "WriteCapacityUnits") if name in requested}


def billing_mode_summary(transaction: Transaction) -> _Record:
    return {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": round(transaction.now, 3)}


def global_index(requested: Mapping[str, Any]) -> _Record:
    index = _local_index(requested)
    index["ProvisionedThroughput"] = throughput(requested.get("ProvisionedThroughput") or {})
    for member in ("OnDemandThroughput", "WarmThroughput"):
        if requested.get(member):
            index[member] = requested[member]
    return index


def _local_index(requested: Mapping[str, Any]) -> _Record:
    return {member: requested[member] for member in ("IndexName", "KeySchema", "Projection")}


def encryption_description(requested: Mapping[str, Any] | None) -> _Record | None:
    """Server-side encryption is recorded and described; the file itself is as safe as its disk."""
    if not requested or not requested.get("Enabled"):
        return None
    key = requested.get("KMSMasterKeyId") or "alias/aws/dynamodb"
    return {"Status": "ENABLED", "SSEType": requested.get("SSEType") or "KMS", "KMSMasterKeyArn": key}


def attach_policy(record: dict[str, Any], arn: str, policy: str, now: float) -> None:
    """Write a policy into a table's record."""
    policies = record.setdefault(POLICIES, {})
    earlier = int(policies.get(arn, {}).get("RevisionId", "0"))
    policies[arn] = {"Policy": policy, "RevisionId": str(max(int(now * 1000), earlier + 1))}
