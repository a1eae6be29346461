"""A table of the design as DynamoDB's CreateTable wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .table import Capacity, Index, Table


def create_request(table: Table, name: str) -> dict[str, Any]:
    """The request that makes the table; TTL and PITR are separate operations."""
    types = table.attribute_types()
    request: dict[str, Any] = {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": one, "AttributeType": kind} for one, kind in types.items()],
        "KeySchema": key_schema((table.pk,), () if table.sk is None else (table.sk,)),
        **billing(table.capacity),
    }
    for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
        indexes = [index_request(index, table) for index in table.indexes.values() if index.local is local]
        if indexes:
            request[member] = indexes
    if table.stream is not None:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": table.stream}
    if table.deletion_protection:
        request["DeletionProtectionEnabled"] = True
    if table.warm is not None:
        request["WarmThroughput"] = warmth(table.warm)
    if table.tags:
        request["Tags"] = tag_list(table.tags)
    return request


def key_schema(hashes: tuple[str, ...], ranges: tuple[str, ...]) -> list[dict[str, str]]:
    parts = [{"AttributeName": name, "KeyType": "HASH"} for name in hashes]
    return parts + [{"AttributeName": name, "KeyType": "RANGE"} for name in ranges]


def billing(capacity: Capacity | None) -> dict[str, Any]:
    if capacity is None:
        return {"BillingMode": "PAY_PER_REQUEST"}
    return {"BillingMode": "PROVISIONED", "ProvisionedThroughput": throughput(capacity)}


def throughput(capacity: Capacity) -> dict[str, int]:
    return {"ReadCapacityUnits": capacity.read, "WriteCapacityUnits": capacity.write}


def warmth(capacity: Capacity) -> dict[str, int]:
    return {"ReadUnitsPerSecond": capacity.read, "WriteUnitsPerSecond": capacity.write}


def tag_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def projection(index: Index) -> dict[str, Any]:
    if not isinstance(index.projection, str):
        return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.projection)}
    return {"ProjectionType": index.projection}


def index_request(index: Index, table: Table) -> dict[str, Any]:
    request: dict[str, Any] = {
        "IndexName": index.name,
        "KeySchema": key_schema(index.pk, index.sk),
        "Projection": projection(index),
    }
    capacity = index.capacity or table.capacity
    if capacity is not None and not index.local:
        request["ProvisionedThroughput"] = throughput(capacity)
    if index.warm is not None and not index.local:
        request["WarmThroughput"] = warmth(index.warm)
    return request
