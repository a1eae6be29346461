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


async def test_fifty_people_behind_one_address_do_not_refuse_each_other() -> None:
    """Members of a studio, at the moment when booking opens."""
    async with opened(SYSTEM, clock=ManualClock(), settings=test_settings(values={"rate_limit": "on"})) as client:
        people = [client.another() for _ in range(50)]
        for number, person in enumerate(people):
            await person.sign_in_by_email(f"member{number}@example.com")
        tokens = [await person.token() for person in people]
        statuses = [
            (await person.json("POST", "/example/api/notes", {"text": "x"}, token=token)).status
            for _ in range(5)
            for person, token in zip(people, tokens, strict=True)
        ]
        assert statuses == [201] * 250


async def test_who_only_claims_to_be_somebody_counts_with_the_address() -> None:
    async with opened(SYSTEM, clock=ManualClock(), settings=test_settings(values={"rate_limit": "on"})) as client:
        client.bearer = "sekkei_nobody." + "x" * 43
        statuses = {(await client.json("POST", "/example/api/notes", {"text": "x"})).status for _ in range(120)}
        assert statuses == {401}
        assert (await client.json("POST", "/example/api/notes", {"text": "x"})).status == 429


async def test_twenty_five_people_sign_in_at_one_address_within_a_minute() -> None:
    async with opened(SYSTEM, clock=ManualClock(), settings=test_settings(values={"rate_limit": "on"})) as client:
        accounts = client.shell.accounts
        for number in range(25):
            account = await accounts.create(f"m{number}@example.com", "m")
            await accounts.set_password(account.id, "correct horse")
            given = {"email": f"m{number}@example.com", "password": "correct horse"}
            assert (await client.another().post("/sign-in", given)).status == 303


@pytest.mark.parametrize(
    ("seconds", "ja", "en"),
    [(1, "1秒後", "in 1 second."), (119, "119秒後", "in 119 seconds."), (121, "3分後", "in 3 minutes.")],
)
def test_it_says_when_to_come_back(seconds: int, ja: str, en: str) -> None:
    assert ja in TooMany(seconds).text("ja")
    assert TooMany(seconds).text("en").endswith(en)
