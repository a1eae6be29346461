"""A design as a model of NoSQL Workbench: tables, a facet for each entity, indexes, and the examples as rows."""

from __future__ import annotations

from typing import Any

from sekkei.design import Design, Entity, Index, Table

VERSION = "3.13.0"
DATE = "Jan 01, 2026, 00:00 AM"
"""The same for every run, so that the same design makes the same file."""


def model(design: Design, env: str) -> dict[str, Any]:
    design.check()
    return {
        "ModelName": design.name,
        "ModelMetadata": {
            "Author": "Sekkei",
            "DateCreated": DATE,
            "DateLastModified": DATE,
            "Description": design.en or design.ja,
            "AWSService": "Amazon DynamoDB",
            "Version": VERSION,
        },
        "DataModel": [_table(design, table, env) for table in design.tables.values()],
    }


def _table(design: Design, table: Table, env: str) -> dict[str, Any]:
    types = table.attribute_types()
    keys: dict[str, Any] = {"PartitionKey": _key(table.pk, types)}
    if table.sk is not None:
        keys["SortKey"] = _key(table.sk, types)
    found: dict[str, Any] = {
        "TableName": design.table_name(table, env),
        "KeyAttributes": keys,
        "NonKeyAttributes": _others(table),
        "TableFacets": [_facet(table, entity) for entity in table.entities],
        "GlobalSecondaryIndexes": [_index(i, types) for i in table.indexes.values() if not i.local],
        "LocalSecondaryIndexes": [_index(i, types) for i in table.indexes.values() if i.local],
        "TableData": [entity.encode(one) for entity in table.entities for one in entity.examples],
        "DataAccess": {"MySql": {}},
        "BillingMode": "PAY_PER_REQUEST" if table.capacity is None else "PROVISIONED",
    }
    if table.capacity is not None:
        found["ProvisionedCapacitySettings"] = {
            "ProvisionedThroughput": {
                "ReadCapacityUnits": table.capacity.read,
                "WriteCapacityUnits": table.capacity.write,
            }
        }
    return {name: value for name, value in found.items() if value not in ([], {})}


def _key(name: str, types: dict[str, str]) -> dict[str, str]:
    return {"AttributeName": name, "AttributeType": types[name]}


def _others(table: Table) -> list[dict[str, str]]:
    known: dict[str, str] = {} if table.discriminator is None else {table.discriminator: "S"}
    for entity in table.entities:
        for stored, field in entity.model.by_stored.items():
            known.setdefault(stored, field.codec.kind)
    return [{"AttributeName": n, "AttributeType": k} for n, k in known.items() if n not in table.key_attributes]


def _facet(table: Table, entity: Entity[..., Any]) -> dict[str, Any]:
    alias: dict[str, str] = {"PartitionKeyAlias": entity.key_texts[0] or ""}
    if entity.key_texts[1] is not None:
        alias["SortKeyAlias"] = entity.key_texts[1]
    names = [stored for stored in entity.model.by_stored if stored not in table.key_attributes]
    return {
        "FacetName": entity.name,
        "KeyAttributeAlias": alias,
        "TableData": [entity.encode(one) for one in entity.examples],
        "NonKeyAttributes": [*([table.discriminator] if table.discriminator else []), *names],
        "DataAccess": {"MySql": {}},
    }


def _index(index: Index, types: dict[str, str]) -> dict[str, Any]:
    keys: dict[str, Any] = {"PartitionKey": _key(index.pk[0], types)}
    if index.sk:
        keys["SortKey"] = _key(index.sk[0], types)
    projection: dict[str, Any] = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.projection)}
    if isinstance(index.projection, str):
        projection = {"ProjectionType": index.projection}
    return {"IndexName": index.name, "KeyAttributes": keys, "Projection": projection}
