"""`sekkei up`: everything at once, ready to be looked at."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sekkei.commands import OK, STORE_FILE, CouldNotRun, port_number
from sekkei.commands.engine import keys_from_environment
from sekkei.commands.startup import open_the_store, said_while_waiting, settings_of, store_errors

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from sekkei.advice.metering import Noting
    from sekkei.runtime.outbox import Transport
    from sekkei.runtime.settings import Settings
    from sekkei.runtime.system import System
    from sekkei.store.protocol import Store


EXAMPLES = """\
examples:
  sekkei up                                          http://127.0.0.1:8000, data in ./data
  sekkei up --port 0 --dynamodb-port 0 --data /tmp/x any free ports, data elsewhere
  sekkei up --no-demo                                without sample data and without the one-click sign-in
  SEKKEI_STORE=dynamodb://ap-northeast-1 sekkei up   the same on Amazon DynamoDB (no sample data unless SEKKEI_DEMO=1)

settings (environment):
  SEKKEI_STORE         a file, :memory:, dynamodb://REGION or an endpoint's URL (default: the engine in the data folder)
  SEKKEI_PUBLIC_URL    where people reach it, such as https://tasks.example.com
  SEKKEI_SECRET        signs cookies, cursors and links (default: made once, kept in the data folder)
  SEKKEI_SECRET_PREVIOUS  the secret before, after a change: what was signed or sealed with it is still accepted
  SEKKEI_OPERATORS     e-mail addresses of those who may use the console, separated by commas
  SEKKEI_ALARM_TO      mail addresses and https:// webhooks that are told of alarms, separated by commas
  SEKKEI_METRICS_TOKEN what Prometheus reads /metrics with
  SEKKEI_SENT_DAYS     for how many days the text of what was sent is kept, by topic (7,web/code=1)
  SEKKEI_CONSOLE_WRITE 1: operators may change items in the console, one at a time (default: read-only)
  SEKKEI_HOSTS         further names that requests may be addressed to
  SEKKEI_FORWARDED     addresses of proxies whose X-Forwarded-For counts
  SEKKEI_RATE_LIMIT    off: no rate limits (for measuring)
  SEKKEI_ALLOW_LOCAL   ends that may stay local at a public address, separated by commas (as --allow-local)
  SEKKEI_LIVE          off: open pages are not told of changes (behind a proxy that cannot keep answers open)
  SEKKEI_OIDC_ISSUER, SEKKEI_OIDC_AUDIENCE, SEKKEI_OIDC_JWKS_URL   bearer tokens of an OpenID provider
