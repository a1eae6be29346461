"""`sekkei import-design`: a design out of tables that are there."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sekkei.commands import OK, CouldNotRun
from sekkei.commands.startup import open_to_look, store_errors, store_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sekkei.publish.importing import Found
    from sekkei.store import Store


EXAMPLES = """\
examples:
  sekkei import-design template.json --out shop.py           from CloudFormation (also what CDK and SAM make)
  terraform show -json | sekkei import-design - --out shop.py
  sekkei import-design model.json --out shop.py              from NoSQL Workbench, with its sample rows
  sekkei import-design schema.json --out shop.py             from OneTable, or ElectroDB's models, as JSON
  sekkei import-design --store dynamodb://ap-northeast-1 --table orders --table users --out shop.py
  sekkei tables diff shop --store dynamodb://ap-northeast-1  afterwards: nothing differs

Entities are proposed from the forms of keys in sample items; rename them as you like.
Exit code: 0 well, 2 could not run.
"""

SAMPLE_MAX = 200
BYTES_MAX = 64_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", help="a JSON file; - reads standard input")
    parser.add_argument("--table", action="append", default=[], metavar="NAME", help="a live table")
    parser.add_argument(
        "--store", help="with --table: a file, dynamodb://REGION or an endpoint's URL (default: SEKKEI_STORE)"
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default: ./data, or SEKKEI_DATA)")
    parser.add_argument("--name", help="of the design (default: from --out)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to the terminal")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.publish.importing import NotUnderstood, proven, tables_in

    if (arguments.file is None) == (not arguments.table):
        raise CouldNotRun("Give a file, or --table NAME of a live table.")
    if arguments.store is not None and not arguments.table:
        raise CouldNotRun("--store is where live tables are; name them with --table.")
    if arguments.out is not None:
        check_out(arguments.out)
    name = arguments.name or (arguments.out.stem if arguments.out is not None else "imported")
    try:
        if arguments.table:
            import asyncio

            found = asyncio.run(_live(arguments))
        else:
            found = tables_in(_read(arguments.file))
        text = proven(name, found)
    except NotUnderstood as error:
        raise CouldNotRun(str(error)) from error
    if arguments.out is None:
        sys.stdout.write(text)
        return OK
    write(arguments.out, text)
    out = arguments.out
    print(f"wrote {out}: {counted(len(found))}. Read it, then `sekkei docs {out}` and `sekkei check {out}`.")
    return OK


def counted(tables: int) -> str:
    return "1 table" if tables == 1 else f"{tables} tables"


def check_out(out: Path) -> None:
    """Where a design may be written: a file that can be loaded, and that is not there yet."""
    if out.suffix != ".py" or not out.stem.isidentifier():
        raise CouldNotRun(f"{out} cannot be loaded as a design; name a file such as shop.py.")
    if out.exists():
        raise CouldNotRun(f"{out} is there already; name another file.")


def write(out: Path, text: str) -> None:
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CouldNotRun(f"{out} could not be written: {error.strerror}.") from error


def _read(path: str) -> Any:
    try:
        content = sys.stdin.buffer.read(BYTES_MAX + 1) if path == "-" else _first_bytes(Path(path))
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise CouldNotRun(f"{path}: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise CouldNotRun(f"{path} is no text in UTF-8, so it is neither JSON nor YAML.") from None
    if len(content) > BYTES_MAX:
        raise CouldNotRun(f"{path} is larger than {BYTES_MAX // 1_000_000} MB; give a file with the tables alone.")
    try:
        is_json = path.endswith(".json") or text.lstrip()[:1] in ("", "{", "[")
        return json.loads(text) if is_json else _yaml(text)
    except RecursionError:
        raise CouldNotRun(f"{path} is nested too deep for a description of tables.") from None
    except ValueError as error:
        raise CouldNotRun(f"{path} is no JSON: {error}.") from error


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(BYTES_MAX + 1)


def _yaml(text: str) -> Any:
    """A template in YAML, where a library for that is installed; its short forms (!Sub, !GetAtt) as the long ones."""
    try:
        yaml: Any = import_module("yaml")
    except ImportError:
        raise CouldNotRun("To read YAML, install PyYAML (`pip install pyyaml`), or turn the file into JSON.") from None

    def tagged(loader: Any, tag: str, node: Any) -> Any:
        name = tag if tag in ("Ref", "Condition") else f"Fn::{tag}"
        if isinstance(node, yaml.ScalarNode):
            return {name: loader.construct_scalar(node)}
        listed = isinstance(node, yaml.SequenceNode)
        return {name: loader.construct_sequence(node, True) if listed else loader.construct_mapping(node, True)}

    loader: Any = type(
        "Loader", (yaml.SafeLoader,), {"__doc__": "Knows CloudFormation's tags, and makes nothing but data."}
    )
    loader.add_multi_constructor("!", tagged)
    try:
        return yaml.load(text, loader)
    except yaml.YAMLError as error:
        raise CouldNotRun(f"It is no YAML that can be read: {error}") from error


async def _live(arguments: argparse.Namespace) -> list[Found]:
    name = store_named(arguments.store, arguments.data)
    store = open_to_look(name)
    try:
        with store_errors(name):
            return await live_tables(store, arguments.table)
    finally:
        await store.close()


async def live_tables(store: Store, names: Sequence[str]) -> list[Found]:
    """Tables as a store describes them, with a sample of their items."""
    from sekkei.errors import ResourceNotFoundException
    from sekkei.publish.importing import tables_in

    found = []
    for name in names:
        try:
            (table,) = tables_in(await store.call("DescribeTable", {"TableName": name}))
        except ResourceNotFoundException:
            raise CouldNotRun(f"There is no table {name} in the store.") from None
        ttl = await store.call("DescribeTimeToLive", {"TableName": name})
        table.ttl = ttl["TimeToLiveDescription"].get("AttributeName")
        backups = await store.call("DescribeContinuousBackups", {"TableName": name})
        recovery = backups["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
        table.pitr = recovery.get("PointInTimeRecoveryStatus") == "ENABLED"
        table.items = (await store.call("Scan", {"TableName": name, "Limit": SAMPLE_MAX}))["Items"]
        found.append(table)
    return found
