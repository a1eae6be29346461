"""Chance: what may happen to any call, and that the same seed brings it again."""

from __future__ import annotations

import asyncio
import os

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.errors import (
    DynamoDBError,
    InternalServerError,
    ThrottlingException,
    TransactionCanceledException,
    TransactionConflictException,
    TransactionInProgressException,
    ValidationException,
)
from sekkei.store import ConfigurationError, Embedded, Remote, Retries, Retrying
from sekkei.store.weather import PRESETS, Weather, wrap
from sekkei.wire.server import Server
from tests.store.conftest import Naps
from tests.store.weather.conftest import TABLE, by_status, get, item, key, put

BATCH = {"RequestItems": {"orders": [{"PutRequest": {"Item": item(number)}} for number in range(25)]}}


async def a_day(store) -> list[object]:
    """A program of all kinds of calls; what it was answered."""
    transcript: list[object] = []

    async def call(operation: str, request: dict) -> None:
        try:
            transcript.append(await store.call(operation, request))
        except DynamoDBError as error:
            transcript.append((error.code, error.message, error.details()))

    await call("CreateTable", {**TABLE, "TableName": "other"})
    await call("CreateTable", TABLE)
    for number in range(25):
        await call("PutItem", put(number, f"s{number % 3}"))
        await call("UpdateItem", get(number, **ADD))
        await call("GetItem", get(number))
        await call("Query", by_status(f"s{number % 3}"))
        await call(
            "TransactWriteItems", {"TransactItems": [{"Update": get(0, **ADD)}], "ClientRequestToken": f"t{number}"}
        )
        await call("PutItem", {"TableName": "orders", "Item": {}})
    await call("BatchWriteItem", BATCH)
    await call("BatchGetItem", {"RequestItems": {"orders": {"Keys": [key(number) for number in range(30)]}}})
    await call("Scan", {"TableName": "orders", "ConsistentRead": True})
    await call("DeleteTable", {"TableName": "other"})
    return transcript


ADD = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}


async def a_day_in(name: str, seed: int) -> list[object]:
    clock = ManualClock()
    store = Weather.preset(name, Embedded(clock=clock), seed, clock=clock, sleep=Naps())
    try:
        return await a_day(store)
    finally:
        await store.close()


async def test_without_weather_a_store_is_as_it_was():
    bare, clear = Embedded(clock=ManualClock()), Weather(Embedded(clock=ManualClock()))
    assert await a_day(clear) == await a_day(bare)
    await clear.close()
    await bare.close()


async def test_the_same_seed_brings_the_same_day():
    first, again = await a_day_in("storm", 7), await a_day_in("storm", 7)
    assert first == again
    assert await a_day_in("storm", 8) != first


async def test_a_storm_has_everything():
    codes = {entry[0] for seed in range(4) for entry in await a_day_in("storm", seed) if isinstance(entry, tuple)}
    assert codes >= {
        "ThrottlingException",
        "InternalServerError",
        "TransactionCanceledException",
        "TransactionConflictException",
        "TransactionInProgressException",
        "ValidationException",
    }


async def test_a_lost_response_is_a_write_that_happened(inner, weather):
    store = await weather(lost_responses=1.0)
    with pytest.raises(InternalServerError):
        await store.call("PutItem", put(1))
    assert await store.call("GetItem", get(1)) == {"Item": item(1)}
    with pytest.raises(ValidationException):
        await store.call("PutItem", {"TableName": "orders", "Item": {}})


async def test_a_program_that_adds_twice_is_caught(weather, naps):
    """An update that is tried again after its answer was lost has counted twice; a transaction with a token has not."""
    store = Retrying(await weather(seed=3, lost_responses=0.3), Retries(attempts=50), sleep=naps)
    for _ in range(30):
        await store.call("UpdateItem", get("plain", **ADD))
        await store.call("TransactWriteItems", {"TransactItems": [{"Update": get("token", **ADD)}]})
    plain, token = [(await store.call("GetItem", get(name)))["Item"]["n"]["N"] for name in ("plain", "token")]
    assert int(plain) > 30
    assert int(token) == 30


