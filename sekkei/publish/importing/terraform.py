"""Tables of Terraform: its JSON syntax, `terraform show -json` of a state or a plan, and the file of a state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sekkei.publish.importing.found import Found, attribute_types, ours, projection
from sekkei.publish.importing.given import Given, NotUnderstood

TABLE, _INSIGHTS = "aws_dynamodb_table", "aws_dynamodb_contributor_insights"
_VARIABLE = re.compile(r"\$\{var\.(\w+)\}")
ENVIRONMENTS = ("env", "environment", "stage")
"""What a variable for the environment is usually called."""


def from_terraform(content: Given) -> list[Found]:
    tables = {place: _terraformed(table, content) for place, table in _resources(content, TABLE)}
    for _, one in _resources(content, _INSIGHTS):
        name, index = one.at("table_name").text(""), one.at("index_name").text("")
        table = tables.get(name.removeprefix("${").removesuffix(".name}"))
        table = table or next((each for each in tables.values() if each.name == name), None)
        if table is not None and index:
            for each in table.indexes:
                each["insights"] = each.get("insights", False) or each["name"] == index
        elif table is not None:
            table.insights = True
    return list(tables.values())


def _resources(content: Given, kind: str) -> Iterator[tuple[str, Given]]:
    """Everything of this kind, by its address."""
    if content.has("resource"):
        for name, written in content.at("resource", kind).entries():
            yield from ((f"{kind}.{name}", block) for block in written.blocks())
    for values in ("values", "planned_values"):
        if content.has(values):
            yield from _of_module(content.at(values, "root_module"), kind)
    if content.has("resources") and content.has("terraform_version"):
        for one in content.at("resources").each():
            if one.at("type").text("") == kind and one.at("mode").text("managed") == "managed":
                for number, instance in enumerate(one.at("instances").each()):
                    yield f"{kind}.{one.at('name').text()}[{number}]", instance.at("attributes")


def _of_module(module: Given, kind: str) -> Iterator[tuple[str, Given]]:
    for one in module.at("resources").each():
        if one.at("type").text("") == kind and one.at("mode").text("managed") == "managed":
            yield one.at("address").text(one.place), one.at("values")
    for child in module.at("child_modules").each():
        yield from _of_module(child, kind)


def _terraformed(table: Given, content: Given) -> Found:
    keys = (table.at("hash_key").text(), *([table.at("range_key").text()] if table.at("range_key").content else []))
    types = attribute_types((one.at("name"), one.at("type")) for one in table.at("attribute").blocks())
    found = Found(_name(table.at("name"), content), keys, types)
    for kind, local in (("global_secondary_index", False), ("local_secondary_index", True)):
        found.indexes += [_index(one, keys[0], local) for one in table.at(kind).blocks()]
    ttl, pitr = _one(table.at("ttl")), _one(table.at("point_in_time_recovery"))
    expires = ttl.at("enabled").flag(default=True) and ttl.at("attribute_name").content
    found.ttl = ttl.at("attribute_name").text() if expires else None
    found.pitr = pitr.at("enabled").flag()
    found.stream = table.at("stream_view_type").text() if table.at("stream_view_type").content else None
    found.protected = table.at("deletion_protection_enabled").flag()
    found.capacity = _capacity(table) if table.at("billing_mode").content == "PROVISIONED" else None
    found.warm = _warm(table)
    found.tags = {key: one.text("") for key, one in table.at("tags").entries() if ours(key) and one.content}
    return found


def _name(place: Given, content: Given) -> str:
    """`${var.env}` is the environment; another variable is what it is unless somebody says otherwise."""

    def value(found: re.Match[str]) -> str:
        if found[1] in ENVIRONMENTS:
            return "{env}"
        default = content.at("variable", found[1], "default").content if content.has("variable") else None
        return default if isinstance(default, str) else found[0]

    name = _VARIABLE.sub(value, place.text())
    if "${" in name:
        raise NotUnderstood(f"{place.place} is {name}, known only to Terraform. Give `terraform show -json` instead.")
    return name


def _index(one: Given, table_hash: str, local: bool) -> dict[str, Any]:
    ranges = [one.at("range_key").text()] if one.at("range_key").content else []
    hashes = [table_hash] if local else [one.at("hash_key").text()] if one.at("hash_key").content else []
    for part in one.at("key_schema").blocks():
        kind, name = part.at("key_type").text(), part.at("attribute_name").text()
        if not (local and kind == "HASH"):
            (hashes if kind == "HASH" else ranges).append(name)
    if not hashes or (local and not ranges):
        raise NotUnderstood(f"{one.place} should have a {'range_key' if local else 'hash_key'}.")
    index = {"name": one.at("name").text(), "pk": hashes, "sk": ranges, "local": local}
    index["projection"] = projection(one.at("projection_type"), one.at("non_key_attributes"))
    return {**index, "capacity": _capacity(one), "warm": _warm(one)}


def _capacity(place: Given) -> tuple[int, int] | None:
    read, write = place.at("read_capacity"), place.at("write_capacity")
    return (read.number(), write.number()) if read.content and write.content else None


def _warm(place: Given) -> tuple[int, int] | None:
    warm = _one(place.at("warm_throughput"))
    read, write = warm.at("read_units_per_second"), warm.at("write_units_per_second")
    return (read.number(), write.number()) if read.known and write.known else None


def _one(block: Given) -> Given:
    """A block of Terraform is an object, or a list of one."""
    return next(iter(block.blocks()), Given(None, block.place))
