"""The booking port over HTTP, against a studio's system that is slow, silent and broken."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
import uvicorn

from sekkei.clock import ManualClock
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.store.http import Limits
from sekkei_fakes.studio.system import Faults, State, StudioSystem, application
from sekkei_systems.lessons.ports.booking import HttpBooking, NoWord, StudioRefused, booking_ports_of
from tests.systems.lessons.world import LESSON, NOON


@contextlib.asynccontextmanager
async def running(system: StudioSystem, clock: ManualClock) -> AsyncIterator[str]:
    """Its address, while it is served."""
    config = uvicorn.Config(application(system, "secret", clock), port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    socket = config.bind_socket()
    socket.listen()  # whoever connects before it serves waits
    serving = asyncio.create_task(server.serve([socket]))
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await serving


@contextlib.asynccontextmanager
async def served(system: StudioSystem, clock: ManualClock, token: str = "secret") -> AsyncIterator[HttpBooking]:
    async with running(system, clock) as url:
        yield HttpBooking(f"{url}/", token, Http(Limits(4, 1.0, 0.3, 5.0)))


async def test_reserve_confirm_release_each_may_be_sent_again() -> None:
    clock = ManualClock(NOON)
    system = StudioSystem(clock)
    system.offer(str(LESSON), 1)
    async with served(system, clock) as port:
        for _ in range(2):
            await port.reserve("k1", LESSON)
        with pytest.raises(StudioRefused, match="full"):
            await port.reserve("k2", LESSON)
        for _ in range(2):
            await port.confirm("k1")
        assert system.reservations["k1"].state is State.SOLD
        for _ in range(2):
            await port.release("k1")
        await port.reserve("k2", LESSON)
        with pytest.raises(StudioRefused, match="released"):
            await port.reserve("k1", LESSON)
        with pytest.raises(StudioRefused, match="lapsed"):
            await port.confirm("never")


async def test_what_is_no_clear_answer_is_no_word() -> None:
    clock = ManualClock(NOON)
    system = StudioSystem(clock)
    system.offer(str(LESSON), 5)
    for faults in (Faults(deaf=1.0), Faults(mute=1.0), Faults(broken=1.0), Faults(slow_seconds=1.0)):
        system.faults = faults
        async with served(system, clock) as port:
            with pytest.raises(NoWord):
                await port.reserve("k1", LESSON)
    system.faults = Faults()
    async with served(system, clock, token="wrong") as port:
        with pytest.raises(NoWord):
            await port.reserve("k1", LESSON)


def test_half_set_up_does_not_start() -> None:
    for values in ({"lessons_booking_url": "gnz=https://x.example"}, {"lessons_booking_token": "t"}):
        with pytest.raises(ValueError, match="together"):
            booking_ports_of(Settings(values=values))
    both = {"lessons_booking_url": "gnz=https://x.example", "lessons_booking_token": "t"}
    assert list(booking_ports_of(Settings(values=both))) == ["gnz"]
    assert booking_ports_of(Settings()) == {}
