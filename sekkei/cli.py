"""The command `sekkei`: finds the subcommand, runs it, turns its result into an exit code.

0 is well, 1 means that findings were printed, 2 that the command could not run.

An installed package may bring commands along: `sekkei lessons …` is `sekkei_systems/lessons/command.py`, named by the
entry point `lessons` of the group `sekkei.commands`, with the same four names as a module in `sekkei/commands`. It is
loaded only when it is asked for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points

from sekkei.commands import COULD_NOT_RUN, CouldNotRun

COMMANDS = (
    "up",
    "serve",
    "tables",
    "docs",
    "measure",
    "check",
    "cost",
    "simulate",
    "compare",
    "publish",
    "world",
    "engine",
    "dead-letters",
    "verify",
    "backup",
    "restore",
    "recover",
)
"""Each is a module in `sekkei/commands`; see there for what it has to have."""

GROUP = "sekkei.commands"
OLD_NAMES = {"dead-letters": ("aside",)}
"""Commands that had another name before, under which they still run."""

EXAMPLES = """\
examples:
  sekkei up                      everything, with sample data, at http://127.0.0.1:8000
  sekkei serve tasks             one system alone
  sekkei engine                  DynamoDB on this machine, for boto3 and the AWS CLI
  sekkei tables create tasks     the tables of a system, in the store that SEKKEI_STORE names
  sekkei check tasks             what a design will run into, and what to do
  sekkei dead-letters list       what failed too often, and why
  sekkei backup data backups/    a copy of the store while it is in use

`sekkei COMMAND --help` explains a command and has examples.
"""


def further_commands() -> dict[str, str]:
    """Commands that installed packages bring along, and the module of each; nothing is imported yet."""
    return {point.name: point.value for point in entry_points(group=GROUP)}


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """`asked` is the command that will be run, if that is known: only then a system's command is loaded."""
    further = further_commands()
    top = argparse.ArgumentParser(
        prog="sekkei",
        description="DynamoDB designs as executable Python.",
        epilog=EXAMPLES + (f"\nSystems have commands too: {', '.join(sorted(further))}." if further else ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    modules = {name: f"sekkei.commands.{name.replace('-', '_')}" for name in COMMANDS}
    if asked is not None and asked in further:
        modules[asked] = further[asked]
    for name, path in modules.items():
        module = import_module(path)
        sub = subparsers.add_parser(
            name,
            aliases=OLD_NAMES.get(name, ()),
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if argv is None else list(argv)
    arguments = parser(given[0] if given else None).parse_args(given)
    try:
        code: int = arguments.run(arguments)
    except CouldNotRun as error:
        print(f"sekkei: {error}", file=sys.stderr)
        return COULD_NOT_RUN
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
        return COULD_NOT_RUN
    return code


if __name__ == "__main__":
    sys.exit(main())
