"""`sekkei show`: one item, decoded."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sekkei.commands import OK, CouldNotRun
from sekkei.commands.startup import STORE_HELP, open_to_look, store_errors, store_named
from sekkei.kit.text import written_out

if TYPE_CHECKING:
    from sekkei.design import Design, Entity
    from sekkei.store.protocol import Store


EXAMPLES = """\
examples:
  sekkei show orders order_id=17 --design shop.py          by the parts of its key
  sekkei show OnlineShop 'o#17' 'i#1' --design shop.py     by the key as it is stored
  sekkei show OnlineShop 'o#17' 'i#1' --store http://127.0.0.1:8001       without a design
  sekkei show orders order_id=17 --design shop.py --json | jq .
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", help="an entity of the design, or a table of the store")
    parser.add_argument("key", nargs="+", help="NAME=VALUE for an entity; partition key and sort key for a table")
    parser.add_argument("--design", help="a file, a module, module:attribute, or a system")
    parser.add_argument("--store", metavar="URL", help=STORE_HELP)
    parser.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"), help="fills {env} in table names")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from sekkei.design import SekkeiError
    from sekkei.design.loading import load

    try:
        design = load(arguments.design) if arguments.design else None
        found = asyncio.run(_found(arguments, design))
    except SekkeiError as error:
        raise CouldNotRun(str(error)) from error
    print(
        json.dumps(found, ensure_ascii=False, indent=1, default=str) if arguments.json else written_out(as_text(found))
    )
    return OK


async def _found(arguments: argparse.Namespace, design: Design | None) -> dict[str, Any]:
    entity = _entity(design, arguments.what)
    name = store_named(arguments.store)
    store = open_to_look(name)
    try:
        with store_errors(name):
            return await _shown(store, arguments, design, entity)
    finally:
        await store.close()


def _entity(design: Design | None, name: str) -> Entity[..., Any] | None:
    tables = design.tables.values() if design is not None else ()
    return next((one for table in tables for one in table.entities if one.name == name), None)


async def _shown(
    store: Store, arguments: argparse.Namespace, design: Design | None, entity: Entity[..., Any] | None
) -> dict[str, Any]:
    if entity is not None and design is not None:
        table, key = design.table_name(entity.table, arguments.env), _made(entity, arguments.key)
        description = (await store.call("DescribeTable", {"TableName": table}))["Table"]
    else:
        table = arguments.what
        description = (await store.call("DescribeTable", {"TableName": table}))["Table"]
        key = _typed(description, arguments.key)
    answer = await store.call("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
    if "Item" not in answer:
        raise CouldNotRun(f"{table} has no item {_words(key)}.")
    return described(answer["Item"], description, design, arguments.env)


def _made(entity: Entity[..., Any], given: list[str]) -> dict[str, Any]:
    """The key, out of its parts as they are stored."""
    parts = dict(one.partition("=")[::2] for one in given)
    names = sorted(entity.key_fields)
    if set(parts) != set(names) or any("=" not in one for one in given):
        raise CouldNotRun(f"The key of {entity.name} has these parts: {' '.join(f'{name}=…' for name in names)}.")
    values: dict[str, Any] = {}
    for name, text in parts.items():
        field = entity.model.fields[name]
        try:
            values[name] = field.codec.from_text(text)
        except (ValueError, LookupError, ArithmeticError) as error:
            shape = f" It looks like {field.codec.shape}." if field.codec.shape else ""
            raise CouldNotRun(f"{name}: {text!r} does not fit.{shape}") from error
    return dict(entity(**values).key)


def _typed(description: Mapping[str, Any], given: list[str]) -> dict[str, Any]:
    names = [part["AttributeName"] for part in sorted(description["KeySchema"], key=lambda part: part["KeyType"])]
    types = {one["AttributeName"]: one["AttributeType"] for one in description["AttributeDefinitions"]}
    if len(given) != len(names):
        raise CouldNotRun(f"The key of {description['TableName']} has these parts: {' '.join(names)}.")
    return {name: {types[name]: text} for name, text in zip(names, given, strict=True)}


def _words(key: Mapping[str, Any]) -> str:
    return " ".join(str(next(iter(value.values()))) for value in key.values())


def described(item: Mapping[str, Any], table: Mapping[str, Any], design: Design | None, env: str) -> dict[str, Any]:
    """The item with what its design says of it."""
    from sekkei.advice.pattern_runner import shown
    from sekkei.advice.sizes import item_bytes
    from sekkei.design import SekkeiError

    declared = design.table_named(table["TableName"], env) if design is not None else None
    found: dict[str, Any] = {"table": table["TableName"], "entity": None, "bytes": item_bytes(item), "attributes": {}}
    if declared is not None:
        try:
            entity = declared.entity_of(item)
            instance = entity.decode(item)
            found["entity"] = entity.name
            found["attributes"] = {name: shown(getattr(instance, name)) for name in entity.model.fields}
        except SekkeiError as error:
            found["wrong"] = str(error)
    indexes = [*table.get("GlobalSecondaryIndexes", ()), *table.get("LocalSecondaryIndexes", ())]
    missing = {
        one["IndexName"]: [part["AttributeName"] for part in one["KeySchema"] if part["AttributeName"] not in item]
        for one in indexes
    }
    found["in_indexes"] = [name for name, lacking in missing.items() if not lacking]
    found["not_in_indexes"] = {name: lacking for name, lacking in missing.items() if lacking}
    return {**found, "item": dict(item)}


def as_text(found: Mapping[str, Any]) -> str:
    from sekkei.advice.snippets import literal

    title = f"{found['entity'] or 'item'} of {found['table']}, {found['bytes']} bytes"
    rows = [(name, text) for name, text in found["attributes"].items()]
    rows = rows or [(name, literal(value)) for name, value in sorted(found["item"].items())]
    width = max(len(name) for name, _ in rows)
    lines = [title, *(f"  {name:<{width}}  {text}" for name, text in rows)]
    if found["in_indexes"]:
        lines.append(f"in the indexes: {', '.join(found['in_indexes'])}")
    lines += [f"not in {name}: it has no {', '.join(lacking)}" for name, lacking in found["not_in_indexes"].items()]
    return "\n".join([*lines, *([f"cannot be read as an entity: {found['wrong']}"] if "wrong" in found else [])])
