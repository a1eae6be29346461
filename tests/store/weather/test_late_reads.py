"""Reads of a bounded past: what a program must not rely on."""

from __future__ import annotations

import asyncio
import random

import pytest

from sekkei.clock import ManualClock
from sekkei.errors import InternalServerError, ResourceNotFoundException, ValidationException
from sekkei.store import Embedded
from sekkei.store.weather import Weather
from tests.scripted_store import ScriptedStore
from tests.store.weather.conftest import TABLE, by_status, get, ids, item, key, put


async def place_order_and_count(store) -> int:
    """A program that is wrong: it counts on its own write being in an index already."""
    await store.call("PutItem", put("mine"))
    return (await store.call("Query", by_status()))["Count"]


async def test_a_program_that_reads_its_own_write_through_an_index_is_caught(inner, weather):
    store = await weather(index_lag=2.0)
    assert await place_order_and_count(store) == 0
    await inner.call("DeleteItem", get("mine"))
    assert await place_order_and_count(inner) == 1  # which no other emulator would have shown


async def test_a_late_index_catches_up_within_its_bound(weather, clock):
    store = await weather(index_lag=2.0)
    for number in range(20):
        await store.call("PutItem", put(number))
    assert ids(await store.call("Query", by_status())) == []
    clock.advance(1.0)
    half = len(ids(await store.call("Query", by_status())))
    assert 0 < half < 20
    clock.advance(1.0)
    assert len(ids(await store.call("Query", by_status()))) == 20


async def test_tables_are_read_in_the_present_when_only_indexes_are_late(weather):
    store = await weather(index_lag=2.0)
    await store.call("PutItem", put(1))
    assert await store.call("GetItem", get(1)) == {"Item": item(1)}
    assert (await store.call("Scan", {"TableName": "orders"}))["Count"] == 1
    assert (await store.call("Scan", {"TableName": "orders", "IndexName": "by-status"}))["Count"] == 0


async def test_eventually_consistent_reads_of_a_table_are_late_and_consistent_ones_are_not(weather, clock):
    store = await weather(base_lag=1.0)
    await store.call("PutItem", put(1))
    keys = {"orders": {"Keys": [key(1)]}}
    select = "SELECT * FROM orders WHERE id = '1'"
    assert await store.call("GetItem", get(1)) == {}
    assert (await store.call("Scan", {"TableName": "orders"}))["Count"] == 0
    assert (await store.call("BatchGetItem", {"RequestItems": keys}))["Responses"] == {"orders": []}
    assert (await store.call("ExecuteStatement", {"Statement": select}))["Items"] == []
    assert (await store.call("Query", by_status()))["Count"] == 1  # an index is not late here

    assert await store.call("GetItem", get(1, ConsistentRead=True)) == {"Item": item(1)}
    assert (await store.call("Scan", {"TableName": "orders", "ConsistentRead": True}))["Count"] == 1
    keys["orders"]["ConsistentRead"] = True
    assert (await store.call("BatchGetItem", {"RequestItems": keys}))["Responses"] == {"orders": [item(1)]}
    assert (await store.call("ExecuteStatement", {"Statement": select, "ConsistentRead": True}))["Items"] == [item(1)]
    transaction = {"TransactItems": [{"Get": get(1)}]}
    assert (await store.call("TransactGetItems", transaction))["Responses"] == [{"Item": item(1)}]

    clock.advance(1.0)
    assert await store.call("GetItem", get(1)) == {"Item": item(1)}
    assert (await store.call("ExecuteStatement", {"Statement": select}))["Items"] == [item(1)]


WRITES = {
    "PutItem": ("PutItem", put(1, "done"), item(1, "done")),
    "UpdateItem": (
        "UpdateItem",
        get(
            1,
            UpdateExpression="SET #s = :s",
            ExpressionAttributeNames={"#s": "status"},
            ExpressionAttributeValues={":s": {"S": "done"}},
        ),
        item(1, "done"),
    ),
    "DeleteItem": ("DeleteItem", get(1), None),
    "BatchWriteItem put": (
        "BatchWriteItem",
        {"RequestItems": {"orders": [{"PutRequest": {"Item": item(1, "done")}}]}},
        item(1, "done"),
    ),
    "BatchWriteItem delete": (
        "BatchWriteItem",
        {"RequestItems": {"orders": [{"DeleteRequest": {"Key": key(1)}}]}},
        None,
    ),
    "TransactWriteItems": ("TransactWriteItems", {"TransactItems": [{"Put": put(1, "done")}]}, item(1, "done")),
    "TransactWriteItems delete": ("TransactWriteItems", {"TransactItems": [{"Delete": get(1)}]}, None),
    "ExecuteStatement update": (
        "ExecuteStatement",
        {"Statement": "UPDATE orders SET status = 'done' WHERE id = '1'"},
        item(1, "done"),
    ),
    "ExecuteStatement delete": ("ExecuteStatement", {"Statement": "DELETE FROM orders WHERE id = '1'"}, None),
    "BatchExecuteStatement": (
        "BatchExecuteStatement",
        {"Statements": [{"Statement": "UPDATE orders SET status = 'done' WHERE id = '1'"}]},
        item(1, "done"),
    ),
    "ExecuteTransaction": (
        "ExecuteTransaction",
        {"TransactStatements": [{"Statement": "UPDATE orders SET status = 'done' WHERE id = '1'"}]},
        item(1, "done"),
    ),
}


