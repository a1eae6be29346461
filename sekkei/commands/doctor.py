"""`sekkei doctor`: what is set up, what is missing, and whether it answers."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sekkei.commands import FINDINGS, OK, CouldNotRun
from sekkei.commands.startup import open_to_look, settings_to_look, store_file, store_named

if TYPE_CHECKING:
    from sekkei.runtime.ends import End
    from sekkei.runtime.settings import Settings


EXAMPLES = """\
examples:
  sekkei doctor                  every installed system
  sekkei doctor chiipochi        one of them
  SEKKEI_PUBLIC_URL=https://bot.example.com sekkei doctor eventbot      as it would start there

What is set up is asked whether it knows us (LINE's bot info, Stripe's account, Discord's /users/@me, the mail server's
NOOP or SES' account, an OpenID provider's own description), which changes nothing.

Exit code: 0 it would start and everything answers, 1 something is missing or does not answer, 2 could not run.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help="default: all that are installed")
    parser.add_argument("--offline", action="store_true", help="ask nobody outside whether it knows us")
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default: ./data, or SEKKEI_DATA)")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.runtime.discovery import NoSuchSystem, load, names
    from sekkei.runtime.ends import OPENID, allowed_local, problems

    settings, store = settings_to_look(arguments.data), store_named(None, arguments.data)
    try:
        systems = [load(name) for name in arguments.systems or sorted(names())]
    except NoSuchSystem as error:
        raise CouldNotRun(str(error)) from error
    ends = list(dict.fromkeys(end for system in systems for end in system.ends))
    ends += [OPENID] if OPENID.state(settings) != "local" else []
    print(f"address   {settings.public_url}")
    print(f"store     {settings.store or settings.data}: {_store(store)}")
    unwell = {} if arguments.offline else _asked(ends, settings)
    for end in ends:
        print(f"{end.name:<9} {_said(end, settings, unwell)}")
    found = problems([end for end in ends if end is not OPENID], settings, allowed_local(settings))
    print("\n".join(["", *found]) if found else "\nIt would start.")
    return FINDINGS if found or any(unwell.values()) else OK


def _asked(ends: Sequence[End], settings: Settings) -> dict[str, str | None]:
    """What is wrong with those that are set up, by name; None: they answer."""
    import asyncio

    from sekkei.runtime.probes import said

    real = {end.name: end.probe for end in ends if end.probe is not None and end.state(settings) == "real"}

    async def ask() -> list[str | None]:
        return await asyncio.gather(*(said(probe, settings) for probe in real.values()))

    return dict(zip(real, asyncio.run(ask()), strict=True))


def _said(end: End, settings: Settings, unwell: Mapping[str, str | None]) -> str:
    state = end.state(settings)
    if state == "real":
        wrong = unwell.get(end.name)
        return f"set up, but: {wrong}." if wrong else "set up, and it answers" if end.name in unwell else "set up"
    missing = " and ".join(end.missing(settings))
    return (
        f"half set up: {missing} is missing"
        if state == "half"
        else f"local: {end.otherwise}. To change that: {missing}"
    )


def _store(name: str) -> str:
    """Asked for its tables, which changes nothing."""
    import asyncio

    from sekkei.errors import DynamoDBError

    async def ask() -> int:
        store = open_to_look(name)
        try:
            return len((await store.call("ListTables", {}))["TableNames"])
        finally:
            await store.close()

    if ("://" not in name or name.startswith("file:")) and not store_file(name).is_file():
        return "not there yet; it will be made"
    try:
        return f"answers, {asyncio.run(ask())} tables"
    except DynamoDBError as error:
        return f"does not answer: {error.code}: {error}"
