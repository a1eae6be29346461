"""`sekkei compare`: two versions of a design, for whoever reviews the change."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from sekkei.commands import FINDINGS, OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.advice.comparing import Difference


EXAMPLES = """\
examples:
  sekkei compare shop_before:design shop:design               what changed, the gravest first
  sekkei compare shop_before:design shop:design --format md   a comment for a pull request

Both are measured anew. Exit code: 0 live tables can follow without rewriting, 1 they cannot, 2 could not run.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", help="a module, or module:attribute")
    parser.add_argument("after", help="a module, or module:attribute")
    parser.add_argument("--format", choices=("table", "md", "json"), default="table", help="default: table")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.advice.comparing import compare
    from sekkei.advice.measuring import measure_now
    from sekkei.design import SekkeiError
    from sekkei.design.loading import load

    try:
        before, after = load(arguments.before), load(arguments.after)
        found = compare(before, after, (measure_now(before), measure_now(after)))
    except SekkeiError as error:
        raise CouldNotRun(str(error)) from error
    print(_FORMATS[arguments.format](found))
    return FINDINGS if any(each.kind in ("refused", "rewrite") for each in found) else OK


def _table(found: list[Difference]) -> str:
    from sekkei.advice.comparing import MEANINGS

    if not found:
        return "Nothing differs."
    return "\n".join(f"{MEANINGS[each.kind]:<30} {each.place}: {each.text}" for each in found)


def _markdown(found: list[Difference]) -> str:
    from sekkei.advice.comparing import MEANINGS

    if not found:
        return "The two designs do not differ."
    rows = [f"| {MEANINGS[each.kind]} | `{each.place}` | {each.text.replace('|', chr(92) + '|')} |" for each in found]
    return "\n".join(["| | where | what |", "|---|---|---|", *rows])


def _json(found: list[Difference]) -> str:
    return json.dumps([each._asdict() for each in found], indent=1)


_FORMATS = {"table": _table, "md": _markdown, "json": _json}
