"""`sekkei mcp`: a design and its store for coding assistants."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import os
import secrets
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sekkei.commands import OK, CouldNotRun, port_number
from sekkei.commands.startup import STORE_HELP

if TYPE_CHECKING:
    from sekkei.advice.assistant_tools import Answers
    from sekkei.design import Design


EXAMPLES = """\
examples:
  sekkei mcp shop.py                                  over stdin and stdout, as assistants start it
  sekkei mcp tasks --store data/sekkei.db             on a store; without one, on made-up items
  SEKKEI_MCP_TOKEN=… sekkei mcp shop.py --http 8003   over HTTP on this machine, at http://127.0.0.1:8003/mcp

For an assistant that reads a file of servers:
  {"mcpServers": {"shop": {"command": "sekkei", "args": ["mcp", "shop.py"]}}}

It needs: pip install 'sekkei[mcp]'
"""

CHECK_SECONDS = 60
ANSWER_BYTES_MAX = 250_000
"""Of one answer as a whole; items have a smaller limit of their own."""
WORDS_MAX = 2_000
TOKEN = "SEKKEI_MCP_TOKEN"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", help="a file, a module, module:attribute, or a system")
    parser.add_argument("--store", metavar="URL", help=STORE_HELP)
    parser.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"), help="fills {env} in table names")
    parser.add_argument(
        "--http", type=port_number, metavar="PORT", help=f"over HTTP, for whoever sends {TOKEN} as a bearer token"
    )


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from sekkei.design import SekkeiError
    from sekkei.design.loading import load

    try:
        import mcp.server.mcpserver  # noqa: F401
    except ModuleNotFoundError as error:
        raise CouldNotRun(f"{error}. It comes with: pip install 'sekkei[mcp]'") from error
    try:
        with contextlib.redirect_stdout(sys.stderr):  # stdout belongs to the protocol
            design = load(arguments.design)
            design.check()
    except SekkeiError as error:
        raise CouldNotRun(str(error)) from error
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(arguments, design))
    return OK


async def _serve(arguments: argparse.Namespace, design: Design) -> None:
    from sekkei.advice.assistant_tools import Answers
    from sekkei.commands.look import looked_at

    asked = argparse.Namespace(**{**vars(arguments), "write": False, "sample": False})
    looked = await looked_at(asked, design)
    try:
        name = next(iter(looked.designs))
        answers = Answers(
            design, looked.store, env=looked.env, measured=looked.measured(name), secret=secrets.token_bytes(32)
        )
        server = server_of(answers, arguments.design)
        if arguments.http is None:
            await server.run_stdio_async()
        else:
            await _serve_http(server, arguments.http)
    finally:
        await looked.store.close()


def server_of(answers: Answers, source: str) -> Any:
    """The tools, each with what it is for; all of them only read."""
    from mcp.server.mcpserver import MCPServer
    from mcp_types import ToolAnnotations

    server = MCPServer(
        "sekkei",
        instructions=f"The DynamoDB design {answers.design.name}: begin with `overview`. Everything here only reads.",
        log_level="WARNING",
    )
    reads = ToolAnnotations(readOnlyHint=True, destructiveHint=False, idempotentHint=True, openWorldHint=False)
    for tool in Tools(answers, source).all():
        server.add_tool(tool, annotations=reads, structured_output=False)
    return server


class Tools:
    """What an assistant may call; the docstrings are what it reads."""

    def __init__(self, answers: Answers, source: str) -> None:
        self._answers, self._source = answers, source

    def all(self) -> list[Callable[..., Any]]:
        return [method for name, method in inspect.getmembers(self, inspect.iscoroutinefunction)]

    async def overview(self) -> str:
        """The design in short: tables with keys and indexes, entities, relations, how many access patterns."""
        return await _told(self._answers.overview)

    async def describe_entity(self, entity: str) -> str:
        """One entity: key templates, attributes with types and stored names, its indexes, uniqueness, examples."""
        return await _told(self._answers.entity, entity)

    async def list_patterns(self, words: str = "") -> str:
        """The named access patterns; `words` leaves those whose name or text has all of them."""
        return await _told(self._answers.patterns, words)

    async def explain_pattern(self, pattern: str) -> str:
        """One access pattern: parameters with types, the plan (operation, key condition, filter), measured units,
        and what `sekkei check` finds about it."""
        return await _told(self._answers.pattern, pattern)

    async def run_pattern(
        self, pattern: str, arguments: dict[str, Any] | None = None, limit: int = 20, after: str | None = None
    ) -> str:
        """Run an access pattern that reads, on the store; at most 100 items. `after` goes on behind the page before."""
        return await _told(self._answers.run, pattern, arguments or {}, limit, after)

    async def price_pattern(self, pattern: str, calls_per_second: float, region: str = "us-east-1") -> str:
        """What a pattern costs a month at so many calls a second, from its measured units."""
        return await _told(self._answers.price, pattern, calls_per_second, region)

    async def check_design(self, file: str = "") -> str:
        """What a design will run into: hot keys, dear indexes, filters, scans, lost updates; with what to do. Without
        `file`, the design that is served, as it is now; a file must lie below the folder that the server runs in."""
        return await _told(_check_file, file or self._source, bool(file))

    async def sample_items(self, entity: str, limit: int = 5) -> str:
        """Some stored items of an entity, decoded; personal attributes are covered."""
        return await _told(self._answers.sample, entity, limit)

    async def decode_item(self, item: dict[str, Any], table: str = "") -> str:
        """What an item in DynamoDB JSON is: entity, attributes, which indexes hold it, attributes nobody declares."""
        return await _told(self._answers.decode, item, table)

    async def propose_index(self, entity: str, equal: list[str], order_by: str | None = None) -> str:
        """Which key or index answers a question (attributes that are known, and one to sort or compare by), or the code
        of the index that would, with what it costs."""
        return await _told(self._answers.propose_index, entity, equal, order_by)


async def _told(answer: Callable[..., Any], *arguments: Any) -> str:
    """The answer as JSON; what cannot be answered becomes the tool's error, in a sentence."""
    import json

    from mcp.server.mcpserver.exceptions import ToolError

    from sekkei.design import SekkeiError
    from sekkei.errors import DynamoDBError

    try:
        found = answer(*arguments)
        if inspect.isawaitable(found):
            found = await found
    except (SekkeiError, DynamoDBError, ValueError, LookupError, CouldNotRun) as error:
        raise ToolError(str(error)[:WORDS_MAX]) from error
    text = json.dumps(found, ensure_ascii=False, indent=1, default=str)
    if len(text.encode(errors="replace")) > ANSWER_BYTES_MAX:
        raise ToolError(f"The answer has more than {ANSWER_BYTES_MAX:,} bytes: ask for less.")
    return text


