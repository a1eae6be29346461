"""Schemas of libraries for JavaScript as tables: OneTable's, and ElectroDB's models, as JSON.

Both say what items cannot: which attributes a key is made of, and which entities there are. A schema is often written
in TypeScript; `JSON.stringify` writes what is read here (types as words, such as "string").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sekkei.publish.importing import Entity, Found, identifier, unique

KINDS = {"string": "S", "number": "N", "boolean": "BOOL", "binary": "B", "date": "S", "map": "M", "object": "M"}
KINDS |= {"list": "L", "array": "L", "set": "SS", "any": "S"}
_PLACE = re.compile(r"\$\{([^}]+)\}|:(\w+)")


def from_onetable(content: Mapping[str, Any]) -> list[Found]:
    if not str(content.get("format", "")).startswith("onetable:"):
        return []
    indexes = dict(content["indexes"])
    primary = indexes.pop("primary")
    kind = str(content.get("params", {}).get("typeField", "_type"))
    found = _table(str(content.get("name", "Table")), primary, kind)
    for name, index in indexes.items():
        local = index.get("type") == "local" or "hash" not in index
        hashes = [primary["hash"] if local else index["hash"]]
        ranges = [index["sort"]] if index.get("sort") else []
        _add_index(found, name, hashes, ranges, _projection(index.get("project", "all")), local)
    for name, fields in content["models"].items():
        found.given.append(_onetable_entity(found, name, fields))
    return [found]


def _projection(project: Any) -> Any:
    if isinstance(project, list):
        return tuple(project)
    return {"all": "ALL", "keys": "KEYS_ONLY"}.get(str(project), "ALL")


def _onetable_entity(found: Found, name: str, fields: Mapping[str, Any]) -> Entity:
    texts = [str(fields.get(key, {}).get("value") or f"${{{key}}}") for key in found.keys]
    keys, parts = _templates(texts)
    attributes = {
        str(field.get("map", stored)): KINDS.get(str(field.get("type", "string")).lower(), "S")
        for stored, field in fields.items()
        if stored not in found.keys
    }
    return Entity(identifier(name), keys, parts, name, attributes)


def from_electrodb(content: Any) -> list[Found]:
    """One model, or a list of the models of one table."""
    models = content if isinstance(content, list) else [content]
    if not models or not all(isinstance(each, Mapping) and "entity" in each.get("model", {}) for each in models):
        return []
    primary = _primary(models[0])
    halves = {"hash": primary["pk"]["field"], "sort": primary.get("sk", {}).get("field")}
    found = _table(str(models[0].get("table", models[0]["model"].get("service", "table"))), halves, "__edb_e__")
    for model in models:
        for index in model["indexes"].values():
            if index.get("index") and index["index"] not in {each["name"] for each in found.indexes}:
                ranges = [index["sk"]["field"]] if "sk" in index else []
                local = index["pk"]["field"] == halves["hash"]
                _add_index(found, index["index"], [index["pk"]["field"]], ranges, "ALL", local)
        found.given.append(_electrodb_entity(found, model))
    found.notes.append("ElectroDB lowers the case of what it puts into keys, unless an index says `casing`.")
    return [found]


def _primary(model: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(each for each in model["indexes"].values() if not each.get("index"))
    return found


def _electrodb_entity(found: Found, model: Mapping[str, Any]) -> Entity:
    about, primary = model["model"], _primary(model)
    name, version = str(about["entity"]), str(about.get("version", "1"))
    collection = primary.get("collection", "")
    collection = collection if isinstance(collection, str) else "#".join(collection)
    labels = {key: str(value.get("label", key)) for key, value in model["attributes"].items()}
    service = f"${about.get('service', '')}".lower()
    texts = [
        _electrodb_key(primary["pk"], service if "sk" in primary else f"{service}${name}_{version}".lower(), labels)
    ]
    if "sk" in primary:
        start = f"${collection}#{name}_{version}" if collection else f"${name}_{version}"
        texts.append(_electrodb_key(primary["sk"], start.lower(), labels))
    keys, parts = _templates(texts)
    attributes = {
        str(value.get("field", key)): _electrodb_kind(value.get("type", "string"))
        for key, value in model["attributes"].items()
        if value.get("field", key) not in found.keys
    }
    return Entity(identifier(name), keys, parts, name, {**attributes, "__edb_v__": "S"})


def _electrodb_kind(kind: Any) -> str:
    return "S" if isinstance(kind, list) else KINDS.get(str(kind).lower(), "S")


def _electrodb_key(half: Mapping[str, Any], start: str, labels: Mapping[str, str]) -> str:
    if half.get("template") is not None:
        return str(half["template"])
    named = half.get("composite", ())
    composed = "".join(f"#{labels.get(name, name).lower()}_${{{name}}}" for name in named)
    return start + composed


def _table(name: str, halves: Mapping[str, Any], discriminator: str) -> Found:
    keys = tuple(str(half) for half in (halves["hash"], halves.get("sort")) if half)
    return Found(name, keys, dict.fromkeys(keys, "S"), discriminator=discriminator)


def _add_index(found: Found, name: str, pk: list[str], sk: list[str], projection: Any, local: bool) -> None:
    found.indexes.append({"name": name, "pk": pk, "sk": sk, "projection": projection, "local": local})
    found.types |= dict.fromkeys((*pk, *sk), "S")


def _templates(texts: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """`account#${name}` is `account#{name}`; every part once, however often it stands there."""
    parts: dict[str, str] = {}
    for text in texts:
        for name in _places(text):
            parts.setdefault(name, unique(identifier(name), parts.values()))
    keys = [_PLACE.sub(lambda found: f"{{{parts[_name(found)]}}}", text) for text in texts]
    return tuple(keys), list(parts.values())


def _places(text: str) -> Iterator[str]:
    return (_name(found) for found in _PLACE.finditer(text))


def _name(found: re.Match[str]) -> str:
    """`${name:5:0}` pads; the name comes first."""
    return (found[1] or found[2]).partition(":")[0]
