from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.store.remote import Remote
from sekkei.store.retries import Retries
from tests.store.canned import Canned, canned


@pytest.fixture
async def server():
    async with canned() as state:
        yield state


class Naps(list[float]):
    """Notes how long it was asked to sleep, and does not."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def make_remote(server: Canned, naps: Naps, clock: ManualClock):
    made: list[Remote] = []

    def make(**options: object) -> Remote:
        settings = {"endpoint_url": server.url, "environ": {"HOME": "/nonexistent"}, "clock": clock, "sleep": naps}
        if "attempts" in options:
            settings["retries"] = Retries(attempts=options.pop("attempts"))  # type: ignore[arg-type]
        made.append(Remote(**{**settings, **options}))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for store in made:
        await store.close()
