"""`sekkei dead-letters`: what was given up, why, and what becomes of it."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from typing import TYPE_CHECKING

from sekkei.commands import FINDINGS, OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.runtime.dead_letters import DeadLetter, DeadLetterKind, DeadLetters
    from sekkei.runtime.deployment import Deployment
    from sekkei.runtime.settings import Settings
    from sekkei.store.protocol import Store


EXAMPLES = """\
examples:
  sekkei dead-letters list                              everything given up, in the store that SEKKEI_STORE names
  sekkei dead-letters list --data /var/lib/sekkei       in the store of another data folder; it may be in use meanwhile
  sekkei dead-letters retry message:tasks/invite/1      have it done again, by the worker that runs
  sekkei dead-letters retry record:tasks/task-table-v3/100000000000000000042
                                                 hand a stream record to its system's reactions, here and now
  sekkei dead-letters drop job:q/leave/u1               let go of it
  sekkei dead-letters skip shard:tasks/task-table-v3/shardId-1
                                                 read on behind a part of a stream that cannot be read, or set a
                                                 job aside that fails each time; it stays here, to be retried

Exit code: 0 well (nothing is set aside, or everything named went through), 1 something is set aside or fails still,
2 could not run. Operators see the same at /console/aside.
"""

PAGE_ITEMS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("list", "retry", "drop", "skip"))
    parser.add_argument("names", metavar="NAME", nargs="*", help="as `list` shows them, such as message:tasks/invite/1")
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default: ./data, or SEKKEI_DATA)")


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from sekkei.commands.startup import open_to_look, settings_to_look, store_errors, store_named

    if (arguments.what == "list") == bool(arguments.names):
        raise CouldNotRun(
            "`sekkei dead-letters list` takes no names."
            if arguments.names
            else f"Name what to {arguments.what}, as `sekkei dead-letters list` shows it."
        )
    settings, name = settings_to_look(arguments.data), store_named(None, arguments.data)
    store = open_to_look(name, write=arguments.what != "list")
    with store_errors(name):
        return asyncio.run(_with(store, settings, arguments))


async def _with(store: Store, settings: Settings, arguments: argparse.Namespace) -> int:
    from sekkei.clock import SYSTEM
    from sekkei.runtime.dead_letters import DeadLetterKind, DeadLetters
    from sekkei.runtime.deployment import sealed
    from sekkei.runtime.design import design

    try:
        dead_letters = DeadLetters(design.open(sealed(store, settings), env=settings.env), SYSTEM)
        if arguments.what == "list":
            return await _list(dead_letters)
        chosen = [_split(name) for name in arguments.names]
        if arguments.what == "retry" and any(kind is DeadLetterKind.RECORD for kind, _ in chosen):
            dead_letters = _deployment(store, settings).dead_letters  # a record is handled by its system
        return await _each(dead_letters, arguments.what, chosen)
    finally:
        await store.close()


def _deployment(store: Store, settings: Settings) -> Deployment:
    from sekkei.clock import SYSTEM
    from sekkei.runtime.deployment import assemble
    from sekkei.runtime.discovery import load_all

    systems, missing = load_all()
    for name, why in missing.items():
        print(f"{name} is left out: {why}", file=sys.stderr)
    return assemble(systems, store, settings, SYSTEM)


async def _list(dead_letters: DeadLetters) -> int:
    from sekkei.runtime.dead_letters import DeadLetterKind

    count = 0
    for kind in DeadLetterKind:
        after: str | None = None
        while True:
            found, after = await dead_letters.page(kind, size=PAGE_ITEMS, after=after)
            for one in found:
                count += 1
                print(_lines(one))
            if after is None:
                break
    print(f"{count} set aside." if count else "Nothing is set aside.")
    return FINDINGS if count else OK


def _lines(one: DeadLetter) -> str:
    head = f"{one.name}\n  {one.at:%Y-%m-%d %H:%M} UTC, {one.attempts} attempts: {one.what}"
    return f"{head}\n  {one.error or 'no reason was recorded'}"


async def _each(dead_letters: DeadLetters, what: str, chosen: list[tuple[DeadLetterKind, str]]) -> int:
    from sekkei.runtime.refusals import Refusal

    code, by = OK, f"{_who()} (sekkei dead-letters)"
    for kind, id in chosen:
        name = f"{kind.value}:{id}"
        try:
            if what == "drop":
                await dead_letters.drop(kind, id, by=by)
                print(f"{name}: dropped.")
            elif what == "skip":
                await dead_letters.skip(kind, id, by=by)
                print(f"{name}: skipped; it can be retried.")
            elif await dead_letters.retry(kind, id, by=by):
                print(f"{name}: {'it went through' if kind.value == 'record' else 'will be tried again'}.")
            else:
                print(f"{name}: it fails still; `sekkei dead-letters list` says why.")
                code = FINDINGS
        except Refusal as refusal:
            raise CouldNotRun(f"{name}: {refusal}") from None
    return code


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user has a number and no name
        return f"uid {os.getuid()}"


def _split(name: str) -> tuple[DeadLetterKind, str]:
    from sekkei.runtime.dead_letters import DeadLetterKind

    kind, _, id = name.partition(":")
    if not id or kind not in {one.value for one in DeadLetterKind}:
        raise CouldNotRun(
            f"{name!r} names nothing. `sekkei dead-letters list` shows names such as message:tasks/invite/1."
        )
    return DeadLetterKind(kind), id
