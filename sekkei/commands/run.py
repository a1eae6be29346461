"""`sekkei run`: ask a store by a pattern of its design."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from sekkei.commands import OK, CouldNotRun
from sekkei.commands.startup import open_to_look, settings_to_look, store_errors, store_named
from sekkei.kit.text import written_out

if TYPE_CHECKING:
    from sekkei.advice.pattern_runner import Tried


EXAMPLES = """\
examples:
  sekkei run tasks one_team team_id=01J9…                 in ./data, or the store that SEKKEI_STORE names
  sekkei run tasks default_board team_id=01J9… --data /var/lib/sekkei --size 20
  sekkei run tasks default_board team_id=01J9… --json | jq .
  sekkei run tasks default_board team_id=01J9… --as boto3      the same for boto3, "AWS CLI", PartiQL …

Only patterns that read are run. `sekkei patterns DESIGN` lists them.
"""

_CELL = 28


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", help="a system, a module, or module:attribute")
    parser.add_argument("pattern", help="its name")
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE", help="its arguments")
    parser.add_argument("--with", dest="given", action="append", default=[], metavar="NAME=VALUE", help="the same")
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default: ./data, or SEKKEI_DATA)")
    parser.add_argument("--size", type=int, default=50, help="items of a page (default: %(default)s)")
    parser.add_argument("--after", metavar="CURSOR", help="go on behind the page before")
    parser.add_argument("--as", dest="form", metavar="FORM", help="print the request instead")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from sekkei.advice.pattern_runner import BadArgument
    from sekkei.advice.snippets import copies
    from sekkei.design import SekkeiError
    from sekkei.design.loading import load

    texts = dict(_pair(text) for text in [*arguments.given, *arguments.values])
    try:
        design = load(arguments.design)
        tried = asyncio.run(_tried(arguments, texts))
    except BadArgument as error:
        how = f". Write it behind the pattern: {error.name}=…" if error.code == "empty" else ""
        raise CouldNotRun(f"{error}{how}") from error
    except (SekkeiError, LookupError, ValueError) as error:
        raise CouldNotRun(str(error)) from error
    if arguments.form is not None:
        forms = copies(tried, design, texts)
        if arguments.form not in forms:
            raise CouldNotRun(f"There is no form {arguments.form}. There are: {', '.join(forms)}.")
        print(forms[arguments.form])
    else:
        print(_as_json(tried) if arguments.json else written_out(_as_table(tried)))
    return OK


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise CouldNotRun(f"{text}: write NAME=VALUE.")
    return name, value


async def _tried(arguments: argparse.Namespace, texts: dict[str, str]) -> Tried:
    from sekkei.advice.pattern_runner import try_pattern
    from sekkei.design.loading import load

    settings, name = settings_to_look(arguments.data), store_named(None, arguments.data)
    store = open_to_look(name)
    try:
        with store_errors(name):
            return await try_pattern(
                load(arguments.design),
                store,
                arguments.pattern,
                texts,
                env=settings.env,
                secret=settings.secrets.key("cursors"),
                size=arguments.size,
                after=arguments.after,
            )
    finally:
        await store.close()


def _as_table(tried: Tried) -> str:
    columns = tried.columns
    widths = {name: min(_CELL, max(len(name), *(len(row.get(name, "")) for row in tried.rows))) for name in columns}
    lines = ["  ".join(f"{name:<{widths[name]}}"[: widths[name]] for name in columns)] if columns else []
    for row in tried.rows:
        lines.append("  ".join(f"{row.get(name, ''):<{widths[name]}}"[: widths[name]] for name in columns))
    units = f"{tried.tally.read_units:g} read units, {tried.tally.calls} calls, {tried.milliseconds:.1f} ms"
    lines.append(f"{len(tried.rows)} items of {tried.tally.items_read} read; {units}")
    return "\n".join([*lines, *(f"more: --after {cursor}" for cursor in tried.cursors)])


def _as_json(tried: Tried) -> str:
    content = {
        "items": [{"entity": kind, **row} for kind, row in zip(tried.entities, tried.rows, strict=True)],
        "readUnits": tried.tally.read_units,
        "itemsRead": tried.tally.items_read,
        "cursor": next(iter(tried.cursors), None),
        "cursors": tried.cursors,
    }
    return json.dumps(content, indent=1, ensure_ascii=False)
