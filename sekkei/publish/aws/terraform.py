"""Tables as Terraform, in its JSON form (`main.tf.json`), which Terraform and OpenTofu read like any other file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sekkei.design import Capacity, Design, Index, Table
from sekkei.publish.aws.names import name_with
from sekkei.publish.aws.tables import DESIGN_TAG, SHARED_WORDS, has_shared

SOURCE, VERSION, _SEVERAL = "hashicorp/aws", ">= 6.0", ">= 6.37"
"""Keys of one attribute are said by `hash_key` and `range_key`, which every version takes. Later ones warn that these
will go, but the `key_schema` that they ask for is unknown before 6.29, and an index that is there would be made anew.
Keys of several attributes need it, and work well from 6.37 on."""


def configuration(*designs: Design, env: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    watched: dict[str, Any] = {}
    for design in designs:
        design.check()
        for table in design.tables.values():
            found[resource_name(table)] = _table(design, table)
            watched |= _insights(table)
    return {
        "terraform": {"required_providers": {"aws": _provider(designs)}, "required_version": ">= 1.5"},
        "variable": _naming_variables(designs, env),
        "resource": {
            "aws_dynamodb_table": found,
            **({"aws_dynamodb_contributor_insights": watched} if watched else {}),
        },
        "output": {f"{name}_arn": {"value": f"${{aws_dynamodb_table.{name}.arn}}"} for name in found},
    }


def _provider(designs: Sequence[Design]) -> dict[str, str]:
    indexes = (index for design in designs for table in design.tables.values() for index in table.indexes.values())
    return {"source": SOURCE, "version": _SEVERAL if any(_is_of_several(each) for each in indexes) else VERSION}


def _is_of_several(index: Index) -> bool:
    return len(index.pk) > 1 or len(index.sk) > 1


def _naming_variables(designs: Sequence[Design], env: str) -> dict[str, Any]:
    found = {"env": {"type": "string", "default": env, "description": "What {env} stands for in table names"}}
    if has_shared(designs):
        found["shared"] = {"type": "string", "default": "", "description": SHARED_WORDS}
    return found


def resource_name(table: Table) -> str:
    """`task-table-v3` is task_table_v3."""
    return plain(table.name)


def plain(text: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in text).lower()


def _table(design: Design, table: Table) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": name_with(design, table, "${var.env}", "${var.shared}"),
        "hash_key": table.pk,
        "attribute": [{"name": name, "type": kind} for name, kind in table.attribute_types().items()],
        "deletion_protection_enabled": table.deletion_protection,
        "point_in_time_recovery": {"enabled": table.pitr},
        "tags": {DESIGN_TAG: design.name, **table.tags},
        "lifecycle": {"prevent_destroy": True},
    }
    if table.sk is not None:
        found["range_key"] = table.sk
    found |= _billing(table)
    if table.warm is not None:
        found["warm_throughput"] = _warmth(table.warm)
    if table.ttl is not None:
        found["ttl"] = {"attribute_name": table.ttl, "enabled": True}
    if table.stream is not None:
        found |= {"stream_enabled": True, "stream_view_type": table.stream}
    for kind, local in (("global_secondary_index", False), ("local_secondary_index", True)):
        indexes = [_index(table, index) for index in table.indexes.values() if index.local is local]
        if indexes:
            found[kind] = indexes
    return found


def _billing(table: Table) -> dict[str, Any]:
    if table.capacity is None:
        return {"billing_mode": "PAY_PER_REQUEST"}
    capacity = table.capacity
    return {"billing_mode": "PROVISIONED", "read_capacity": capacity.read, "write_capacity": capacity.write}


def _index(table: Table, index: Index) -> dict[str, Any]:
    found: dict[str, Any] = {"name": index.name}
    if index.local:
        found["range_key"] = index.sk[0]
    elif not _is_of_several(index):
        found |= {"hash_key": index.pk[0], **({"range_key": index.sk[0]} if index.sk else {})}
    else:
        hashes = [{"attribute_name": name, "key_type": "HASH"} for name in index.pk]
        found["key_schema"] = hashes + [{"attribute_name": name, "key_type": "RANGE"} for name in index.sk]
    if isinstance(index.projection, str):
        found["projection_type"] = index.projection
    else:
        found |= {"projection_type": "INCLUDE", "non_key_attributes": list(index.projection)}
    if table.capacity is not None and not index.local:
        capacity = index.capacity or table.capacity
        found |= {"read_capacity": capacity.read, "write_capacity": capacity.write}
    if index.warm is not None and not index.local:
        found["warm_throughput"] = _warmth(index.warm)
    return found


def _warmth(warm: Capacity) -> dict[str, int]:
    return {"read_units_per_second": warm.read, "write_units_per_second": warm.write}


def _insights(table: Table) -> dict[str, Any]:
    """One resource for the table and one for each index that is watched."""
    name = resource_name(table)
    reference = {"table_name": f"${{aws_dynamodb_table.{name}.name}}"}
    found: dict[str, Any] = {name: reference} if table.insights else {}
    for index in table.indexes.values():
        if index.insights:
            found[f"{name}_{plain(index.name)}"] = {**reference, "index_name": index.name}
    return found
