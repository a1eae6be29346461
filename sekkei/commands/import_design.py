"""`sekkei import-design`: a design out of tables that are there."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from sekkei.commands import OK, CouldNotRun
from sekkei.commands.startup import open_the_store, settings_of, store_errors

SUMMARY = (
    "Write a design from existing tables: CloudFormation, Terraform, NoSQL Workbench, DescribeTable, or live ones."
)

EXAMPLES = """\
examples:
  sekkei import-design template.json --out shop.py           from CloudFormation (also what CDK and SAM make)
  terraform show -json | sekkei import-design - --out shop.py
  sekkei import-design model.json --out shop.py              from NoSQL Workbench, with its sample rows
  SEKKEI_STORE=dynamodb://ap-northeast-1 sekkei import-design --table orders --table users --out shop.py
  sekkei tables diff shop:design                             afterwards: nothing differs

Entities are proposed from the forms of keys in sample items; rename them as you like.
Exit code: 0 well, 2 could not run.
"""

SAMPLE_MAX = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", help="a JSON file; - reads standard input")
    parser.add_argument("--table", action="append", default=[], metavar="NAME", help="a live table, in SEKKEI_STORE")
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default: ./data, or SEKKEI_DATA)")
    parser.add_argument("--name", help="of the design (default: from --out)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to the terminal")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.publish.importing import NotUnderstood, source, tables_in

    if (arguments.file is None) == (not arguments.table):
        raise CouldNotRun("Give a file, or --table NAME of a live table.")
    try:
        if arguments.table:
            import asyncio

            found = asyncio.run(_live(arguments))
        else:
            found = tables_in(_read(arguments.file))
    except NotUnderstood as error:
        raise CouldNotRun(str(error)) from error
    name = arguments.name or (arguments.out.stem if arguments.out is not None else "imported")
    text = source(name, found)
    if arguments.out is None:
        sys.stdout.write(text)
        return OK
    if arguments.out.exists():
        raise CouldNotRun(f"{arguments.out} is there already; name another file.")
    arguments.out.write_text(text, encoding="utf-8")
    print(f"wrote {arguments.out}: {len(found)} tables. Read it, then `sekkei docs {name}` and `sekkei check {name}`.")
    return OK


def _read(path: str) -> Any:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text("utf-8")
        return json.loads(text)
    except OSError as error:
        raise CouldNotRun(f"{path}: {error.strerror}.") from error
    except ValueError as error:
        yaml = path.endswith((".yaml", ".yml"))
        hint = " Turn YAML into JSON first, for example with `cfn-flip`." if yaml else ""
        raise CouldNotRun(f"{path} is no JSON: {error}.{hint}") from error


async def _live(arguments: argparse.Namespace) -> list[Any]:
    from sekkei.errors import ResourceNotFoundException
    from sekkei.publish.importing import tables_in

    settings = settings_of(data=arguments.data)
    store = open_the_store(settings)
    found = []
    try:
        with store_errors(settings.store or str(settings.data)):
            for name in arguments.table:
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
    finally:
        await store.close()
    return found
