"""The command `sekkei`: finds the subcommand, runs it, turns its result into an exit code.

0 is well, 1 means that findings were printed, 2 that the command could not run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from sekkei.commands import COULD_NOT_RUN, CouldNotRun

COMMANDS = ("up", "serve", "tables", "docs", "engine", "verify", "backup", "restore")
"""Each is a module in `sekkei/commands`; see there for what it has to have."""


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="sekkei",
        description="DynamoDB designs as executable Python.",
        epilog="`sekkei COMMAND --help` explains a command and has examples.",
    )
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"sekkei.commands.{name}")
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
    arguments = parser().parse_args(argv)
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
