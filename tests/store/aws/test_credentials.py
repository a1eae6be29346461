from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from sekkei.clock import ManualClock
from sekkei.errors import CredentialsError
from sekkei.store.aws.credentials import HOLD_SECONDS, RENEW_SECONDS, Credentials, Keyring, seconds_of


class Source:
    """Gives credentials numbered in turn, which last `seconds`."""

    def __init__(self, clock: ManualClock, seconds: float | None) -> None:
        self.clock = clock
        self.seconds = seconds
        self.given = 0
        self.failing = False
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self) -> Credentials:
        self.gate.wait(5)
        if self.failing:
            raise CredentialsError("out of order")
        self.given += 1
        expires_at = None if self.seconds is None else self.clock.now() + self.seconds
        return Credentials(f"K{self.given}", "s", None, expires_at)


async def settled(keyring: Keyring) -> None:
    await asyncio.gather(*keyring._renewals.values(), return_exceptions=True)


async def test_keys_that_do_not_expire_are_asked_for_once():
    clock = ManualClock()
    source = Source(clock, None)
    keyring = Keyring(source, clock)
    assert {(await keyring.credentials()).access_key for _ in range(5)} == {"K1"}
    assert source.given == 1


async def test_everybody_who_comes_at_once_waits_for_one_renewal():
    clock = ManualClock()
    source = Source(clock, 3600)
    source.gate.clear()
    keyring = Keyring(source, clock)
    waiting = asyncio.gather(*[keyring.credentials() for _ in range(50)])
    await asyncio.sleep(0)
    source.gate.set()
    assert {found.access_key for found in await waiting} == {"K1"}
    assert source.given == 1


async def test_credentials_are_renewed_behind_the_callers_back_before_they_expire():
    clock = ManualClock()
    source = Source(clock, 3600)
    keyring = Keyring(source, clock)
    await keyring.credentials()
    clock.advance(3600 - RENEW_SECONDS + 1)
    source.gate.clear()
    assert (await keyring.credentials()).access_key == "K1"
    source.gate.set()
    await settled(keyring)
    assert (await keyring.credentials()).access_key == "K2"
    assert source.given == 2


async def test_credentials_about_to_expire_are_not_used():
    clock = ManualClock()
    keyring = Keyring(Source(clock, 3600), clock)
    await keyring.credentials()
    clock.advance(3600 - HOLD_SECONDS + 1)
    assert (await keyring.credentials()).access_key == "K2"


async def test_a_renewal_that_fails_is_logged_and_the_old_credentials_stay(caplog):
    clock = ManualClock()
    source = Source(clock, 3600)
    keyring = Keyring(source, clock)
    await keyring.credentials()
    clock.advance(3600 - RENEW_SECONDS + 1)
    source.failing = True
    with caplog.at_level(logging.WARNING, "sekkei.store"):
        assert (await keyring.credentials()).access_key == "K1"
        await settled(keyring)
        await asyncio.sleep(0)
    assert "out of order" in caplog.text
    clock.advance(RENEW_SECONDS)
    with pytest.raises(CredentialsError, match="out of order"):
        await keyring.credentials()


async def test_a_source_that_repeats_itself_is_not_asked_all_the_time():
    clock = ManualClock()
    source = Source(clock, RENEW_SECONDS - 10)
    keyring = Keyring(source, clock)
    for _ in range(10):
        await keyring.credentials()
        await settled(keyring)
    assert source.given == 1
    clock.advance(61)
    for _ in range(10):
        await keyring.credentials()
        await settled(keyring)
    assert source.given == 2


async def test_a_caller_who_goes_away_does_not_take_the_renewal_along():
    clock = ManualClock()
    source = Source(clock, 3600)
    source.gate.clear()
    keyring = Keyring(source, clock)
    impatient = asyncio.create_task(keyring.credentials())
    patient = asyncio.create_task(keyring.credentials())
    await asyncio.sleep(0)
    impatient.cancel()
    source.gate.set()
    assert (await patient).access_key == "K1"
    assert impatient.cancelled()


async def test_loops_in_several_threads_share_what_was_found():
    clock = ManualClock()
    source = Source(clock, 3600)
    keyring = Keyring(source, clock)
    found = await asyncio.gather(
        *[asyncio.to_thread(lambda: asyncio.run(keyring.credentials())) for _ in range(4)], keyring.credentials()
    )
    assert {credentials.access_key for credentials in found} == {"K1"}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2023-11-14T22:13:20Z", 1_700_000_000),
        ("2023-11-14T22:13:20+00:00", 1_700_000_000),
        ("2023-11-14T22:13:20", 1_700_000_000),
        ("2023-11-15T07:13:20.500+09:00", 1_700_000_000.5),
    ],
)
def test_times_are_read(text, seconds):
    assert seconds_of(text, "x") == seconds


def test_what_is_no_time_is_refused():
    with pytest.raises(CredentialsError, match="not a time"):
        seconds_of("tomorrow", "the agent")
