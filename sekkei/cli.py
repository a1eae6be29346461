"""The command `sekkei`: finds the subcommand, runs it, turns its result into an exit code.

0 is well, 1 means that findings were printed, 2 that the command could not run.

A system may have commands of its own: `sekkei lessons …` is `systems/lessons/command.py`, with the same four names as a
module in `sekkei/commands`. It is loaded only when it is asked for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from sekkei.commands import COULD_NOT_RUN, CouldNotRun

COMMANDS = ("up", "serve", "tables", "docs", "engine", "aside", "verify", "backup", "restore")
"""Each is a module in `sekkei/commands`; see there for what it has to have."""

EXAMPLES = """\
examples:
  sekkei up                      everything, with sample data, at http://127.0.0.1:8000
  sekkei serve tasks             one system alone
  sekkei engine                  DynamoDB on this machine, for boto3 and the AWS CLI
  sekkei tables create tasks     the tables of a system, in the store that SEKKEI_STORE names
  sekkei aside list              what failed too often, and why
  sekkei backup data backups/    a copy of the store while it is in use

`sekkei COMMAND --help` explains a command and has examples.
"""


def system_commands() -> list[str]:
    """Names of the systems that have commands of their own."""
    spec = find_spec("systems")
    folders = spec.submodule_search_locations if spec is not None else None
    return sorted(path.parent.name for folder in folders or () for path in Path(folder).glob("*/command.py"))


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """`asked` is the command that will be run, if that is known: only then a system's command is loaded."""
    systems = system_commands()
    top = argparse.ArgumentParser(
        prog="sekkei",
        description="DynamoDB designs as executable Python.",
        epilog=EXAMPLES + (f"\nSystems have commands too: {', '.join(systems)}." if systems else ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    modules = {name: f"sekkei.commands.{name}" for name in COMMANDS}
    if asked in systems:
        modules[asked] = f"sekkei_systems.{asked}.command"
    for name, path in modules.items():
        module = import_module(path)
        sub = subparsers.add_parser(
            name,
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