async def test_a_batch_comes_back_in_part_and_is_done_at_last(inner, weather):
    store = await weather(unprocessed=0.5)
    request, rounds = BATCH, 0
    while request["RequestItems"]:
        response = await store.call("BatchWriteItem", request)
        left = response["UnprocessedItems"].get("orders", [])
        done = (await inner.call("Scan", {"TableName": "orders"}))["Count"]
        assert done == 25 - len(left)
        assert len(left) < len(request["RequestItems"]["orders"])
        request, rounds = {"RequestItems": response["UnprocessedItems"]}, rounds + 1
    assert rounds > 2


async def test_something_of_a_batch_is_always_done(inner, weather):
    store = await weather(unprocessed=1.0)
    response = await store.call("BatchWriteItem", BATCH)
    assert len(response["UnprocessedItems"]["orders"]) == 24
    assert (await inner.call("Scan", {"TableName": "orders"}))["Count"] == 1


async def test_keys_come_back_in_part_with_what_was_asked_of_them(inner, weather):
    store = await weather(unprocessed=0.5)
    await inner.call("BatchWriteItem", BATCH)
    wanted = {"Keys": [key(number) for number in range(25)], "ProjectionExpression": "id", "ConsistentRead": True}
    request, found = {"orders": wanted}, []
    while request:
        response = await store.call("BatchGetItem", {"RequestItems": request})
        found += response["Responses"]["orders"]
        request = response["UnprocessedKeys"]
        if request:
            assert request["orders"].keys() == wanted.keys()
    assert sorted(one["id"]["S"] for one in found) == sorted(str(number) for number in range(25))


async def test_a_batch_with_a_mistake_is_refused_as_a_whole(weather, inner):
    store = await weather(unprocessed=0.9)
    twice = {"RequestItems": {"orders": [{"PutRequest": {"Item": item(1)}}] * 26}}
    with pytest.raises(ValidationException):
        await store.call("BatchWriteItem", twice)
    assert (await inner.call("Scan", {"TableName": "orders"}))["Count"] == 0


async def test_a_conflict_cancels_a_transaction_and_changes_nothing(inner, weather):
    store = await weather(conflicts=1.0)
    await store.call("PutItem", put(0))  # no transaction has been near this table yet
    with pytest.raises(TransactionCanceledException) as caught:
        await store.call("TransactWriteItems", {"TransactItems": [{"Put": put(1)}, {"Put": put(2)}]})
    codes = sorted(reason["Code"] for reason in caught.value.reasons)
    assert codes == ["None", "TransactionConflict"]
    assert "TransactionConflict" in caught.value.message
    assert (await inner.call("Scan", {"TableName": "orders"}))["Count"] == 1
    with pytest.raises(TransactionConflictException):
        await store.call("PutItem", put(3))


async def test_a_transaction_in_progress_may_have_got_through_or_not(inner, weather):
    store = await weather(in_progress=1.0)
    done = 0
    for number in range(20):
        request = {"TransactItems": [{"Put": put(number)}], "ClientRequestToken": f"t{number}"}
        with pytest.raises(TransactionInProgressException):
            await store.call("TransactWriteItems", request)
        done = (await inner.call("Scan", {"TableName": "orders"}))["Count"]
    assert 0 < done < 20
    await store.call("TransactWriteItems", {"TransactItems": [{"Put": put("without a token")}]})


async def test_throttling_by_chance(inner, weather):
    store = await weather(throttled=1.0)
    for operation, request in [("PutItem", put(1)), ("GetItem", get(1)), ("BatchWriteItem", BATCH)]:
        with pytest.raises(ThrottlingException, match="Throughput exceeds"):
            await store.call(operation, request)
    assert (await inner.call("Scan", {"TableName": "orders"}))["Count"] == 0


