"""CPU time of one GetItem in the client's process, for clients of DynamoDB, against one canned answer.

    python bench/store_clients.py [--calls 2000]

The server is a process of its own that answers every request with the same 300 bytes, so that what differs is the
client. Each client makes its calls one after the other; the figure is the best of several rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import multiprocessing
import time
import zlib
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection

import httptools
import orjson

from sekkei.store.remote import Remote

ITEM = {"pk": {"S": "user#1"}, "sk": {"S": "profile"}, "count": {"N": "12"}, "text": {"S": "x" * 190}}
BODY = orjson.dumps({"Item": ITEM})
KEY = {"pk": {"S": "user#1"}, "sk": {"S": "profile"}}
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\nx-amz-crc32: %d\r\n"
    b"x-amzn-RequestId: 4KBNVRGD25RG1KEO9UT4V3FQDJVV4KQNSO5AEMVJF66Q9ASUAAJG\r\nServer: Server\r\n"
    b"Date: Sat, 15 Nov 2025 00:00:00 GMT\r\nConnection: keep-alive\r\n\r\n" % (len(BODY), zlib.crc32(BODY))
) + BODY
ROUNDS = 5


class Canned(asyncio.Protocol):
    """Answers each request, whatever it says."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        self._transport.write(ANSWER)


def serve(pipe: Connection) -> None:
    async def main() -> None:
        server = await asyncio.get_running_loop().create_server(Canned, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def best(seconds: list[float], calls: int) -> float:
    return min(seconds) / calls * 1e6


async def timed(call: Callable[[], Awaitable[object]], calls: int) -> float:
    for _ in range(50):
        await call()
    rounds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        for _ in range(calls):
            await call()
        rounds.append(time.process_time() - started)
    return best(rounds, calls)


class Bare(asyncio.Protocol):
    """The floor: bytes out, bytes in, nothing parsed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._waiter.set_result(data)

    def exchange(self, request: bytes) -> asyncio.Future[bytes]:
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._waiter


async def bare(port: int, calls: int) -> float:
    body = orjson.dumps({"TableName": "t", "Key": KEY})
    request = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    _, protocol = await asyncio.get_running_loop().create_connection(Bare, "127.0.0.1", port)
    return await timed(lambda: protocol.exchange(request), calls)


async def remote(port: int, calls: int) -> float:
    store = Remote(endpoint_url=f"http://127.0.0.1:{port}", credentials=("AKIDEXAMPLE", "secret"))
    request = {"TableName": "t", "Key": KEY}
    assert await store.call("GetItem", request) == {"Item": ITEM}
    try:
        return await timed(lambda: store.call("GetItem", request), calls)
    finally:
        await store.close()


async def aiobotocore(port: int, calls: int) -> float:
    from aiobotocore.session import get_session

    async with get_session().create_client(
        "dynamodb",
        region_name="us-east-1",
        endpoint_url=f"http://127.0.0.1:{port}",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="secret",
    ) as client:
        return await timed(lambda: client.get_item(TableName="t", Key=KEY), calls)


async def boto3(port: int, calls: int) -> float:
    import boto3

    client = boto3.client(
        "dynamodb",
        region_name="us-east-1",
        endpoint_url=f"http://127.0.0.1:{port}",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="secret",
    )

    async def call() -> object:
        return client.get_item(TableName="t", Key=KEY)

    return await timed(call, calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000, help="calls in a round")
    calls = parser.parse_args().calls
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    port = here.recv()
    runs: list[tuple[str, Callable[[int, int], Awaitable[float]], str, int]] = [
        ("bare asyncio, nothing parsed", bare, "asyncio", calls),
        ("sekkei Remote", remote, "asyncio", calls),
        ("aiobotocore", aiobotocore, "aiobotocore", calls // 5),
        ("boto3", boto3, "boto3", calls // 5),
    ]
    if importlib.util.find_spec("uvloop"):
        import uvloop

        runs.insert(1, ("bare uvloop, nothing parsed", bare, "uvloop", calls))
        runs.insert(3, ("sekkei Remote on uvloop", remote, "uvloop", calls))
    for name, run, package, number in runs:
        if importlib.util.find_spec(package) is None:
            print(f"{name:32} not installed")
            continue
        factory = uvloop.new_event_loop if package == "uvloop" else None
        with asyncio.Runner(loop_factory=factory) as runner:
            print(f"{name:32} {runner.run(run(port, number)):8.0f} µs CPU per sequential get", flush=True)
    server.terminate()


if __name__ == "__main__":
    main()
