"""Models of NoSQL Workbench, with their sample rows."""

from __future__ import annotations

from sekkei.publish.importing.found import Found, add_rows, projection
from sekkei.publish.importing.given import Given


def from_workbench(content: Given) -> list[Found]:
    if not content.has("DataModel"):
        return []
    return [_modelled(table) for table in content.at("DataModel").each() if table.has("KeyAttributes")]


def _modelled(table: Given) -> Found:
    keys = _keys(table)
    known = [*keys, *table.at("NonKeyAttributes").each()]
    types = {one.at("AttributeName").text(): one.at("AttributeType").text("S") for one in known}
    found = Found(table.at("TableName").text(), tuple(one.at("AttributeName").text() for one in keys), types)
    for kind, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
        for one in table.at(kind).each():
            first, *rest = _keys(one)
            types |= {half.at("AttributeName").text(): half.at("AttributeType").text("S") for half in (first, *rest)}
            index = {"name": one.at("IndexName").text(), "pk": [first.at("AttributeName").text()]}
            index["sk"] = [half.at("AttributeName").text() for half in rest]
            kept = projection(one.at("Projection", "ProjectionType"), one.at("Projection", "NonKeyAttributes"))
            found.indexes.append({**index, "projection": kept, "local": local})
    add_rows(found, table.at("TableData").each())
    return found


def _keys(place: Given) -> list[Given]:
    keys = place.at("KeyAttributes")
    return [keys.at("PartitionKey"), *([keys.at("SortKey")] if keys.has("SortKey") else [])]
