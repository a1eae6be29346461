"""`sekkei engine`: DynamoDB on this machine, for any AWS SDK."""

from __future__ import annotations

import argparse
import errno
import os
import re
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sekkei.commands import OK, STORE_FILE, CouldNotRun, port_number
from sekkei.commands.startup import file_errors

if TYPE_CHECKING:
    from sekkei.engine import Engine
    from sekkei.store.weather import Weather
    from sekkei.wire.sigv4 import Key


EXAMPLES = """\
examples:
  sekkei engine                              data in ./data, at http://127.0.0.1:8001
  sekkei engine --memory --port 0            nothing kept, at any free port
  sekkei engine --data /var/lib/sekkei       data in another folder
  sekkei engine --log-level debug            a line for every request
  sekkei engine --memory --weather storm     late indexes, throttling, lost answers: a bad day in the cloud

  export SEKKEI_ACCESS_KEY_ID=AKIDLOCAL SEKKEI_SECRET_ACCESS_KEY=...
  sekkei engine --host 0.0.0.0               for other machines, which must sign with that key

Signatures are verified when both variables are set. Without them every signature is accepted, so the engine then
listens on this machine only. Secrets are read from the environment and never from the command line.
"""

WEATHER = ("clear", "fog", "drizzle", "storm")

ACCESS_KEY = "SEKKEI_ACCESS_KEY_ID"
SECRET_KEY = "SEKKEI_SECRET_ACCESS_KEY"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--port", type=port_number, default=8001, help="port; 0 takes any free one (default: %(default)s)"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--data", metavar="DIR", default="data", help="folder of the data (default: ./%(default)s)")
    where.add_argument("--memory", action="store_true", help="keep nothing; quick, for tests")
    parser.add_argument("--region", default="us-east-1", help="region in ARNs (default: %(default)s)")
    parser.add_argument(
        "--weather", choices=WEATHER, default="clear", help="what the cloud is like (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=7, help="of the weather: the same one, the same day (default: 7)")
    parser.add_argument("--log-format", choices=("json", "text"), help="default: text on a terminal, else json")
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), default="info")


def run(arguments: argparse.Namespace) -> int:
    from sekkei import logs

    keys = keys_from_environment()
    logs.configure(arguments.log_format or ("text" if sys.stderr.isatty() else "json"), arguments.log_level)
    engine = _open(arguments)
    weather = _weather(engine, arguments)
    try:
        _serve(engine, weather or engine, keys, arguments)
    finally:
        if weather is not None:
            import asyncio

            asyncio.run(weather.close())
        engine.close()
    return OK


def keys_from_environment() -> dict[str, Key]:
    """The one key that may sign, by its id; empty when none is set."""
    from sekkei.wire.sigv4 import Key

    access_key, secret = os.environ.get(ACCESS_KEY, ""), os.environ.get(SECRET_KEY, "")
    if not access_key and not secret:
        return {}
    if not access_key or not secret:
        there, missing = (ACCESS_KEY, SECRET_KEY) if access_key else (SECRET_KEY, ACCESS_KEY)
        raise CouldNotRun(f"{there} is set but {missing} is not. Set both, or neither to accept every signature.")
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,128}", access_key):
        raise CouldNotRun(f"{ACCESS_KEY} may hold letters, digits, - and _ only.")
    return {access_key: Key(secret)}


def _open(arguments: argparse.Namespace) -> Engine:
    from sekkei.engine import Engine

    path = None if arguments.memory else Path(arguments.data) / STORE_FILE
    with file_errors(path or "memory"):
        return Engine(path, region=arguments.region)


def _weather(engine: Engine, arguments: argparse.Namespace) -> Weather | None:
    if arguments.weather == "clear":
        return None
    from sekkei.store.weather import wrap

    return wrap(engine, arguments.weather, arguments.seed)


def _serve(engine: Engine, answering: Engine | Weather, keys: dict[str, Key], arguments: argparse.Namespace) -> None:
    from sekkei.wire import program
    from sekkei.wire.server import OpenToStrangers, Server

    host, port, region = arguments.host, arguments.port, arguments.region
    data = "in memory" if arguments.memory else engine.path
    if arguments.weather != "clear":
        data += f"; weather: {arguments.weather}, seed {arguments.seed}"

    def announce(url: str) -> None:
        print(introduction(url, data, region, verifies=bool(keys)), flush=True)

    try:
        program.run(lambda: Server(answering, keys, region=region), host, port, announce)
    except OpenToStrangers as error:
        raise CouldNotRun(str(error)) from error
    except socket.gaierror as error:
        raise CouldNotRun(f"{host} is no address of this machine: {error.strerror}.") from error
    except OSError as error:
        raise CouldNotRun(_cannot_listen(host, port, error)) from error


def _cannot_listen(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} at {host} is in use. Choose another with --port, or stop the program that has it."
    return f"Cannot listen on {host} port {port}: {os.strerror(error.errno) if error.errno else error}."


def introduction(url: str, data: str, region: str, *, verifies: bool) -> str:
    """What a person has to set to use it."""
    if verifies:
        who = f"Requests must be signed with the key in {ACCESS_KEY} and {SECRET_KEY}."
        access, secret = f"${ACCESS_KEY}", f"${SECRET_KEY}"
        in_python = f'aws_access_key_id=os.environ["{ACCESS_KEY}"], aws_secret_access_key=os.environ["{SECRET_KEY}"]'
    else:
        who = (
            f"Signatures are not verified; only this machine can connect. Set {ACCESS_KEY} and {SECRET_KEY} to verify."
        )
        access = secret = "local"
        in_python = 'aws_access_key_id="local", aws_secret_access_key="local"'
    return f"""\
Sekkei engine: DynamoDB at {url}, data: {data}
{who}

  any SDK  export AWS_ENDPOINT_URL_DYNAMODB={url} AWS_ENDPOINT_URL_DYNAMODB_STREAMS={url}
           export AWS_REGION={region} AWS_ACCESS_KEY_ID={access} AWS_SECRET_ACCESS_KEY={secret}
  boto3    boto3.client("dynamodb", endpoint_url="{url}", region_name="{region}",
                        {in_python})
  AWS CLI  aws dynamodb list-tables --endpoint-url {url} --region {region}

Stop it with Ctrl-C or SIGTERM."""
