"""Schemas of libraries for JavaScript as tables: OneTable's, and ElectroDB's models, as JSON.

Both say what items cannot: which attributes a key is made of, and which entities there are. A schema is often written
in TypeScript; `JSON.stringify` writes what is read here (types as words, such as "string").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sekkei.publish.importing.found import Entity, Found
from sekkei.publish.importing.given import Given, NotUnderstood
from sekkei.publish.importing.names import TAKEN, identifier, unique

KINDS = {"string": "S", "number": "N", "boolean": "BOOL", "binary": "B", "date": "S", "map": "M", "object": "M"}
KINDS |= {"list": "L", "array": "L", "set": "SS", "any": "S"}
_PLACE = re.compile(r"\$\{([^}]+)\}")
_ENDS_NOWHERE = re.compile(r"\$\{[^}]+\}(?!#|\Z)")
"""Nothing marks where such a place ends, unless # follows."""


def from_onetable(content: Given) -> list[Found]:
    if not _is_onetable(content):
        return []
    primary = content.at("indexes", "primary")
    kind = content.at("params", "typeField").text("_type")
    found = _table(content.at("name").text("Table"), primary.at("hash").text(), _optional(primary.at("sort")), kind)
    for name, index in content.at("indexes").entries():
        if name == "primary":
            continue
        local = index.at("type").text("") == "local" or not index.has("hash")
        hashes = found.keys[0] if local else index.at("hash").text()
        project = index.at("project")
        listed = isinstance(project.content, list)
        kept = tuple(one.text() for one in project.each()) if listed else _projection(project.text("all"))
        _add_index(found, name, hashes, _optional(index.at("sort")), kept, local)
    found.given = [_onetable_entity(found, name, fields, kind) for name, fields in content.at("models").entries()]
    return _with_entities(found, content)


def _is_onetable(content: Given) -> bool:
    """By its format, which older schemas do not say; then by what every one has."""
    if content.has("format"):
        return str(content.at("format").content).startswith("onetable:")
    indexes = content.at("indexes").content if content.has("indexes") else None
    primary = indexes.get("primary") if isinstance(indexes, Mapping) else None
    return content.has("models") and isinstance(primary, Mapping) and "hash" in primary


def _optional(place: Given) -> str | None:
    return place.text() if place.known else None


def _projection(project: str) -> str:
    return {"all": "ALL", "keys": "KEYS_ONLY"}.get(project, "ALL")


def _with_entities(found: Found, content: Given) -> list[Found]:
    if not found.given:
        raise content.at("models").wrong("an object of models")
    return [found]


def _onetable_entity(found: Found, name: str, fields: Given, kind: str) -> Entity:
    """Fields may be stored under another name (`map`), also a key, or several in one map (`data.name`)."""
    stored = {field.at("map").text(given): field for given, field in fields.entries()}
    texts = [stored[key].at("value").text(_whole(key)) if key in stored else _whole(key) for key in found.keys]
    keys, parts = _templates(found, [text.replace(f"${{{kind}}}", name) for text in texts])
    attributes = {
        one.partition(".")[0]: "M" if "." in one else _kind(field.at("type"))
        for one, field in stored.items()
        if one not in (*found.keys, kind)
    }
    return Entity(identifier(name), keys, parts, name, attributes)


def from_electrodb(content: Given) -> list[Found]:
    """One model, or a list of the models of one table."""
    models = content.each() if isinstance(content.content, list) else [content]
    if not models or not all(each.has("model") and each.at("model").has("entity") for each in models):
        return []
    primary = _primary(models[0])
    name = models[0].at("table").text(models[0].at("model", "service").text("table"))
    found = _table(name, primary.at("pk", "field").text(), _optional(primary.at("sk", "field")), "__edb_e__")
    for model in models:
        for _, index in model.at("indexes").entries():
            named = index.at("index").content
            if named and index.at("index").text() not in {each["name"] for each in found.indexes}:
                pk = index.at("pk", "field").text()
                _add_index(found, named, pk, _optional(index.at("sk", "field")), "ALL", pk == found.keys[0])
        found.given.append(_electrodb_entity(found, model))
    found.notes.append("ElectroDB lowers the case of what it puts into keys, unless an index says `casing`.")
    return [found]


