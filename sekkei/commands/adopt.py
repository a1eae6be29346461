"""`sekkei adopt`: take over tables that live already, without a change to them."""

from __future__ import annotations

import argparse
from pathlib import Path

from sekkei.commands import FINDINGS, OK, CouldNotRun
from sekkei.commands.import_design import check_out, counted, live_tables, write
from sekkei.commands.startup import open_to_look, settings_to_look, store_errors, store_named

EXAMPLES = """\
examples:
  SEKKEI_STORE=dynamodb://ap-northeast-1 sekkei adopt orders users --out shop.py
  sekkei adopt orders --store http://127.0.0.1:8001 --out shop.py
  sekkei look shop.py --store dynamodb://ap-northeast-1       afterwards: look at it

Tables are read and never written. Nothing is kept unless `sekkei tables diff` finds nothing.
Exit code: 0 well, 1 the design would change a table (and is not written), 2 could not run.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tables", nargs="+", metavar="TABLE", help="its name in the store")
    parser.add_argument("--store", help="a file, dynamodb://REGION or an endpoint's URL (default: SEKKEI_STORE)")
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default: ./data, or SEKKEI_DATA)")
    parser.add_argument("--name", help="of the design (default: from --out)")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the design to write, such as shop.py")


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    out: Path = arguments.out
    check_out(out)
    differing = asyncio.run(_adopt(arguments, settings_to_look(arguments.data).env))
    for step in differing:
        print(step)
    if differing:
        out.unlink()
        print("The design would change these; it was not kept. `sekkei import-design` writes it as it is.")
        return FINDINGS
    print(f"wrote {out}: {counted(len(arguments.tables))}, nothing differs. Rename entities as you like.")
    return OK


async def _adopt(arguments: argparse.Namespace, env: str) -> list[str]:
    """Write the design, load it, and say where live tables differ from it."""
    from sekkei.design import tables
    from sekkei.design.loading import load
    from sekkei.publish.importing import NotUnderstood, proven

    name = store_named(arguments.store, arguments.data)
    store = open_to_look(name)
    try:
        with store_errors(name):
            found = await live_tables(store, arguments.tables)
            write(arguments.out, proven(arguments.name or arguments.out.stem, found))
            return [str(step) for step in await tables.differences(store, load(str(arguments.out)), env)]
    except NotUnderstood as error:
        raise CouldNotRun(str(error)) from error
    finally:
        await store.close()