async def _check_file(source: str, named: bool) -> Any:
    """`sekkei check` in a process of its own, so that it sees the file as it is now."""
    import asyncio
    import json

    if named:
        path = Path(source.partition(":")[0]).resolve()
        if path.suffix != ".py" or not path.is_file() or not path.is_relative_to(Path.cwd()):
            raise CouldNotRun(f"{source} is no Python file below {Path.cwd().name}/, the folder that this runs in.")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sekkei.cli", "check", source, "--format", "json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, wrong = await asyncio.wait_for(process.communicate(), CHECK_SECONDS)
    except TimeoutError:
        process.kill()
        raise CouldNotRun(f"{source} took longer than {CHECK_SECONDS} seconds to check.") from None
    if process.returncode not in (0, 1):
        raise CouldNotRun(wrong.decode().strip()[-2000:])
    return json.loads(out)


# HTTP


async def _serve_http(server: Any, port: int) -> None:
    import uvicorn

    from sekkei.web.server import bind

    token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    if len(token) < 16:
        raise CouldNotRun(f"{TOKEN} is too short to be safe; give at least 16 characters.")
    try:
        socket = bind("127.0.0.1", port)
    except OSError as error:
        raise CouldNotRun(f"Cannot listen on 127.0.0.1 port {port}: {error.strerror}. Choose another port.") from error
    app = guarded(server.streamable_http_app(host="127.0.0.1", stateless_http=True, json_response=True), token)
    told = "" if os.environ.get(TOKEN) else f" Send the header Authorization: Bearer {token}"
    print(f"Sekkei answers at http://127.0.0.1:{socket.getsockname()[1]}/mcp.{told}", file=sys.stderr, flush=True)
    config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False)
    await uvicorn.Server(config).serve([socket])


def guarded(app: Any, token: str) -> Callable[..., Awaitable[None]]:
    """Only for whoever sends the token."""
    from sekkei.kit.signing import same

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not same(given.decode(errors="replace"), f"Bearer {token}"):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        await app(scope, receive, send)

    return guard