async def test_latency_is_waited_for_before_and_after(weather, naps):
    store = await weather(latency=2.0)
    await store.call("GetItem", get(1))
    assert len(naps) == 2
    assert all(0 < nap < 1 for nap in naps)


async def test_a_program_that_is_right_survives_a_storm(clock):
    """Money moves between accounts by transactions that are tried again; none is lost and none appears."""
    storm = vars(PRESETS["storm"])
    weather = Weather(Embedded(clock=clock), 11, **storm, clock=clock, sleep=Naps())
    store = Retrying(weather, Retries(attempts=40), clock=clock, sleep=Naps())
    await store.call("CreateTable", TABLE)
    for account in range(3):
        await store.call("PutItem", {"TableName": "orders", "Item": {**key(account), "n": {"N": "100"}}})

    def move(account: int, amount: int) -> dict:
        values = {":amount": {"N": str(amount)}, ":least": {"N": str(max(0, -amount))}}
        request = get(account, UpdateExpression="ADD n :amount", ConditionExpression="n >= :least")
        return {"Update": {**request, "ExpressionAttributeValues": values}}

    async def transfer(number: int) -> None:
        items = [move(number % 3, -7), move((number + 1) % 3, 7)]
        while True:
            try:
                await store.call("TransactWriteItems", {"TransactItems": items})
                return
            except TransactionCanceledException as error:
                if any(reason["Code"] == "ConditionalCheckFailed" for reason in error.reasons):
                    return

    await asyncio.gather(*[transfer(number) for number in range(40)])
    balances = [
        int((await store.call("GetItem", get(account, ConsistentRead=True)))["Item"]["n"]["N"]) for account in range(3)
    ]
    assert sum(balances) == 300
    assert balances == [93, 107, 100]  # forty moves of seven: one more from the first account than came to it
    await store.close()


async def test_weather_over_the_wire():
    """As `sekkei engine --weather` does: an engine, weather, the wire, and a client that tries again."""
    engine = Engine(None)
    store = wrap(engine, "storm", seed=5)
    server = Server(store)
    await server.start()
    remote = Remote(endpoint_url=f"http://127.0.0.1:{server.port}", environ={}, sleep=Naps(), retries=Retries(20))
    await remote.call("CreateTable", TABLE)
    for number in range(20):
        await remote.call("PutItem", put(number))
    assert (await remote.call("Scan", {"TableName": "orders", "ConsistentRead": True}))["Count"] == 20
    assert (await remote.call("Query", by_status()))["Count"] < 20
    await remote.close()
    await server.stop()
    await store.close()


async def test_items_are_rendered_as_the_wire_asks(inner, weather, clock):
    store = await weather(index_lag=1.0, base_lag=1.0)
    await store.call("PutItem", put(1))
    clock.advance(1.0)
    response = await store.call("GetItem", get(1), orjson.Fragment)
    assert isinstance(response["Item"], orjson.Fragment)
    response = await store.call("Query", by_status(), orjson.Fragment)
    assert isinstance(response["Items"][0], orjson.Fragment)


@pytest.mark.parametrize(
    "settings", [{"index_lag": -1.0}, {"lost_responses": 1.5}, {"conflicts": -0.1}, {"latency": float("nan")}]
)
def test_impossible_weather_is_refused(settings):
    with pytest.raises(ConfigurationError):
        Weather(Embedded(), **settings)


async def test_presets_have_names():
    store = Embedded()
    for name in ("clear", "fog", "drizzle", "storm"):
        made = Weather.preset(name, store)
        assert made.forecast == PRESETS[name]
    with pytest.raises(ConfigurationError, match="fog"):
        Weather.preset("hail", store)
    await store.close()


async def test_close_leaves_nothing_behind():
    store = Weather.preset("fog", Embedded())
    await store.call("CreateTable", TABLE)
    await store.call("PutItem", put(1))
    files = [replica._copy.engine.path for replica in store._replicas]
    assert all(os.path.exists(path) for path in files)
    await store.close()
    assert not any(os.path.exists(path) for path in files)
