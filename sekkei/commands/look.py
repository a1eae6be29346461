"""`sekkei look`: the console for any design and any store."""

from __future__ import annotations

import argparse
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sekkei.commands import OK, CouldNotRun, port_number
from sekkei.commands.startup import STORE_HELP, open_to_look, store_errors, store_named

if TYPE_CHECKING:
    from sekkei.design import Design
    from sekkei.runtime.settings import Settings
    from sekkei.store.protocol import Store
    from sekkei.web.console.target import Looked


EXAMPLES = """\
examples:
  sekkei look                                       the store in ./data, or the one that SEKKEI_STORE names
  sekkei look examples/online_shop.py               a design: on its tables, or on made-up items when there are none
  sekkei look tasks --store data/sekkei.db          a system's design on a store
  sekkei look --store http://127.0.0.1:8001         `sekkei engine`, DynamoDB Local or another endpoint, no design
  sekkei look shop.py --store dynamodb://ap-northeast-1 --env prod      Amazon DynamoDB, with your AWS credentials
  sekkei look shop.py --write                       items may be changed, one at a time

Only this machine can reach it, and there only who opens the address that is printed: it carries a token, another one at
each start (SEKKEI_LOOK_TOKEN fixes it). Without --write the server refuses every write, whatever a page asks for.
"""

TOKEN = "SEKKEI_LOOK_TOKEN"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", nargs="?", help="a file, a module, module:attribute, or a system")
    parser.add_argument("--store", metavar="URL", help=STORE_HELP)
    parser.add_argument("--sample", action="store_true", help="made-up items in memory, whatever store there is")
    parser.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"), help="fills {env} in table names")
    parser.add_argument("--write", action="store_true", help="let items be changed")
    parser.add_argument("--port", type=port_number, default=8002, help="0 takes any free one (default: %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    from sekkei import logs
    from sekkei.commands.up import _cannot_listen
    from sekkei.design import SekkeiError
    from sekkei.web import server

    logs.configure("text", "warning")
    if arguments.sample and (arguments.store or not arguments.design):
        raise CouldNotRun("--sample makes items up for a design: name a design, and no --store.")
    try:
        design = _design(arguments)
        listening = server.Listening(server.bind("127.0.0.1", arguments.port))
    except SekkeiError as error:
        raise CouldNotRun(str(error)) from error
    except OSError as error:
        raise CouldNotRun(_cannot_listen("127.0.0.1", arguments.port, "--port", error)) from error
    server.run(_serve(arguments, design, listening))
    return OK


def _design(arguments: argparse.Namespace) -> Design | None:
    from sekkei.design.loading import load

    if arguments.design is None:
        return None
    design = load(arguments.design)
    design.check()
    return design


async def _serve(arguments: argparse.Namespace, design: Design | None, listening: Any) -> None:
    """The shell's own data lives in memory, apart from the store that is looked at."""
    from dataclasses import replace

    from sekkei.store import Embedded
    from sekkei.web import application, server

    looked = await looked_at(arguments, design)
    try:
        own = Embedded()
        url = f"http://127.0.0.1:{listening.web.getsockname()[1]}"
        looked = replace(looked, token=os.environ.get(TOKEN) or secrets.token_urlsafe(24))
        app = application([], own, _settings(url, arguments.env), loopback=True, looked=looked)
        app.state.shell.load_demo = False
        await server.serve(app, own, listening, lambda _: print(introduction(url, looked), flush=True))
    finally:
        await looked.store.close()


def _settings(url: str, env: str) -> Settings:
    from sekkei.runtime.settings import Secrets, Settings

    master = os.environ.get("SEKKEI_SECRET", "").encode() or secrets.token_bytes(32)
    return Settings(env=env, public_url=url, demo=True, secrets=Secrets(master), values={"rate_limit": "off"})


async def looked_at(arguments: argparse.Namespace, design: Design | None) -> Looked:
    from sekkei.web.console.target import Looked, is_remote

    name = store_named(arguments.store)
    store = None if arguments.sample else await _store(arguments, design, name)
    sampled = store is None
    if store is None:
        assert design is not None
        store = await _made_up(design, arguments)
    designs = {} if design is None else {design.name.replace("/", "-"): design}
    return Looked(
        store,
        designs,
        arguments.env,
        ":memory:" if sampled else name,
        arguments.write,
        not sampled and is_remote(name),
        alone=True,
        sampled=sampled,
        sources=dict.fromkeys(designs, arguments.design or ""),
    )


async def _store(arguments: argparse.Namespace, design: Design | None, name: str) -> Store | None:
    """The store that was named. One that was not is left alone when it has nothing of the design."""
    chosen = bool(arguments.store or os.environ.get("SEKKEI_STORE"))
    if not chosen and design is not None and not Path(name).is_file():
        return None
    store = open_to_look(name, write=arguments.write)
    try:
        with store_errors(name):
            there = set((await store.call("ListTables", {}))["TableNames"])
    except BaseException:
        await store.close()
        raise
    wanted = set() if design is None else {design.table_name(one, arguments.env) for one in design.tables.values()}
    if chosen or design is None or there & wanted:
        return store
    await store.close()
    return None


async def _made_up(design: Design, arguments: argparse.Namespace) -> Store:
    from sekkei.advice.sample_data import furnished
    from sekkei.store.read_only import ReadOnly

    store = await furnished(design, arguments.env)
    return store if arguments.write else ReadOnly(store)


def introduction(url: str, looked: Looked) -> str:
    """What to open."""
    lines = [f"Sekkei runs: {url}/console{f'/enter?token={looked.token}' if looked.token else ''}", ""]
    for name, design in looked.designs.items():
        lines.append(f"  design  {name}: {len(design.tables)} tables, {len(design.patterns)} patterns")
    where = "in memory, with made-up items; --store names a real one" if looked.sampled else looked.where
    lines.append(f"  store   {where}")
    lines.append(f"  writes  {'allowed, one item at a time' if looked.write else 'refused; --write allows them'}")
    return "\n".join([*lines, "", "Stop it with Ctrl-C or SIGTERM."])