@pytest.mark.parametrize("name", WRITES)
async def test_every_way_to_write_is_late_and_arrives(weather, clock, name):
    operation, request, after = WRITES[name]
    store = await weather(index_lag=1.0, base_lag=1.0)
    await store.call("PutItem", put(1))
    clock.advance(1.0)
    await store.call(operation, request)
    assert await store.call("GetItem", get(1)) == {"Item": item(1)}
    assert ids(await store.call("Query", by_status("open"))) == ["1"]
    clock.advance(1.0)
    assert await store.call("GetItem", get(1)) == ({} if after is None else {"Item": after})
    assert ids(await store.call("Query", by_status("open"))) == []
    assert ids(await store.call("Query", by_status("done"))) == (["1"] if after else [])


async def test_an_insert_statement_arrives(weather, clock):
    store = await weather(index_lag=1.0)
    await store.call("ExecuteStatement", {"Statement": "INSERT INTO orders VALUE {'id': '9', 'status': 'open'}"})
    assert ids(await store.call("Query", by_status())) == []
    clock.advance(1.0)
    assert ids(await store.call("Query", by_status())) == ["9"]


async def test_what_was_there_before_is_seen(inner, weather):
    await inner.call("CreateTable", TABLE)
    for number in range(60):
        await inner.call("PutItem", put(number))
    store = await weather(table=None, index_lag=10.0, base_lag=10.0)
    await store.call("PutItem", put(0, "done"))
    assert len(ids(await store.call("Query", by_status()))) == 60
    assert await store.call("GetItem", get(0)) == {"Item": item(0)}


async def test_errors_are_the_stores(inner, weather):
    store = await weather(index_lag=1.0, base_lag=1.0)
    for operation, request in [
        ("Query", by_status(ConsistentRead=True)),
        ("Query", by_status(IndexName="no-such-index")),
        ("Query", by_status(TableName="no-such-table")),
        ("GetItem", {"TableName": "orders", "Key": {"wrong": {"S": "x"}}}),
        ("GetItem", {"TableName": "orders"}),
        ("PutItem", {"TableName": "orders", "Item": {}}),
        ("PutItem", put(1, TableName="no-such-table")),
    ]:
        with pytest.raises((ValidationException, ResourceNotFoundException)) as here:
            await store.call(operation, request)
        with pytest.raises(type(here.value)) as there:
            await inner.call(operation, request)
        assert here.value.message == there.value.message


async def test_pages_of_the_past_follow_each_other(weather, clock):
    store = await weather(index_lag=5.0)
    for number in range(10):
        await store.call("PutItem", put(number))
    clock.advance(5.0)
    await store.call("DeleteItem", get(3))
    found, start = [], {}
    while True:
        page = await store.call("Query", by_status(Limit=3, **start))
        found += ids(page)
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    assert sorted(found) == [str(number) for number in range(10)]


async def test_a_table_made_anew_has_no_past(weather):
    store = await weather(table=None, index_lag=9.0, base_lag=9.0)
    await store.call("CreateTable", TABLE)
    await store.call("PutItem", put(1))
    await store.call("DeleteTable", {"TableName": "orders"})
    with pytest.raises(ResourceNotFoundException):
        await store.call("GetItem", get(1))
    await store.call("CreateTable", TABLE)
    assert (await store.call("Scan", {"TableName": "orders"}))["Count"] == 0


