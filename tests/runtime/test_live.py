"""Events for open pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sekkei.runtime import live as module
from sekkei.runtime.live import RELOAD, Live, LiveEvent


@asynccontextmanager
async def listening(live: Live, topic: str, after: int | None = None) -> AsyncIterator[asyncio.Queue[LiveEvent]]:
    heard: asyncio.Queue[LiveEvent] = asyncio.Queue()

    async def listen() -> None:
        async for event in live.listen(topic, after):
            heard.put_nowait(event)

    task = asyncio.create_task(listen())
    await asyncio.sleep(0)  # it begins to listen
    try:
        yield heard
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_everybody_who_listens_hears_it_in_order() -> None:
    live = Live()
    async with listening(live, "a") as first, listening(live, "a") as second, listening(live, "b") as other:
        live.publish("a", "moved", {"id": 1})
        live.publish("a", "moved", {"id": 2})
        for heard in (first, second):
            assert [(await heard.get()).data["id"] for _ in range(2)] == [1, 2]
        assert other.empty()
    assert live.listeners("a") == 0


async def test_what_happened_since_the_page_was_made_is_heard_first() -> None:
    live = Live()
    position = live.position("a")
    live.publish("a", "moved", 1)
    live.publish("b", "nobody asked for this")
    async with listening(live, "a", position) as heard:
        live.publish("a", "moved", 2)
        assert [(await heard.get()).data, (await heard.get()).data] == [1, 2]
        last = live.position("a")
    async with listening(live, "a", last) as heard:
        assert heard.empty()


async def test_a_position_that_nobody_remembers_asks_for_a_reload() -> None:
    live = Live()
    start = live.position("a")
    for number in range(module.KEPT_EVENTS + 1):
        live.publish("a", "moved", number)
    for position in (start, live.position("a") + 1, -1):
        async with listening(live, "a", position) as heard:
            assert (await heard.get()).name == RELOAD
    async with listening(live, "a", start + 1) as heard:
        assert (await heard.get()).data == 1


async def test_what_other_topics_pushed_out_asks_for_a_reload_too(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(module, "KEPT_EVENTS", 2)
    live = Live()
    start = live.position("a")
    live.publish("a", "moved", 1)
    for _ in range(2):
        live.publish("b", "moved")
    async with listening(live, "a", start) as heard:
        assert (await heard.get()).name == RELOAD
    async with listening(live, "a", start + 1) as heard:
        assert heard.empty()


async def test_a_listener_that_falls_behind_is_told_once(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(module, "WAITING_MAX", 3)
    live = Live()
    events = live.listen("a")
    first = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)  # it begins to listen
    for number in range(10):
        live.publish("a", "moved", number)
    names = [(await first).name] + [(await anext(events)).name for _ in range(3)]
    assert names == ["moved", "moved", "moved", RELOAD]
    await events.aclose()  # type: ignore[attr-defined]