"""

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_common_arguments(parser)


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=port_number, default=8000, help="0 takes any free one (default: %(default)s)")
    parser.add_argument(
        "--dynamodb-port", type=port_number, default=8001, help="of the store's DynamoDB API (default: %(default)s)"
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default: ./data, or SEKKEI_DATA)")
    parser.add_argument("--no-demo", action="store_true", help="no sample data and no one-click sign-in")
    parser.add_argument("--no-worker", action="store_true", help="only answer requests; another process does the rest")
    parser.add_argument(
        "--allow-local", action="append", default=[], metavar="NAME", help="let this end stay local at a public address"
    )
    parser.add_argument(
        "--note-units",
        type=Path,
        metavar="FILE",
        help="note what every table and index takes, for `sekkei cost --learn`",
    )
    parser.add_argument("--log-format", choices=("json", "text"), help="default: text on a terminal, else json")
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), default="warning")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.runtime.discovery import load_all

    configure_logs(arguments)
    systems, missing = load_all()
    for name, why in missing.items():
        print(f"{name} is left out: {why}", file=sys.stderr)
    return serve_systems(systems, arguments)


def configure_logs(arguments: argparse.Namespace) -> None:
    from sekkei import logs

    logs.configure(arguments.log_format or ("text" if sys.stderr.isatty() else "json"), arguments.log_level)


def serve_systems(systems: Sequence[System], arguments: argparse.Namespace) -> int:
    """Serve until told to stop."""
    from sekkei.web import server
    from sekkei.wire.server import OpenToStrangers

    listening = _listening(arguments)
    settings = settings_from(arguments, listening.web.getsockname()[1])
    _refuse_what_is_half_set_up(systems, settings, arguments.allow_local)
    transports = _transports(settings)
    store = open_the_store(settings)
    try:
        server.run(_serve(systems, store, settings, listening, transports, arguments))
    except OpenToStrangers as error:
        raise CouldNotRun(str(error)) from error
    except OSError as error:
        raise CouldNotRun(_cannot_listen("127.0.0.1", arguments.dynamodb_port, "--dynamodb-port", error)) from error
    return OK


def _refuse_what_is_half_set_up(systems: Sequence[System], settings: Settings, allowed: Sequence[str]) -> None:
    """No end is half real, and none is local by accident while others can reach it."""
    from sekkei.runtime.ends import allowed_local, problems

    named = {*allowed, *allowed_local(settings)}
    ends = [end for system in systems for end in system.ends]
    strange = named - {end.name for end in ends}
    if strange:
        there = ", ".join(sorted({end.name for end in ends})) or "none"
        raise CouldNotRun(f"--allow-local {', '.join(sorted(strange))}: there is no such end. There are: {there}.")
    found = problems(ends, settings, named)
    if found:
        raise CouldNotRun("\n".join(found) + "\n`sekkei doctor` lists everything that is set up and what is missing.")


def _transports(settings: Settings) -> Mapping[str, Transport]:
    from sekkei.clock import SYSTEM
    from sekkei.runtime.http import Http
    from sekkei.runtime.transports import configured

    try:
        return configured(settings, SYSTEM, Http())
    except ValueError as error:
        raise CouldNotRun(str(error)) from error


async def _serve(
    systems: Sequence[System],
    store: Store,
    settings: Settings,
    listening: Any,
    transports: Mapping[str, Transport],
    arguments: argparse.Namespace,
) -> None:
    """Everything is made inside the loop that it will live in."""
    from sekkei.web import server

    noting = _noting(store, arguments.note_units)
    try:
        app = _application(systems, noting or store, settings, transports, arguments)
        with store_errors(settings.store):
            if _is_remote(settings.store):
                async with said_while_waiting(settings.store):
                    await app.state.shell.prepare()
            else:
                await app.state.shell.bring_up_to_date()
    except CouldNotRun:
        await store.close()
        raise

    def ready(dynamodb_url: str | None) -> None:
        app.state.shell.dynamodb_url = dynamodb_url
        print(introduction(systems, settings, store, dynamodb_url), flush=True)

    try:
        await server.serve(app, store, listening, ready)
    finally:
        if noting is not None:
            noting.save()


def _noting(store: Store, path: Path | None) -> Noting | None:
    from sekkei.advice.metering import Noting

    if path is None:
        return None
    found = Noting(store, path)
    try:
        found.save()
    except OSError as error:
        raise CouldNotRun(f"--note-units {path}: {error.strerror}.") from error
    return found


def _application(
    systems: Sequence[System],
    store: Store,
    settings: Settings,
    transports: Mapping[str, Transport],
    arguments: argparse.Namespace,
) -> Starlette:
    from sekkei.errors import ConfigurationError
    from sekkei.web import application

    try:
        return application(
            systems,
            store,
            settings,
            loopback=arguments.host in LOOPBACK,
            work=not arguments.no_worker,
            share_live=True,
            transports=transports,
        )
    except ConfigurationError as error:
        raise CouldNotRun(str(error)) from error
    except ValueError as error:
        if "SEKKEI_" not in str(error):
            raise  # a mistake of the program, and not in a setting
        raise CouldNotRun(str(error)) from error


def _listening(arguments: argparse.Namespace) -> Any:
    from sekkei.web.server import Listening, bind

    try:
        web = bind(arguments.host, arguments.port)
    except OSError as error:
        raise CouldNotRun(_cannot_listen(arguments.host, arguments.port, "--port", error)) from error
    forwarded = os.environ.get("SEKKEI_FORWARDED", "")
    return Listening(web, arguments.dynamodb_port, keys_from_environment(), forwarded_from=forwarded)


def settings_from(arguments: argparse.Namespace, port: int) -> Settings:
    """Sample data only where it cannot do harm: on a store of our own that only this machine can reach."""
    overrides: dict[str, object] = {"data": arguments.data}
    local = arguments.host in LOOPBACK
    if arguments.no_demo or not local:
        overrides["demo"] = False
    elif not os.environ.get("SEKKEI_DEMO") and not _is_remote(os.environ.get("SEKKEI_STORE", "")):
        overrides["demo"] = not _is_public(os.environ.get("SEKKEI_PUBLIC_URL", ""))
    if not os.environ.get("SEKKEI_PUBLIC_URL"):
        host = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        overrides["public_url"] = f"http://{host if local else '127.0.0.1'}:{port}"
    return settings_of(**overrides)


def _is_public(url: str) -> bool:
    """Behind a proxy, other people reach what listens on this machine alone."""
    try:
        return bool(url) and urlsplit(url).hostname not in LOOPBACK
    except ValueError:
        return True  # which the settings refuse, in their words


def _is_remote(store: str) -> bool:
    return store.startswith(("dynamodb:", "http:", "https:"))


def _cannot_listen(host: str, port: int, option: str, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} at {host} is in use. Choose another with {option}, or stop the program that has it."
    return f"Cannot listen on {host} port {port}: {os.strerror(error.errno) if error.errno else error}."


def introduction(systems: Sequence[System], settings: Settings, store: Store, dynamodb_url: str | None) -> str:
    """What to open."""
    from sekkei.runtime.ends import local_names

    width = max(len(name) for name in ("outbox", *(system.name for system in systems)))
    lines = [f"Sekkei runs: {settings.public_url}", ""]
    for system in systems:
        lines.append(f"  {system.name:<{width}}  {settings.public_url}/{system.name}/  {system.title['en']}")
    if settings.demo:
        lines.append(
            f"  {'outbox':<{width}}  {settings.public_url}/console/outbox  every mail and message that goes out"
        )
        lines += ["", "Sign in with one click on the home page: sample data is loaded."]
    local = local_names((end for system in systems for end in system.ends), settings)
    if local:
        lines += ["", f"Local on this machine: {', '.join(local)}. `sekkei doctor` says what to set to make them real."]
    lines += ["", f"Data: {settings.store or settings.data / STORE_FILE}"]
    if dynamodb_url:
        lines += [
            f"DynamoDB API: {dynamodb_url}",
            "  AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local \\",
            f"  aws dynamodb list-tables --region us-east-1 --endpoint-url {dynamodb_url}",
        ]
    return "\n".join([*lines, "", "Stop it with Ctrl-C or SIGTERM."])
