"""Open pages of several processes on one store: each process is an application with a store of its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from sekkei.design import Database
from sekkei.engine import Engine
from sekkei.runtime import live
from sekkei.runtime.design import LiveHead, live_batches, live_batches_between, live_heads
from sekkei.runtime.live import LOG
from sekkei.store import Remote
from sekkei.web.testing import Client, opened
from sekkei.wire.server import Server
from tests.web.example import SYSTEM

TOPIC = "example/demo-aoi"


@pytest.fixture
async def processes() -> AsyncIterator[list[Client]]:
    """Two of them, and one person who is signed in to both."""
    engine = Engine(None)
    server = Server(engine)
    await server.start()
    async with AsyncExitStack() as stack:
        found: list[Client] = []
        for _ in range(2):
            store = Remote(endpoint_url=f"http://127.0.0.1:{server.port}")
            stack.push_async_callback(store.close)
            found.append(await stack.enter_async_context(opened(SYSTEM, store=store, share_live=True)))
        await found[0].sign_in()
        found[1].cookies.update(found[0].cookies)
        yield found
    await server.stop()
    engine.close()


async def listening(client: Client, path: str, count: int, **headers: str) -> asyncio.Task[str]:
    """Listens until `count` events have come."""

    async def heard() -> str:
        pieces = 1
        while True:
            text = (await client.events(path, pieces, headers=headers)).text
            if text.count("event: ") >= count:
                return text
            pieces += 1

    task = asyncio.create_task(heard())
    while not client.shell.deployment.live.listeners(TOPIC):  # noqa: ASYNC110
        await asyncio.sleep(0)
    return task


async def address(client: Client) -> str:
    found = re.search(r'data-live="([^"]+)"', (await client.get("/example/")).text)
    assert found is not None
    return found[1]


def runtime(client: Client) -> Database:
    return client.shell.deployment.runtime


async def in_the_log(client: Client, number: int) -> None:
    while client.shell.deployment.live.position(TOPIC) < number * live.IDS_PER_BATCH:  # noqa: ASYNC110
        await asyncio.sleep(0)


async def test_what_happens_in_one_process_is_heard_in_the_other(processes: list[Client]) -> None:
    first, second = processes
    here, there = await address(first), await address(second)
    hearing = [await listening(first, here, 2), await listening(second, there, 2)]
    await first.post("/example/", {"text": "一"})
    await second.post("/example/", {"text": "二"})
    for text in await asyncio.gather(*hearing):
        assert {'data: {"text":"一"}', 'data: {"text":"二"}'} <= set(text.splitlines())
        assert "event: reload" not in text


async def test_a_page_of_one_process_listens_at_the_other(processes: list[Client]) -> None:
    """As behind a load balancer that spreads one browser over them."""
    first, second = processes
    await first.post("/example/", {"text": "before"})
    await in_the_log(first, 1)
    path = await address(first)
    await first.post("/example/", {"text": "between"})
    text = await (await listening(second, path, 1))
    assert "between" in text
    assert "before" not in text
    assert "reload" not in text
    last = re.findall(r"^id: (\S+)$", text, re.MULTILINE)[-1]
    await second.post("/example/", {"text": "after"})
    text = await (await listening(first, path, 1, **{"Last-Event-ID": last}))
    assert "after" in text
    assert "between" not in text


async def test_many_at_once_reach_everybody_once_and_in_order(processes: list[Client]) -> None:
    first, second = processes
    count = 150
    hearing = [await listening(one, await address(one), 2 * count) for one in processes]
    for number in range(count):
        for name, one in (("a", first), ("b", second)):
            one.shell.deployment.live.publish(TOPIC, name, number)
        if number % 10 == 0:
            await asyncio.sleep(0)
    heard = await asyncio.gather(*hearing)
    for text in heard:
        for name in ("a", "b"):
            assert [int(n) for n in re.findall(rf"event: {name}\ndata: (\d+)", text)] == list(range(count))
    assert re.findall(r"^id: .*$", heard[0], re.MULTILINE) == re.findall(r"^id: .*$", heard[1], re.MULTILINE)


async def test_what_is_too_long_for_the_log_loads_the_page_again(processes: list[Client]) -> None:
    first, second = processes
    hearing = await listening(second, await address(second), 1)
    first.shell.deployment.live.publish(TOPIC, "note", {"text": "x" * live.EVENT_BYTES_MAX})
    assert "event: reload" in await hearing


async def test_who_missed_what_has_expired_loads_the_page_again(processes: list[Client]) -> None:
    first, second = processes
    for text in ("one", "two"):
        await first.post("/example/", {"text": text})
    await in_the_log(first, 1)
    path = await address(second)
    head = await runtime(first).need(live_heads(LOG).consistent())
    for row in await runtime(first).all(live_batches_between(LOG, 1, head.number).consistent()):
        await runtime(first).write(live_batches.delete(LOG, row.number))
    await runtime(first).write(live_heads.update(LOG).set(LiveHead.number, head.number + 1))
    assert "event: reload" in await (await listening(second, path, 1))
