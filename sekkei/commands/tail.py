"""`sekkei tail`: a table's changes as they happen."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

from sekkei.commands import OK, CouldNotRun
from sekkei.commands.startup import STORE_HELP, open_to_look, store_errors, store_named
from sekkei.kit.text import written_out

if TYPE_CHECKING:
    from sekkei.advice.stream_tail import Told
    from sekkei.design import Table
    from sekkei.store.protocol import Store


EXAMPLES = """\
examples:
  sekkei tail task-table-v3 --design tasks                 from now on, until Ctrl-C
  sekkei tail task-table-v3 --design tasks --start         from as far back as the stream reaches (24 hours)
  sekkei tail orders --store dynamodb://ap-northeast-1 --entity orders --json | jq .

The table needs a stream: stream="NEW_AND_OLD_IMAGES" in its design.
"""

SECONDS = 1.0
"""Between two looks when nothing came."""
VALUE = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", help="its name in the store")
    parser.add_argument("--design", help="a file, a module, module:attribute, or a system")
    parser.add_argument("--store", metavar="URL", help=STORE_HELP)
    parser.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"), help="fills {env} in table names")
    parser.add_argument("--start", action="store_true", help="begin with what the stream still has")
    parser.add_argument("--entity", help="changes of this entity alone")
    parser.add_argument("--count", type=int, metavar="N", help="end after so many")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each")


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from sekkei.design import SekkeiError
    from sekkei.design.loading import load

    try:
        design = load(arguments.design) if arguments.design else None
    except SekkeiError as error:
        raise CouldNotRun(str(error)) from error
    table = design.table_named(arguments.table, arguments.env) if design is not None else None
    if design is not None and table is None:
        known = ", ".join(design.table_name(one, arguments.env) for one in design.tables.values())
        raise CouldNotRun(f"{design.name} has no table {arguments.table}. It has: {known}.")
    if arguments.entity and (table is None or arguments.entity not in {one.name for one in table.entities}):
        raise CouldNotRun(f"--entity {arguments.entity}: name a design that has such an entity in this table.")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_follow(arguments, table))
    return OK


async def _follow(arguments: argparse.Namespace, table: Table | None) -> None:
    name = store_named(arguments.store)
    store = open_to_look(name)
    try:
        with store_errors(name):
            await _print_changes(store, arguments, table)
    finally:
        await store.close()


async def _print_changes(store: Store, arguments: argparse.Namespace, table: Table | None) -> None:
    import asyncio

    from sekkei.advice.stream_tail import Follower, NoStream, told

    follower = Follower(store, arguments.table, latest=not arguments.start)
    left = arguments.count
    while True:
        try:
            changes = [told(record, table) for record in await follower.read()]
        except NoStream as error:
            raise CouldNotRun(str(error)) from error
        follower.latest = False  # a shard that is new from here on is read from its beginning
        for change in changes:
            if arguments.entity not in (None, change.entity):
                continue
            print(as_json(change) if arguments.json else written_out(_as_line(change)), flush=True)
            left = None if left is None else left - 1
            if left == 0:
                return
        if not changes:
            await asyncio.sleep(SECONDS)


def _as_line(change: Told) -> str:
    from sekkei.advice.snippets import literal

    def short(value: Any) -> str:
        text = "—" if value is None else literal(value)
        return text if len(text) <= VALUE else text[: VALUE - 1] + "…"

    sign = {"INSERT": "+", "MODIFY": "~", "REMOVE": "-"}[change.kind] + (" (expired)" if change.expired else "")
    at = f"{change.at:%H:%M:%S} " if change.at is not None else ""
    key = " ".join(str(next(iter(value.values()))) for value in change.key.values())
    shown = [
        f"{name}={short(new)}" if change.kind != "MODIFY" else f"{name}: {short(old)} → {short(new)}"
        for name, old, new in (() if change.kind == "REMOVE" else change.changes)
    ]
    return f"{at}{sign} {change.entity or 'item'} {key}" + ("  " + ", ".join(shown) if shown else "")


def as_json(change: Told) -> str:
    content = {
        "kind": change.kind,
        "entity": change.entity,
        "key": change.key,
        "changes": {name: {"old": old, "new": new} for name, old, new in change.changes},
        "at": None if change.at is None else change.at.isoformat(),
        "sequence": change.sequence,
        "expired": change.expired,
    }
    return json.dumps(content, ensure_ascii=False)
