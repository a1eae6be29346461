"""`sekkei tables`: the tables of a design in a store."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from sekkei.commands import FINDINGS, OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.design import Design
    from sekkei.store import Store


EXAMPLES = """\
examples:
  sekkei tables create q                                 make what is missing, in the store that SEKKEI_STORE names
  sekkei tables diff q --store dynamodb://ap-northeast-1 --env prod
  sekkei tables apply q --env prod --replace prod-q-Users.old-index

diff exits with 1 when something differs. apply makes missing tables and indexes, one index at a time, and changes
settings; whatever loses something (an index, a stream, a table) happens only when --replace names it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("create", "diff", "apply"))
    parser.add_argument("design", metavar="DESIGN", help="a module with a design, or the name of a system")
    parser.add_argument(
        "--store",
        default=os.environ.get("SEKKEI_STORE", "data/sekkei.db"),
        help="a file, dynamodb://REGION or an endpoint's URL (default: SEKKEI_STORE, or data/sekkei.db)",
    )
    parser.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"), help="fills {env} in table names")
    parser.add_argument(
        "--replace", action="append", default=[], metavar="NAME", help="allow what diff shows under this name"
    )


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from sekkei.commands.startup import file_errors, open_to_look
    from sekkei.design import SekkeiError
    from sekkei.design.loading import load
    from sekkei.errors import DynamoDBError
    from sekkei.store import ConfigurationError, CredentialsError, NoAnswer, open_store

    try:
        design = load(arguments.design)
        with file_errors(arguments.store):
            store = open_to_look(arguments.store) if arguments.what == "diff" else open_store(arguments.store)
        return asyncio.run(_with_store(store, design, arguments))
    except (SekkeiError, ConfigurationError, CredentialsError, NoAnswer) as error:
        raise CouldNotRun(str(error)) from error
    except DynamoDBError as error:
        raise CouldNotRun(f"the store refused: {error.code}: {error.message}") from error


async def _with_store(store: Store, design: Design, arguments: argparse.Namespace) -> int:
    try:
        return await {"create": _create, "diff": _diff, "apply": _apply}[arguments.what](store, design, arguments)
    finally:
        await store.close()


async def _create(store: Store, design: Design, arguments: argparse.Namespace) -> int:
    from sekkei.design import tables

    made = await tables.create(store, design, arguments.env)
    for name in made:
        print(f"made {name}")
    print(f"{design.name}: {len(made)} of {len(design.tables)} tables were missing.")
    return OK


async def _diff(store: Store, design: Design, arguments: argparse.Namespace) -> int:
    from sekkei.design import tables

    steps = await tables.differences(store, design, arguments.env)
    for step in steps:
        print(step)
    if not steps:
        print(f"{design.name}: {len(design.tables)} tables are as the design says.")
    return FINDINGS if steps else OK


async def _apply(store: Store, design: Design, arguments: argparse.Namespace) -> int:
    from sekkei.design import tables

    done, left = await tables.apply(store, design, arguments.env, named=arguments.replace)
    for step in done:
        print(f"done: {step.table}: {step.words}")
    for step in left:
        print(f"left: {step}")
    print(f"{design.name}: {len(done)} done, {len(left)} left.")
    return FINDINGS if left else OK
