"""A server on the loop that production uses, in front of an engine made for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import orjson
import pytest
import uvloop

from sekkei.errors import BY_CODE, ConditionalCheckFailedException, TransactionCanceledException
from sekkei.wire.limits import Limits
from sekkei.wire.server import Server
from tests.wire.client import Client

ITEM = b'{"pk":{"S":"hello"},"n":{"N":"1"}}'


class FakeEngine:
    """Answers like an engine: reads at once, writes when told, errors on demand."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.called = asyncio.Event()
        self.commit = asyncio.Event()
        self.commit.set()

    async def call(
        self, operation: str, request: Mapping[str, Any], render: Callable[[bytes], Any] = orjson.loads
    ) -> dict[str, Any]:
        self.calls.append((operation, request))
        self.called.set()
        name = request.get("TableName")
        if operation == "GetItem":
            return {"Item": render(ITEM)}
        if operation == "PutItem":
            await self.commit.wait()
            return {"Written": name}
        if operation == "Scan":
            return {"Items": ["x" * 1024] * int(request["Limit"])}
        if operation == "DeleteItem":
            raise ConditionalCheckFailedException(item={"pk": {"S": "old"}})
        if operation == "TransactWriteItems":
            raise TransactionCanceledException.of([{"Code": "None"}, {"Code": "ConditionalCheckFailed"}])
        if operation == "DescribeTable":
            raise BY_CODE[request["Raise"]](request["Text"])
        if operation == "UpdateItem":
            await asyncio.sleep(0)
            raise ZeroDivisionError("a secret that must not reach the client")
        return {"Operation": operation}


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> dict[str, Any]:
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture
async def engine() -> FakeEngine:
    return FakeEngine()


Serve = Callable[..., Any]


@pytest.fixture
async def serve(engine: FakeEngine) -> AsyncIterator[Serve]:
    """Starts servers with the limits and keys that a test asks for."""
    servers: list[Server] = []

    async def start(keys: Any = None, **bounds: Any) -> Server:
        limits = Limits(**{"sweep_seconds": 0.01, "linger_seconds": 0.5, "shutdown_seconds": 5.0, **bounds})
        server = Server(engine, keys, limits=limits)
        await server.start("127.0.0.1", 0)
        servers.append(server)
        return server

    yield start
    for server in servers:
        await server.stop()


@pytest.fixture(params=[1, 2], ids=["alone", "in company"])
async def client(serve: Serve, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    """A connection to a server with the usual limits; in company answers go out together."""
    server = await serve()
    clients = [await Client.connect(server.port) for _ in range(request.param)]
    yield clients[0]
    for each in clients:
        each.close()