async def test_an_index_added_later_is_late_like_the_others(weather, clock):
    store = await weather(index_lag=1.0)
    await store.call("PutItem", put(1))
    await store.call(
        "UpdateTable",
        {
            "TableName": "orders",
            "AttributeDefinitions": [{"AttributeName": "day", "AttributeType": "S"}],
            "GlobalSecondaryIndexUpdates": [
                {
                    "Create": {
                        "IndexName": "by-day",
                        "KeySchema": [{"AttributeName": "day", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                }
            ],
        },
    )
    async with asyncio.timeout(60):
        while True:
            described = (await store.call("DescribeTable", {"TableName": "orders"}))["Table"]
            if all(index["IndexStatus"] == "ACTIVE" for index in described["GlobalSecondaryIndexes"]):
                break
            await asyncio.sleep(0.01)
    await store.call("PutItem", {"TableName": "orders", "Item": {**item(2), "day": {"S": "monday"}}})
    scan = {"TableName": "orders", "IndexName": "by-day"}
    assert (await store.call("Scan", scan))["Count"] == 0
    clock.advance(1.0)
    assert (await store.call("Scan", scan))["Count"] == 1


async def test_a_writer_who_goes_away_leaves_the_copies_right(inner, weather, clock):
    store = await weather(index_lag=1.0)
    await store.call("PutItem", put(1))
    for pauses in range(6):
        write = asyncio.create_task(store.call("PutItem", put(f"late-{pauses}")))
        for _ in range(pauses):
            await asyncio.sleep(0)
        write.cancel()
        await asyncio.gather(write, return_exceptions=True)
    await asyncio.gather(*store._writes_under_way)
    clock.advance(1.0)
    assert ids(await store.call("Query", by_status())) == ids(await inner.call("Query", by_status()))


async def test_a_write_that_failed_and_yet_happened_arrives(inner, weather, clock):
    losing = await weather(lost_responses=1.0)
    store = Weather(losing, index_lag=1.0, clock=clock)
    await store.call("GetItem", get(1))
    with pytest.raises(InternalServerError):
        await store.call("PutItem", put(1))
    clock.advance(1.0)
    assert ids(await store.call("Query", by_status())) == ["1"]


async def test_of_writes_at_once_the_last_one_stays(inner, clock):
    """The copy reads back what was written; an answer that dawdles must not bring an older state after a newer one."""
    await inner.call("CreateTable", TABLE)

    async def dawdle(operation: str, request: dict, answer: dict) -> None:
        if operation == "GetItem" and dawdling.count(operation) == 1:
            for _ in range(300):
                await asyncio.sleep(0)

    dawdling = ScriptedStore(inner, after=dawdle)
    store = Weather(dawdling, index_lag=1.0, clock=clock)
    first = asyncio.create_task(store.call("PutItem", put(1, "old")))
    async with asyncio.timeout(60):
        while (await inner.call("GetItem", get(1))) == {}:  # noqa: ASYNC110 (nobody tells)
            await asyncio.sleep(0)
    await asyncio.gather(first, store.call("PutItem", put(1, "new")))
    clock.advance(1.0)
    assert ids(await store.call("Query", by_status("new"))) == ["1"]
    assert ids(await store.call("Query", by_status("old"))) == []
    await store.close()


async def test_expired_items_leave_the_copies_too(clock):
    store = Weather(Embedded(clock=clock), index_lag=1.0, clock=clock)
    await store.call("CreateTable", TABLE)
    wish = {"Enabled": True, "AttributeName": "expires"}
    await store.call("UpdateTimeToLive", {"TableName": "orders", "TimeToLiveSpecification": wish})
    expires = {"N": str(int(clock.now()) + 60)}
    await store.call("PutItem", {"TableName": "orders", "Item": {**item(1), "expires": expires}})
    clock.advance(30)
    assert ids(await store.call("Query", by_status())) == ["1"]
    copy = store._replicas[0]._copy
    described = await copy.call("DescribeTimeToLive", {"TableName": "orders"})
    assert described["TimeToLiveDescription"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    await store.close()


@pytest.mark.parametrize("seed", range(8))
async def test_every_read_is_some_recent_state_and_never_goes_back(seed):
    """Random writes and reads: each item is seen in a state it had within the bound, and no older than seen before."""
    chance = random.Random(seed)
    clock = ManualClock(seed=seed)
    store = Weather(Embedded(clock=clock), seed, index_lag=3.0, base_lag=3.0, clock=clock)
    await store.call("CreateTable", TABLE)
    history: dict[str, list[tuple[float, str | None]]] = {str(n): [(0.0, None)] for n in range(4)}
    seen = {"index": dict.fromkeys(history, 0), "table": dict.fromkeys(history, 0)}

    async def look(where: str) -> dict[str, str]:
        scan = {"TableName": "orders", **({"IndexName": "by-status"} if where == "index" else {})}
        return {one["id"]["S"]: one["status"]["S"] for one in (await store.call("Scan", scan))["Items"]}

    for step in range(120):
        clock.advance(chance.random())
        name = chance.choice(list(history))
        if chance.random() < 0.6:
            state = None if chance.random() < 0.3 else f"s{step}"
            request = get(name) if state is None else put(name, state)
            await store.call("DeleteItem" if state is None else "PutItem", request)
            history[name].append((clock.now(), state))
        else:
            where = chance.choice(["index", "table"])
            found = await look(where)
            for each, states in history.items():
                oldest = max(at for at, (when, _) in enumerate(states) if when <= clock.now() - 3.0)
                allowed = [at for at in range(oldest, len(states)) if states[at][1] == found.get(each)]
                allowed = [at for at in allowed if at >= seen[where][each] or found.get(each) is None]
                assert allowed, (each, found.get(each), states)
                seen[where][each] = max(seen[where][each], min(allowed))
    clock.advance(3.0)
    now = {name: states[-1][1] for name, states in history.items() if states[-1][1] is not None}
    assert await look("index") == await look("table") == now
    await store.close()
