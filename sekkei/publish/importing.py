"""Existing tables as a design: from CloudFormation, Terraform, NoSQL Workbench or DescribeTable, with sample items.

    found = tables_in(json.loads(text))          tables as DescribeTable writes them, whatever the source
    print(source("shop", found, samples))        Python that loads as a design

Entities are proposed from the forms of keys: `USER#17` and `USER#23` are `USER#{id}`. What cannot be told for sure is
said in a comment. Nothing is invented: without items, an entity has the attributes of its keys alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from keyword import iskeyword
from typing import Any

Item = Mapping[str, Mapping[str, Any]]
TYPES = {"S": "str", "N": "Decimal", "B": "bytes", "BOOL": "bool", "L": "list[Any]", "M": "dict[str, Any]"}
TYPES |= {"SS": "frozenset[str]", "NS": "frozenset[Decimal]", "NULL": "str | None"}
DISCRIMINATORS = ("type", "entityType", "entity_type", "__edb_e__", "_type", "kind", "EntityType", "Type")
_PREFIX = re.compile(r"[A-Za-z_]+(?=#)")


class NotUnderstood(ValueError):
    """The file has no table that could be read; the text says what was looked for."""


@dataclass
class Found:
    """One table, as far as it is known."""

    name: str
    keys: tuple[str, ...]
    types: dict[str, str]
    indexes: list[dict[str, Any]] = field(default_factory=list)
    ttl: str | None = None
    stream: str | None = None
    pitr: bool = False
    protected: bool = False
    capacity: tuple[int, int] | None = None
    warm: tuple[int, int] | None = None
    tags: dict[str, str] = field(default_factory=dict)
    insights: bool = False
    items: list[Item] = field(default_factory=list)
    discriminator: str | None = None
    given: list[Entity] = field(default_factory=list)
    """Entities that the source names itself, so that none has to be guessed."""
    notes: list[str] = field(default_factory=list)
    """What whoever reads the design should know."""


def tables_in(content: Any) -> list[Found]:
    """Tables of a template, a configuration, a model or a description; raises NotUnderstood."""
    from sekkei.publish.importing_schemas import from_electrodb, from_onetable

    readers = (_from_cloudformation, _from_terraform, _from_workbench, _from_description, from_onetable, from_electrodb)
    for read in readers:
        listed = isinstance(content, list) and read is from_electrodb
        found = read(content) if isinstance(content, Mapping) or listed else []
        if found:
            return found
    raise NotUnderstood(
        "There is no table in it. Give a CloudFormation template, Terraform's JSON or `terraform show -json`, a NoSQL "
        "Workbench model, the answer of `aws dynamodb describe-table`, or a schema of OneTable or ElectroDB as JSON."
    )


def _from_description(content: Mapping[str, Any]) -> list[Found]:
    table = content.get("Table", content)
    return [_described(table)] if "KeySchema" in table and "TableName" in table else []


def _described(table: Mapping[str, Any]) -> Found:
    found = Found(
        str(table["TableName"]),
        tuple(part["AttributeName"] for part in table["KeySchema"]),
        {one["AttributeName"]: one["AttributeType"] for one in table.get("AttributeDefinitions", ())},
    )
    for kind, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
        found.indexes += [_index(one, local) for one in table.get(kind, ())]
    found.stream = table.get("StreamSpecification", {}).get("StreamViewType")
    found.ttl = table.get("TimeToLiveSpecification", {}).get("AttributeName")
    found.protected = bool(table.get("DeletionProtectionEnabled", False))
    found.pitr = bool(table.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled", False))
    found.capacity, found.warm, found.insights = _capacity(table), _warm(table), _watched(table)
    tags = ((tag["Key"], tag["Value"]) for tag in table.get("Tags", ()))
    found.tags = {key: value for key, value in tags if _ours(key) and isinstance(value, str)}
    return found


def _ours(tag: str) -> bool:
    """Tags that AWS and publish put there by themselves are no part of a design."""
    return not tag.startswith(("aws:", "sekkei:"))


def _capacity(place: Mapping[str, Any]) -> tuple[int, int] | None:
    units = place.get("ProvisionedThroughput", {})
    return (
        (int(units["ReadCapacityUnits"]), int(units["WriteCapacityUnits"])) if units.get("ReadCapacityUnits") else None
    )


def _warm(place: Mapping[str, Any]) -> tuple[int, int] | None:
    """What somebody asked for; a live table (with a status) says what it has grown to."""
    units = place.get("WarmThroughput", {})
    if "Status" in units or "ReadUnitsPerSecond" not in units or "WriteUnitsPerSecond" not in units:
        return None
    return int(units["ReadUnitsPerSecond"]), int(units["WriteUnitsPerSecond"])


def _watched(place: Mapping[str, Any]) -> bool:
    return bool(place.get("ContributorInsightsSpecification", {}).get("Enabled", False))


def _index(one: Mapping[str, Any], local: bool) -> dict[str, Any]:
    hashes = [part["AttributeName"] for part in one["KeySchema"] if part["KeyType"] == "HASH"]
    ranges = [part["AttributeName"] for part in one["KeySchema"] if part["KeyType"] == "RANGE"]
    projection = one.get("Projection", {})
    kept: Any = projection.get("ProjectionType", "ALL")
    if kept == "INCLUDE":
        kept = tuple(projection.get("NonKeyAttributes", ()))
    options = {"capacity": _capacity(one), "warm": _warm(one), "insights": _watched(one)}
    return {"name": one["IndexName"], "pk": hashes, "sk": ranges, "projection": kept, "local": local, **options}


def _from_cloudformation(content: Mapping[str, Any]) -> list[Found]:
    resources = content.get("Resources")
    if not isinstance(resources, Mapping):
        return []
    found = []
    for logical, resource in resources.items():
        if resource.get("Type") not in ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"):
            continue
        properties = dict(resource["Properties"])
        name = properties.get("TableName", logical)
        if isinstance(name, Mapping):
            name = str(name.get("Fn::Sub", logical)).replace("${Env}", "{env}")
        found.append(_described({**properties, "TableName": name}))
    return found


def _from_terraform(content: Mapping[str, Any]) -> list[Found]:
    tables = dict(content.get("resource", {}).get("aws_dynamodb_table", {}))
    modules = [content.get("values", {}).get("root_module", {})]
    modules.append(content.get("planned_values", {}).get("root_module", {}))
    for module in modules:
        for one in module.get("resources", ()):
            if one.get("type") == "aws_dynamodb_table":
                tables[one["name"]] = one["values"]
    found = [_terraformed(table) for table in tables.values()]
    watched = content.get("resource", {}).get("aws_dynamodb_contributor_insights", {})
    by_reference = {f"${{aws_dynamodb_table.{name}.name}}": table for name, table in zip(tables, found, strict=True)}
    for one in watched.values():
        table = by_reference.get(one["table_name"])
        if table is not None and "index_name" in one:
            next(each for each in table.indexes if each["name"] == one["index_name"])["insights"] = True
        elif table is not None:
            table.insights = True
    return found


def _terraformed(table: Mapping[str, Any]) -> Found:
    keys = (table["hash_key"], *([table["range_key"]] if table.get("range_key") else []))
    types = {one["name"]: one["type"] for one in table.get("attribute", ())}
    found = Found(str(table["name"]).replace("${var.env}", "{env}"), keys, types)
    for kind, local in (("global_secondary_index", False), ("local_secondary_index", True)):
        for one in table.get(kind) or ():
            ranges = [one["range_key"]] if one.get("range_key") else []
            hashes = [table["hash_key"]] if local else [one["hash_key"]] if one.get("hash_key") else []
            for part in one.get("key_schema") or ():
                (hashes if part["key_type"] == "HASH" else ranges).append(part["attribute_name"])
            kept: Any = one.get("projection_type", "ALL")
            kept = tuple(one.get("non_key_attributes") or ()) if kept == "INCLUDE" else kept
            index = {"name": one["name"], "pk": hashes, "sk": ranges, "projection": kept, "local": local}
            found.indexes.append({**index, "capacity": _terraform_capacity(one), "warm": _terraform_warm(one)})
    ttl, pitr = _one(table.get("ttl")), _one(table.get("point_in_time_recovery"))
    found.ttl = ttl.get("attribute_name") if ttl.get("enabled", True) else None
    found.pitr = bool(pitr.get("enabled", False))
    found.stream = table.get("stream_view_type") or None
    found.protected = bool(table.get("deletion_protection_enabled", False))
    found.capacity = _terraform_capacity(table) if table.get("billing_mode") == "PROVISIONED" else None
    found.warm = _terraform_warm(table)
    found.tags = {key: value for key, value in (table.get("tags") or {}).items() if _ours(key)}
    return found


def _terraform_capacity(place: Mapping[str, Any]) -> tuple[int, int] | None:
    return (int(place["read_capacity"]), int(place["write_capacity"])) if place.get("read_capacity") else None


def _terraform_warm(place: Mapping[str, Any]) -> tuple[int, int] | None:
    warm = _one(place.get("warm_throughput"))
    return (int(warm["read_units_per_second"]), int(warm["write_units_per_second"])) if warm else None


def _one(block: Any) -> Mapping[str, Any]:
    """A block of Terraform is an object, or a list of one."""
    if isinstance(block, list):
        block = block[0] if block else None
    return block if isinstance(block, Mapping) else {}


def _from_workbench(content: Mapping[str, Any]) -> list[Found]:
    return [_modelled(table) for table in content.get("DataModel", ()) if "KeyAttributes" in table]


def _modelled(table: Mapping[str, Any]) -> Found:
    keys = table["KeyAttributes"]
    parts = [keys["PartitionKey"], *([keys["SortKey"]] if "SortKey" in keys else [])]
    types = {one["AttributeName"]: one["AttributeType"] for one in (*parts, *table.get("NonKeyAttributes", ()))}
    found = Found(table["TableName"], tuple(one["AttributeName"] for one in parts), types)
    for kind, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
        for one in table.get(kind) or ():
            inside = one["KeyAttributes"]
            types[inside["PartitionKey"]["AttributeName"]] = inside["PartitionKey"]["AttributeType"]
            ranges = [inside["SortKey"]["AttributeName"]] if "SortKey" in inside else []
            kept: Any = one.get("Projection", {}).get("ProjectionType", "ALL")
            kept = tuple(one["Projection"].get("NonKeyAttributes", ())) if kept == "INCLUDE" else kept
            pk = [inside["PartitionKey"]["AttributeName"]]
            found.indexes.append({"name": one["IndexName"], "pk": pk, "sk": ranges, "projection": kept, "local": local})
    found.items = [item for item in table.get("TableData") or () if item]
    return found


# Writing


@dataclass
class Entity:
    name: str
    keys: tuple[str, ...]
    """A template for each half of the key."""
    parts: list[str]
    kind: str | None
    attributes: dict[str, str]


def source(name: str, found: Sequence[Found]) -> str:
    """The design as Python."""
    body = [piece for table in found for piece in _table_source(table)]
    needs = ["Attr", "Design", "Key", "attr", "model", "part"]
    needs += ["Index"] if any(not index["local"] for table in found for index in table.indexes) else []
    needs += ["LocalIndex"] if any(index["local"] for table in found for index in table.indexes) else []
    text = "\n".join(body)
    needs += ["Capacity"] if "=Capacity(" in text else []
    head = [
        f'"""{name}, from tables that are there. Rename what you find; keys, indexes and stored names must stay."""',
        "",
        "from __future__ import annotations",
        "",
        *(["from decimal import Decimal"] if "Decimal" in text else []),
        *(["from typing import Any"] if "Any" in text else []),
        *([""] if "Decimal" in text or "Any" in text else []),
        f"from sekkei.design import {', '.join(sorted(needs, key=lambda n: (n[0].islower(), n)))}",
        "",
        f"design = Design({name!r}{_naming(found)})",
    ]
    return "\n".join([*head, text]).rstrip() + "\n"


def _naming(found: Sequence[Found]) -> str:
    prefixes = {re.sub(r"[^/]*$", "", table.name.replace("{env}", "{env}/")) for table in found}
    return ', tables="{env}-{table}"' if prefixes == {"{env}/"} and all("{env}-" in t.name for t in found) else ""


def _table_source(table: Found) -> list[str]:
    variable = f"{identifier(table.name.replace('{env}-', '')).removesuffix('_table')}_table"
    discriminator = _discriminator(table)
    lines = ["", "", *(f"# {note}" for note in table.notes), f"{variable} = design.table("]
    lines += [f"    {table.name.replace('{env}-', '')!r},", *(f"    {key!r}," for key in table.keys)]
    if table.indexes:
        lines += ["    indexes=[", *(f"        {_index_source(index)}," for index in table.indexes), "    ],"]
    options = {
        "discriminator": discriminator,
        "ttl": table.ttl,
        "stream": table.stream,
        "pitr": table.pitr or None,
        "deletion_protection": table.protected or None,
        "tags": table.tags or None,
        "insights": table.insights or None,
    }
    lines += [f"    {name}={value!r}," for name, value in options.items() if value is not None]
    lines += [f"    {text}," for text in _units_source(table.capacity, table.warm)]
    lines.append(")")
    for entity in entities(table, discriminator):
        lines += _entity_source(variable, table, entity, discriminator)
    return lines


def _units_source(capacity: tuple[int, int] | None, warm: tuple[int, int] | None) -> list[str]:
    given = {"capacity": capacity, "warm": warm}
    return [f"{name}=Capacity({units[0]}, {units[1]})" for name, units in given.items() if units is not None]


def _index_source(index: Mapping[str, Any]) -> str:
    pk = index["pk"][0] if len(index["pk"]) == 1 else tuple(index["pk"])
    sk = index["sk"][0] if len(index["sk"]) == 1 else tuple(index["sk"])
    projection = "" if index["projection"] == "ALL" else f", projection={index['projection']!r}"
    if index["local"]:
        return f"LocalIndex({index['name']!r}, {sk!r}{projection})"
    options = [
        *_units_source(index.get("capacity"), index.get("warm")),
        *(["insights=True"] if index.get("insights") else []),
    ]
    further = "".join(f", {option}" for option in options)
    return f"Index({index['name']!r}, {pk!r}{f', {sk!r}' if index['sk'] else ''}{projection}{further})"


def _discriminator(table: Found) -> str | None:
    """The one that is named; or an attribute by a usual name that every item has as a text, and that is no key."""
    if table.discriminator is not None:
        return table.discriminator
    keys = {*table.keys, *(name for index in table.indexes for name in (*index["pk"], *index["sk"]))}
    for name in DISCRIMINATORS:
        if name not in keys and table.items and all("S" in item.get(name, {}) for item in table.items):
            return name
    return None


def entities(table: Found, discriminator: str | None) -> list[Entity]:
    """Items of one form of key (and one type) are one entity; without items, one for the table."""
    if table.given:
        return _completed(table, table.given, discriminator)
    groups: dict[tuple[str, ...], list[Item]] = {}
    for item in table.items:
        kind = item.get(discriminator or "", {}).get("S", "")
        forms = tuple(_form(table, name, item) for name in table.keys)
        groups.setdefault((kind, *forms), []).append(item)
    if not groups:
        groups[("", *("{}" for _ in table.keys))] = []
    while pair := next((pair for pair in combinations(groups, 2) if _alike(*pair)), None):
        items = groups.pop(pair[0]) + groups.pop(pair[1])
        groups.setdefault(_both(*pair), []).extend(items)
    names: set[str] = set()
    found = [_entity(table, kind, forms, items, discriminator, names) for (kind, *forms), items in groups.items()]
    return _completed(table, found, discriminator)


def _completed(table: Found, found: list[Entity], discriminator: str | None) -> list[Entity]:
    """Every attribute that the table speaks of belongs to some entity."""
    seen = {stored for entity in found for stored in entity.attributes} | {*table.keys, discriminator}
    for stored in _needed(table):
        if stored not in seen:
            found[0].attributes[stored] = "N" if stored == table.ttl else table.types.get(stored, "S")
    return found


def _needed(table: Found) -> list[str]:
    """What indexes and the time to live speak of, whether or not an item has it."""
    named = [name for index in table.indexes for name in (*index["pk"], *index["sk"])]
    for index in table.indexes:
        named += index["projection"] if isinstance(index["projection"], tuple) else ()
    return list(dict.fromkeys([*named, *([table.ttl] if table.ttl else [])]))


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Could an item be read as either? `COUNTER#{}` and `COUNTER#ALL` of one type are alike, and `{}` is like all."""
    return one[0] == other[0] and all(map(_halves_alike, one[1:], other[1:]))


