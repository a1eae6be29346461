"""The command `sekkei`: finds the subcommand, runs it, turns its result into an exit code.

0 is well, 1 means that findings were printed, 2 that the command could not run.

An installed package may bring commands along: `sekkei lessons …` is `sekkei_systems/lessons/command.py`, named by the
entry point `lessons` of the group `sekkei.commands`, with the same four names as a module in `sekkei/commands`. It is
loaded only when it is asked for.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NoReturn

from sekkei.commands import COULD_NOT_RUN, CouldNotRun

COMMANDS = {
    "up": "Run every system: tables, demo data, worker, pages and APIs, and the DynamoDB API beside them.",
    "serve": "Run one system alone: its tables, worker, pages and API.",
    "tables": "Make the tables of a design, show where live tables differ, change what can be changed.",
    "docs": (
        "Write the document of a design: tables, keys, indexes, access patterns with their plans, a diagram, examples."
    ),
    "patterns": "List the access patterns of a design: what they are for, how they are carried out, what they cost.",
    "run": "Run an access pattern on a store and show what it finds, what it cost, and the requests it made.",
    "show": "Show one item: what it is, its attributes, which indexes hold it and which not.",
    "tail": "Follow the changes of a table: a line for each, decoded by its design.",
    "look": (
        "Open the console on any design and any store: items, collections, queries, patterns; read-only by default."
    ),
    "mcp": "Serve a design to coding assistants (Model Context Protocol): what it means, costs and holds; read-only.",
    "measure": "Run every pattern of a design on a store full of believable items, and note what each costs.",
    "check": "Check designs against the rules of DynamoDB: hot keys, dear indexes, filters, scans, lost updates.",
    "cost": "Reckon what a design costs in a month, by pattern, table and index, from measured units and your rates.",
    "simulate": (
        "Simulate the heat of a design: which key range throttles at how many users, and whether a split helps."
    ),
    "compare": "Compare two versions of a design: keys, indexes, costs, and whether live tables can follow.",
    "publish": (
        "Write a design or a system as CloudFormation, SAM, CDK, Terraform, IAM, a NoSQL Workbench model or OpenAPI."
    ),
    "import-design": (
        "Write a design from existing tables: CloudFormation, Terraform, NoSQL Workbench, DescribeTable, or live ones."
    ),
    "adopt": "Write a design for tables that live already, and prove that it asks for no change to them.",
    "world": "Run a system in simulated time: people act, processes die, calls are lost; say which promise broke.",
    "counterpart": (
        "Serve a strict stand-in for a service outside, such as LINE or a mail server, and say how to use it."
    ),
    "engine": "Run DynamoDB on this machine, for boto3, the AWS CLI and every AWS SDK.",
    "doctor": "Say what a system has set up, what is missing, and whether it answers. Nothing is changed or sent.",
    "dead-letters": (
        "Show what failed too often (messages, schedules, jobs, stream records) and why; try it again or drop it."
    ),
    "verify": "Check a store's file: every checksum, every index against its table, SQLite's own check.",
    "backup": "Copy a store's file while it is in use: one consistent moment, verified.",
    "restore": "Make a store out of a backup that `sekkei backup` has made.",
    "recover": "Save from a damaged store everything that can be proven whole, and list what cannot.",
    "snapshot": "Keep a store as it is now under a name, and go back to it.",
    "completion": "Print the completions of a shell: commands, options and their values at the Tab key.",
}
"""Each is a module in `sekkei/commands`, see there for what it has to have, and what it does in one line."""

GROUP = "sekkei.commands"

_OF_THE_SERVER = frozenset(
    {"argon2", "cryptography", "jinja2", "jwt", "markupsafe", "msgspec", "multipart", "segno", "starlette", "uvicorn"}
)
"""Modules that only pages, APIs and systems need; whoever uses designs and the engine alone does without."""

EXAMPLES = """\
examples:
  sekkei up                      everything, with sample data, at http://127.0.0.1:8000
  sekkei serve tasks             one system alone
  sekkei engine                  DynamoDB on this machine, for boto3 and the AWS CLI
  sekkei tables create tasks     the tables of a system, in the store that SEKKEI_STORE names
  sekkei look examples/github.py any design on any store, in the browser
  sekkei check tasks             what a design will run into, and what to do
  sekkei dead-letters list       what failed too often, and why
  sekkei backup data backups/    a copy of the store while it is in use

`sekkei COMMAND --help` explains a command and has examples.
"""


def _further_commands() -> dict[str, str]:
    """Commands that installed packages bring along, and the module of each; nothing is imported yet."""
    return {point.name: point.value for point in entry_points(group=GROUP)}


class Parser(argparse.ArgumentParser):
    """Says what somebody may have meant."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if wrong is not None:
            options = re.findall(r"[\w.-]+", wrong[2])
            if self.prog == "sekkei":
                message = f"there is no command {wrong[1]!r}"
        else:
            wrong = re.search(r"unrecognized arguments: (-\S+)", message)
            options = [option for action in self._actions for option in action.option_strings]
        meant = get_close_matches(wrong[1], options, 1) if wrong is not None else []
        super().error(f"{message}. Did you mean {meant[0]}?" if meant else message)


class Version(argparse.Action):
    """`--version`, read off the installed distribution only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"sekkei {version('sekkei')}")
        parser.exit()


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """`asked` is the command that will be run: only its module is loaded, for `completion` that of every command."""
    further = _further_commands()
    top = Parser(
        prog="sekkei",
        description="DynamoDB designs as executable Python.",
        epilog=EXAMPLES + (f"\nSystems have commands too: {', '.join(sorted(further))}." if further else ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action=Version, nargs=0, help="show the version and exit")
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        sub = subparsers.add_parser(
            name,
            help=summary,
            description=summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if asked in (name, "completion"):
            _fill(sub, top, import_module(f"sekkei.commands.{name.replace('-', '_')}"))
    if asked is not None and asked in further:
        module = import_module(further[asked])
        sub = subparsers.add_parser(
            asked, description=module.SUMMARY, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        _fill(sub, top, module)
    return top


def _fill(sub: argparse.ArgumentParser, top: argparse.ArgumentParser, module: Any) -> None:
    sub.epilog = module.EXAMPLES
    module.add_arguments(sub)
    sub.set_defaults(run=module.run, parser=sub, top=top)


def _parsed(given: list[str]) -> argparse.Namespace:
    """What was asked for; an option that nobody knows is told by the command that it was given to."""
    top = parser(given[0] if given else None)
    arguments, unknown = top.parse_known_args(given)
    if unknown:
        command = getattr(arguments, "parser", top)
        command.error(f"unrecognized arguments: {' '.join(unknown)}")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if argv is None else list(argv)
    arguments = _parsed(given)
    try:
        code: int = arguments.run(arguments)
    except CouldNotRun as error:
        print(f"sekkei: {error}", file=sys.stderr)
        return COULD_NOT_RUN
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _OF_THE_SERVER:
            raise
        print(f"sekkei: {error}. It comes with: pip install 'sekkei[server]'", file=sys.stderr)
        return COULD_NOT_RUN
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
        return COULD_NOT_RUN
    return code


if __name__ == "__main__":
    sys.exit(main())
