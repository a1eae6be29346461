"""Bringing stored items up to date with the design, one page at a time, as often as one likes.

An item is rewritten when today's design would store it differently: an older schema version, a derived attribute that
did not exist yet, an index key that somebody else wrote wrongly. Attributes that the model does not know are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sekkei.errors import ConditionalCheckFailedException

from .codecs import AttributeValue
from .conditions import Expression
from .reading import seal, unseal

if TYPE_CHECKING:
    from .database import Database
    from .entity import Entity
    from .query import Query


class Renewal(NamedTuple):
    """What one page did; no cursor means that everything was seen."""

    read: int
    rewritten: int
    cursor: str | None


def renewed(entity: Entity[..., Any], stored: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
    """The item as today's design stores it."""
    model = entity.model
    current = model.upgrade(stored) if model.migrations else stored
    unknown = {
        name: value
        for name, value in current.items()
        if name not in model.by_stored and name not in entity.keys and name != model.schema_stored
    }
    return {**unknown, **entity.encode(entity.decode(stored))}


def _ordered(item: Mapping[str, AttributeValue]) -> dict[str, Any]:
    """The item with its sets in one order; a store may keep them in another."""
    return {
        name: {kind: sorted(content) if kind in ("SS", "NS", "BS") else content for kind, content in value.items()}
        for name, value in item.items()
    }


async def rewrite(db: Database, entity: Entity[..., Any], stored: Mapping[str, AttributeValue]) -> bool:
    """Store the item anew, if it is still as it was read; says whether it was written."""
    expression = Expression()
    same = [f"{expression.name(name)} = {expression.value(value)}" for name, value in stored.items()]
    request: dict[str, Any] = {"TableName": db.table_name(entity.table), "Item": renewed(entity, stored)}
    request["ConditionExpression"] = " AND ".join(same)
    expression.into(request)
    try:
        await db.store.call("PutItem", request)
    except ConditionalCheckFailedException:
        return False  # somebody else changed it; whoever comes next reads it again
    return True


async def renew(db: Database, query: Query[Any], after: str | None, size: int) -> Renewal:
    """One page of a query or scan of a table; an index would only show a part of each item."""
    name = db.table_name(query.view.table)
    fingerprint = query.fingerprint(name)
    request: dict[str, Any] = {**query.with_expired().request(name, 0), "Limit": size, "ConsistentRead": True}
    if after is not None:
        request["ExclusiveStartKey"] = unseal(after, fingerprint, db.secret)
    response = await db.store.call(query.operation(), request)
    read = rewritten = 0
    for stored in response["Items"]:
        entity = query.view.table.entity_of(stored)
        if entity not in query.entities:
            continue
        read += 1
        if _ordered(renewed(entity, stored)) != _ordered(stored):
            rewritten += await rewrite(db, entity, stored)
    last = response.get("LastEvaluatedKey")
    return Renewal(read, rewritten, None if last is None else seal(last, fingerprint, db.secret))
