"""One item: what it is, which indexes hold it and which not and why, what lies beside it and what belongs to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice.pattern_runner import shown
from sekkei.advice.sizes import item_bytes
from sekkei.advice.snippets import forms
from sekkei.design import Design, Entity, SekkeiError
from sekkei.errors import DynamoDBError
from sekkei.kit.text import written_out
from sekkei.runtime.refusals import NotThere
from sekkei.store.protocol import Store
from sekkei.web.console import masks, operator
from sekkei.web.console.asking import BadAsk, Schema, schema_of, stored
from sekkei.web.console.changing import entity_of
from sekkei.web.console.rows import address_of, hues_of, text_of
from sekkei.web.console.tables import described, indexes_of
from sekkei.web.console.target import looked_by
from sekkei.web.console.words import in_words
from sekkei.web.rendering import page
from sekkei.web.texts import t

Item = Mapping[str, Mapping[str, Any]]
_FACT_CHARACTERS_MAX = 2000


def routes() -> list[BaseRoute]:
    return [Route("/console/tables/{name}/item", show_item, methods=["GET"])]


class _Fact(NamedTuple):
    """One attribute as the design knows it."""

    name: str
    stored: str
    kind: str
    text: str
    about: str
    derived: bool
    known: bool


@dataclass(frozen=True, slots=True)
class Held:
    """An index and one item: where its entry is, or why there is none."""

    index: str
    address: str | None
    why: str = ""
    lacks: tuple[str, ...] = ()
    """Attributes that the entry does not carry."""


class _Related(NamedTuple):
    entity: str
    many: bool
    up: bool
    address: str | None


async def show_item(request: Request) -> Response:
    looked = operator(request).looked
    try:
        table = await described(looked.store, request.path_params["name"])
        schema, key = key_of(request, table)
        answer = await looked.store.call("GetItem", {"TableName": schema.table, "Key": key, "ConsistentRead": True})
        item = answer.get("Item")
        if item is None:
            raise NotThere()
        beside = await neighbours(looked.store, schema, item)
    except DynamoDBError as error:
        wrong = in_words(request, error)
        return page(request, "console/tables.html", 502, tables=[], wrong=wrong, cursor=None)
    return page(request, "console/item.html", **_view(request, table, schema, item), beside=beside)


def key_of(request: Request, table: Mapping[str, Any]) -> tuple[Schema, dict[str, Any]]:
    """The key that the address names."""
    schema = schema_of(table)
    assert schema is not None
    given = [request.query_params.get(name) for name in ("key", "sort")][: len(schema.table_keys)]
    if not all(given):
        raise NotThere()  # no key can be empty
    try:
        key = {
            name: stored(text or "", schema.types[name], "key")
            for name, text in zip(schema.table_keys, given, strict=True)
        }
    except BadAsk:
        raise NotThere() from None
    return schema, key


def _view(request: Request, table: dict[str, Any], schema: Schema, item: Item) -> dict[str, Any]:
    looked = looked_by(request)
    known = looked.table(schema.table)
    declared = known[1] if known else None
    entity = entity_of(declared, item) if declared is not None else None
    hidden = masks.covered_names(set(item) - set(schema.keys), declared)
    revealed = masks.is_revealed(request)
    covers = frozenset() if revealed else hidden
    seen = item if revealed else masks.covered(item, hidden)
    key = {name: item[name] for name in schema.table_keys}
    return {
        "table": table,
        "schema": schema,
        "item": item,
        "entity": entity,
        "looked": looked,
        "hues": hues_of(known[0] if known else None),
        "design": looked.name_of(known[0]) if known else None,
        "facts": _facts_of(request, entity, item, seen, covers),
        "held": [_held_by(request, table, index, item, entity) for index in indexes_of(table)],
        "related": _related_to(looked, known[0], entity, item) if known and entity else [],
        "covers": seen != item,
        "raw": written_out(orjson.dumps(seen, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()),
        "size": item_bytes(dict(item)),
        "address": address_of(item, schema),
        "copied": forms([("GetItem", {"TableName": schema.table, "Key": key})]),
    }


def _facts_of(
    request: Request, entity: Entity[..., Any] | None, item: Item, seen: Item, covers: frozenset[str]
) -> list[_Fact]:
    """As the model declares them, then what it does not know. `seen` is the item with what is personal covered."""
    values = decoded(entity, item)
    language = request.state.speech.language
    found: list[_Fact] = []
    for name, field in entity.model.fields.items() if entity is not None else ():
        stored, covered = item.get(field.stored), seen.get(field.stored)
        if field.stored in covers:
            text = masks.COVER
        elif stored is not None and covered is not None and stored != covered:
            text = text_of(covered, _FACT_CHARACTERS_MAX)
        else:
            text = written_out(shown(values.get(name))) if values else ""
        about = (field.ja if language == "ja" else field.en) or ""
        kept = field.stored if field.is_stored else ""
        found.append(_Fact(name, kept, field.codec.kind, text, about, field.derived, True))
    told = {fact.stored for fact in found}
    for name in sorted(set(item) - told):
        text = text_of(seen[name], _FACT_CHARACTERS_MAX)
        known = entity is not None and name in entity.stored_names
        found.append(_Fact("", name, next(iter(item[name])), text, "", known, known))
    return found


def decoded(entity: Entity[..., Any] | None, item: Item) -> dict[str, Any]:
    """Attribute values by their names in the model; empty when the item cannot be read as one."""
    if entity is None:
        return {}
    try:
        instance = entity.decode(item)  # type: ignore[arg-type]
        return {name: getattr(instance, name) for name in entity.model.fields}
    except (SekkeiError, AttributeError, ValueError, TypeError):
        return {}


def _held_by(
    request: Request, table: dict[str, Any], index: dict[str, Any], item: Item, entity: Entity[..., Any] | None
) -> Held:
    schema = schema_of(table, index["IndexName"])
    assert schema is not None
    keys = (*schema.hashes, *schema.sorts)
    missing = next((name for name in keys if name not in item), None)
    if missing is not None:
        return Held(schema.index, None, _why(request, missing, item, entity))
    pairs = [("index", schema.index)]
    pairs += [("key", _text(item, name)) for name in schema.hashes]
    pairs += [part for name in schema.sorts for part in (("op", "="), ("sort", _text(item, name)))]
    projection = index.get("Projection", {})
    kept = {*keys, *schema.table_keys, *projection.get("NonKeyAttributes", ())}
    lacks = () if projection.get("ProjectionType", "ALL") == "ALL" else tuple(sorted(set(item) - kept))
    return Held(schema.index, f"/console/tables/{schema.table}?{urlencode(pairs)}", lacks=lacks)


def _text(item: Item, name: str) -> str:
    return str(next(iter(item[name].values())))


def _why(request: Request, name: str, item: Item, entity: Entity[..., Any] | None) -> str:
    """Why an item has no such key attribute: its entity never does, or what it is made of is empty."""
    if entity is None:
        return t(request, "console.held.absent", name=name)
    field = entity.model.by_stored.get(name)
    if field is None:
        return t(request, "console.held.never", name=name, entity=entity.name)
    values = decoded(entity, item)
    empty = sorted(base for base in entity.model.bases(field) if values.get(base) is None and values)
    if field.derived and empty:
        return t(request, "console.held.empty", name=name, of=", ".join(empty))
    return t(request, "console.held.not-made" if field.derived else "console.held.absent", name=name)


def _related_to(looked: Any, design: Design, entity: Entity[..., Any], item: Item) -> list[_Related]:
    values = decoded(entity, item)
    found = []
    for relation in design.relations:
        if relation.parent is entity:
            where = _children(looked, design, relation.child, values)
            found.append(_Related(relation.child.name, relation.many, False, where))
        if relation.child is entity:
            found.append(_Related(relation.parent.name, False, True, _parent(looked, design, relation.parent, values)))
    return found


def _children(looked: Any, design: Design, child: Entity[..., Any], values: Mapping[str, Any]) -> str | None:
    """Those of one parent: in the table by key, or in the first index that can tell."""
    table = child.table
    places: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
        ("", (table.pk,), () if table.sk is None else (table.sk,))
    ]
    places += [(index.name, tuple(index.pk), tuple(index.sk)) for index in table.indexes.values()]
    for name, hashes, sorts in places:
        keys = [_made(child, attribute, values) for attribute in hashes]
        if any(key is None for key in keys):
            continue
        pairs = [("index", name)] if name else []
        pairs += [("key", str(key)) for key in keys]
        start = _beginning(child, sorts[0], values) if sorts else ""
        pairs += [("op", "begins_with"), ("sort", start)] if start else []
        return f"/console/tables/{design.table_name(table, looked.env)}?{urlencode(pairs)}"
    return None


def _parent(looked: Any, design: Design, parent: Entity[..., Any], values: Mapping[str, Any]) -> str | None:
    keys = [_made(parent, attribute, values) for attribute in parent.table.key_attributes]
    if any(key is None for key in keys):
        return None
    pairs = list(zip(("key", "sort"), map(str, keys), strict=False))
    return f"/console/tables/{design.table_name(parent.table, looked.env)}/item?{urlencode(pairs)}"


def _made(entity: Entity[..., Any], attribute: str, values: Mapping[str, Any]) -> str | None:
    """The text of a key attribute of another entity, as far as these values make it."""
    template = entity.template_for(attribute)
    if template is None or not template.components:
        return template.text if template is not None else None
    try:
        made = template.encode(values)
    except (KeyError, SekkeiError, ValueError, TypeError, AttributeError):
        return None
    return None if made is None else str(next(iter(made.values())))


def _beginning(entity: Entity[..., Any], attribute: str, values: Mapping[str, Any]) -> str:
    """The part of a sort key that is the same for all children of one parent."""
    template = entity.template_for(attribute)
    text = ""
    for piece in template.pieces if template is not None else ():
        if isinstance(piece, str):
            text += piece
            continue
        try:
            text += piece.text(values[piece.field.name])
        except (KeyError, SekkeiError, ValueError, TypeError, AttributeError):
            break
    return text


async def neighbours(store: Store, schema: Schema, item: Item) -> list[tuple[bool, str, str]]:
    """The items before and after it in its partition: (after?, sort key, address)."""
    if not schema.sorts:
        return []
    names = {"#h": schema.hashes[0], "#s": schema.sorts[0]}
    values = {":h": item[schema.hashes[0]], ":s": item[schema.sorts[0]]}
    asked = {"TableName": schema.table, "ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
    found = []
    for after in (False, True):
        condition = f"#h = :h AND #s {'>' if after else '<'} :s"
        answer = await store.call(
            "Query", {**asked, "KeyConditionExpression": condition, "ScanIndexForward": after, "Limit": 1}
        )
        found += [(after, _text(one, schema.sorts[0]), address_of(one, schema)) for one in answer["Items"]]
    return found
