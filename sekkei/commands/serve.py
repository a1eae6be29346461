"""`sekkei serve`: one system alone."""

from __future__ import annotations

import argparse

from sekkei.commands import CouldNotRun
from sekkei.commands.up import add_common_arguments, configure_logs, serve_systems

EXAMPLES = """\
examples:
  sekkei serve tasks                                            http://127.0.0.1:8000/tasks/, data in ./data
  SEKKEI_STORE=dynamodb://ap-northeast-1 sekkei serve tasks     on Amazon DynamoDB
  sekkei serve q --host 0.0.0.0 --no-worker                     for a load balancer; another process does the work

The settings are those of `sekkei up`; see `sekkei up --help`.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the system's name, such as tasks")
    add_common_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    from sekkei.runtime.discovery import NoSuchSystem, load

    configure_logs(arguments)
    try:
        system = load(arguments.name)
    except NoSuchSystem as error:
        raise CouldNotRun(str(error)) from error
    return serve_systems([system], arguments)