def _halves_alike(one: str, other: str) -> bool:
    if "{}" in (one, other):
        return True
    pieces, others = one.split("#"), other.split("#")
    return len(pieces) == len(others) and all(a == b or "{}" in (a, b) for a, b in zip(pieces, others, strict=True))


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The form that has a part wherever the two differ."""
    return (one[0], *map(_half_of_both, one[1:], other[1:]))


def _half_of_both(one: str, other: str) -> str:
    pieces, others = one.split("#"), other.split("#")
    if len(pieces) != len(others):
        return "{}"
    return "#".join(a if a == b else "{}" for a, b in zip(pieces, others, strict=True))


def _form(table: Found, name: str, item: Item) -> str:
    """`TEAM#1#TASK#2` is `TEAM#{}#TASK#{}`; a key that is no text is one part."""
    text = item.get(name, {}).get("S")
    if text is None or table.types.get(name, "S") != "S":
        return "{}"
    pieces = text.split("#")
    composed = len(pieces) > 1 or any("#" in item.get(name, {}).get("S", "") for item in table.items)
    return "#".join(piece if composed and re.fullmatch(r"[A-Z][A-Z_]*", piece) else "{}" for piece in pieces)


def _entity(
    table: Found, kind: str, forms: list[str], items: list[Item], discriminator: str | None, names: set[str]
) -> Entity:
    keys, parts = [], list[str]()
    for key, form in zip(table.keys, forms, strict=True):
        text, last = "", ""
        for piece in re.split(r"(\{\})", form):
            if piece == "{}":
                part = unique(identifier(last or key), parts)
                parts.append(part)
                text += f"{{{part}}}"
            else:
                text += piece
                words = _PREFIX.findall(piece)
                last = f"{words[-1]}_id" if words else last
        keys.append(text)
    guess = kind or next((word for form in reversed(forms) for word in reversed(_PREFIX.findall(form))), table.name)
    name = unique(identifier(guess.replace("{env}-", "")), names)
    names.add(name)
    attributes: dict[str, str] = {}
    for item in items:
        for stored, value in item.items():
            if stored not in table.keys and stored != discriminator:
                attributes.setdefault(stored, next(iter(value)))
    return Entity(name, tuple(keys), parts, kind or None, attributes)


def _entity_source(variable: str, table: Found, entity: Entity, discriminator: str | None) -> list[str]:
    model = "".join(word.capitalize() for word in entity.name.split("_")) or "Item"
    lines = ["", "", "@model", f"class {model}:"]
    for part, key in zip(entity.parts, _key_of_parts(table, entity), strict=True):
        kind = "str" if len(entity.keys) and "#" in key else TYPES.get(table.types.get(key, "S"), "str")
        lines.append(f"    {part}: Attr[{kind}] = part()")
    for stored, kind in entity.attributes.items():
        attribute = unique(identifier(stored), entity.parts)
        named = "" if attribute == stored else f"{stored!r}, "
        said = TYPES.get(kind, "Any")
        optional = said if said.endswith("None") else f"{said} | None"
        lines.append(f"    {attribute}: Attr[{optional}] = attr({named}default=None)")
    if not table.items and not table.given:
        lines.append("    # No items were seen: add the attributes that yours have.")
    kind = f", type={entity.kind!r}" if discriminator is not None else ""
    arguments = ", ".join(f"{part}: {_plain(table, entity, part)}" for part in entity.parts)
    made = ", ".join(f'f"{text}"' if "{" in text else f'"{text}"' for text in entity.keys)
    lines += ["", "", f"@{variable}.entity({model}{kind})", f"def {_plural(entity.name)}({arguments}) -> Key:"]
    return [*lines, f"    return Key({made})"]


def _key_of_parts(table: Found, entity: Entity) -> list[str]:
    """For each part the key attribute that it stands in first, with a # when it stands there among others."""
    halves = list(zip(table.keys, entity.keys, strict=True))
    homes = [next((key, text) for key, text in halves if f"{{{part}}}" in text) for part in entity.parts]
    return [key if text == f"{{{part}}}" else f"{key}#" for part, (key, text) in zip(entity.parts, homes, strict=True)]


def _plain(table: Found, entity: Entity, part: str) -> str:
    key = _key_of_parts(table, entity)[entity.parts.index(part)]
    return "str" if key.endswith("#") else TYPES.get(table.types.get(key, "S"), "str")


def _plural(name: str) -> str:
    return name if name.endswith("s") else f"{name}s"


def identifier(text: str) -> str:
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    clean = re.sub(r"\W+", "_", snake).strip("_").lower()
    if iskeyword(clean):
        return f"{clean}_"
    return clean if clean and not clean[0].isdigit() else f"x_{clean}"


def unique(name: str, taken: Iterable[str]) -> str:
    known, number, found = set(taken), 2, name
    while found in known:
        found = f"{name}_{number}"
        number += 1
    return found
