"""A table as DescribeTable tells it, and the words for one that is not there."""

from __future__ import annotations

from typing import Any

from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.errors import ResourceNotFoundException

Record = dict[str, Any]

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


def describe(snapshot: Snapshot, table: Table, status: str | None = None) -> Record:
    record = table.record
    items, size = snapshot.statistics(table.id)
    description: Record = {member: record[member] for member in _REPEATED if member in record}
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


def _index(snapshot: Snapshot, table: Table, index: Record) -> Record:
    items, size = snapshot.statistics(index["id"])
    return {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "IndexSizeBytes": size,
        "ItemCount": items,
        "IndexArn": f"{table.arn}/index/{index['IndexName']}",
    }


def _global_index(snapshot: Snapshot, table: Table, index: Record) -> Record:
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


def _throughput(throughput: Record) -> Record:
    return {
        **{name: throughput[name] for name in ("LastIncreaseDateTime", "LastDecreaseDateTime") if name in throughput},
        "NumberOfDecreasesToday": throughput.get("NumberOfDecreasesToday", 0),
        "ReadCapacityUnits": throughput.get("ReadCapacityUnits", 0),
        "WriteCapacityUnits": throughput.get("WriteCapacityUnits", 0),
    }


def _warm_throughput(record: Record) -> Record:
    """What DynamoDB keeps ready: as told, as provisioned, or the on-demand default."""
    provisioned = record.get("ProvisionedThroughput", {})
    told = record.get("WarmThroughput", {})
    return {
        "ReadUnitsPerSecond": told.get("ReadUnitsPerSecond") or provisioned.get("ReadCapacityUnits") or 12_000,
        "WriteUnitsPerSecond": told.get("WriteUnitsPerSecond") or provisioned.get("WriteCapacityUnits") or 4_000,
        "Status": "ACTIVE",
    }