def _primary(model: Given) -> Given:
    found = next((each for _, each in model.at("indexes").entries() if not each.at("index").content), None)
    if found is None:
        raise NotUnderstood(
            f"{model.at('indexes').place} should have an index without a name, which is the table's key."
        )
    return found


def _electrodb_entity(found: Found, model: Given) -> Entity:
    about, primary = model.at("model"), _primary(model)
    name, version = about.at("entity").text(), str(about.at("version").content or "1")
    collection = primary.at("collection")
    listed = [one.text() for one in collection.each()] if isinstance(collection.content, list) else None
    together = "#".join(listed) if listed is not None else collection.text("")
    labels = {key: value.at("label").text(key) for key, value in model.at("attributes").entries()}
    service = f"${about.at('service').text('')}".lower()
    start = service if primary.has("sk") else f"{service}${name}_{version}".lower()
    texts = [_electrodb_key(primary.at("pk"), start, labels)]
    if primary.has("sk"):
        start = f"${together}#{name}_{version}" if together else f"${name}_{version}"
        texts.append(_electrodb_key(primary.at("sk"), start.lower(), labels))
    if len(texts) != len(found.keys):
        raise NotUnderstood(f"{name} has a key of another form than the table's first model. Give models of one table.")
    keys, parts = _templates(found, texts)
    fields = {value.at("field").text(key): value.at("type") for key, value in model.at("attributes").entries()}
    attributes = {field: _kind(kind) for field, kind in fields.items() if field not in found.keys}
    return Entity(identifier(name), keys, parts, name, {**attributes, "__edb_v__": "S"})


def _kind(kind: Given) -> str:
    """A list of texts is a choice of them."""
    return "S" if not isinstance(kind.content, str) else KINDS.get(kind.content.lower(), "S")


def _electrodb_key(half: Given, start: str, labels: Mapping[str, str]) -> str:
    if half.has("template"):
        text = half.at("template").text()
        return text if "${" in text else re.sub(r":(\w+)", r"${\1}", text)  # as older versions wrote it
    named = [one.text() for one in half.at("composite").each()]
    return start + "".join(f"#{labels.get(name, name).lower()}_${{{name}}}" for name in named)


def _table(name: str, pk: str, sk: str | None, discriminator: str) -> Found:
    keys = (pk,) if sk is None else (pk, sk)
    return Found(name, keys, dict.fromkeys(keys, "S"), discriminator=discriminator)


def _add_index(
    found: Found, name: str, pk: str, sk: str | None, projection: str | tuple[str, ...], local: bool
) -> None:
    ranges = [] if sk is None else [sk]
    found.indexes.append({"name": name, "pk": [pk], "sk": ranges, "projection": projection, "local": local})
    found.types |= dict.fromkeys((pk, *ranges), "S")


def _templates(found: Found, texts: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """`account#${name}` is `account#{name}`; every part once, however often it stands there."""
    parts: dict[str, str] = {}
    plain = [_plain(found, key, text) for key, text in zip(found.keys, texts, strict=True)]
    for text in plain:
        for name in _places(text):
            parts.setdefault(name, unique(identifier(name), (*TAKEN, *parts.values())))
    keys = [_PLACE.sub(lambda place: f"{{{parts[_name(place)]}}}", text) for text in plain]
    return tuple(keys), list(parts.values())


def _plain(found: Found, key: str, text: str) -> str:
    """A template that a design can have too; otherwise all of the key is one part."""
    if not re.search(r"[{}]", _PLACE.sub("", text)) and not _ENDS_NOWHERE.search(text):
        return text
    found.notes.append(f"{key} is {text}, which no template of a design can say; it is one part here.")
    return _whole(key)


def _whole(key: str) -> str:
    return f"${{{identifier(key)}}}"


def _places(text: str) -> Iterator[str]:
    return (_name(found) for found in _PLACE.finditer(text))


def _name(found: re.Match[str]) -> str:
    """`${name:5:0}` pads; the name comes first."""
    return found[1].partition(":")[0]
