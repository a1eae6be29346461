"""Too often, too much, from nowhere we know."""

from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.refusals import TooMany
from sekkei.web import limits
from sekkei.web.limits import WRITES, Limits, Rate
from sekkei.web.testing import opened, test_settings
from tests.web.example import SYSTEM


def test_a_bucket_empties_and_fills_again() -> None:
    clock = ManualClock()
    found = Limits(clock)
    rate = Rate(burst=3, per_second=0.5)
    for _ in range(3):
        found.take(rate, "a")
    with pytest.raises(TooMany) as refused:
        found.take(rate, "a")
    assert refused.value.retry_after_seconds == 2
    found.take(rate, "b")
    clock.advance(2)
    found.take(rate, "a")
    with pytest.raises(TooMany):
        found.take(rate, "a")
    clock.advance(1000)
    for _ in range(3):
        found.take(rate, "a")
    with pytest.raises(TooMany):
        found.take(rate, "a")


def test_a_clock_that_goes_back_locks_nobody_out() -> None:
    clock = ManualClock()
    found = Limits(clock)
    found.take(Rate(1, 1), "a")
    clock.advance(-86_400)
    with pytest.raises(TooMany):
        found.take(Rate(1, 1), "a")
    clock.advance(1)
    found.take(Rate(1, 1), "a")


def test_buckets_take_a_bounded_amount_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BUCKETS_MAX", 10)
    found = Limits(ManualClock())
    for number in range(100):
        found.take(Rate(1, 1), str(number))
    assert len(found._buckets) == 10


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("discord:1", "discord:2", False),
    ],
)
def test_addresses_of_one_household_count_as_one(first: str, second: str, together: bool) -> None:
    found = Limits(ManualClock())
    found.take(Rate(1, 1), "address", first)
    if together:
        with pytest.raises(TooMany):
            found.take(Rate(1, 1), "address", second)
    else:
        found.take(Rate(1, 1), "address", second)


async def test_a_flood_of_writes_is_refused_with_the_time_to_wait() -> None:
    clock = ManualClock()
    async with opened(SYSTEM, clock=clock, settings=test_settings(values={"rate_limit": "on"})) as client:
        await client.sign_in()
        token = await client.token()
        for _ in range(int(WRITES.burst)):
            assert (await client.json("POST", "/example/api/notes", {"text": "x"}, token=token)).status == 201
        reply = await client.json("POST", "/example/api/notes", {"text": "x"}, token=token)
        assert (reply.status, reply.header("retry-after"), reply.json()["code"]) == (429, "1", "too-many")
        assert (await client.get("/example/")).status == 200
        elsewhere = client.another(address="127.0.0.2")
        elsewhere.cookies = dict(client.cookies)
        assert (await elsewhere.json("POST", "/example/api/notes", {"text": "x"}, token=token)).status == 429
        clock.advance(1)
        assert (await client.json("POST", "/example/api/notes", {"text": "x"}, token=token)).status == 201


async def test_guessing_passwords_is_slow_from_one_address_and_for_one_account() -> None:
    clock = ManualClock()
    async with opened(SYSTEM, clock=clock, settings=test_settings(values={"rate_limit": "on"})) as client:
        token = await client.token()
        statuses = []
        for number in range(30):
            guesser = client.another(address=f"10.0.0.{number}")
            guesser.cookies = dict(client.cookies)
            reply = await guesser.post("/sign-in", {"email": "a@example.com", "password": "guess guess"}, token=token)
            statuses.append(reply.status)
        assert statuses == [422] * 10 + [429] * 20
        statuses = []
        for number in range(30):
            given = {"email": f"a{number}@example.com", "password": "guess guess"}
            statuses.append((await client.post("/sign-in", given, token=token)).status)
        assert statuses == [422] * 20 + [429] * 10
