"""Capacity that runs out: provisioned units with their burst, and the limits of one partition."""

from __future__ import annotations

import pytest

from sekkei.errors import (
    ProvisionedThroughputExceededException,
    ThrottlingException,
    TransactionCanceledException,
)
from sekkei.store.weather.capacity import Bucket
from tests.store.weather.conftest import TABLE, by_status, get, item, key, put

PROVISIONED = {
    **TABLE,
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
    "GlobalSecondaryIndexes": [
        {
            **TABLE["GlobalSecondaryIndexes"][0],
            "ProvisionedThroughput": {"ReadCapacityUnits": 100, "WriteCapacityUnits": 100},
        }
    ],
}


def with_index_units(writes: int, table_writes: int = 100) -> dict:
    index = PROVISIONED["GlobalSecondaryIndexes"][0]
    return {
        **PROVISIONED,
        "ProvisionedThroughput": {"ReadCapacityUnits": 100, "WriteCapacityUnits": table_writes},
        "GlobalSecondaryIndexes": [
            {**index, "ProvisionedThroughput": {"ReadCapacityUnits": 100, "WriteCapacityUnits": writes}}
        ],
    }


async def calls_until_throttled(store, operation: str, make, most: int = 3000) -> tuple[int, Exception | None]:
    for number in range(most):
        try:
            await store.call(operation, make(number))
        except (ProvisionedThroughputExceededException, ThrottlingException) as error:
            return number, error
    return most, None


def big(number: int, status: str = "open", kilobytes: int = 100) -> dict:
    return put(number, status) | {"Item": {**item(number, status), "text": {"S": "x" * (kilobytes * 1024 - 60)}}}


def test_a_bucket_fills_to_its_level_and_gives_credit():
    bucket = Bucket(rate=10, level=100, now=0.0)
    assert bucket.left(50.0) == 100
    bucket.take(130, 50.0)
    assert bucket.left(50.0) == -30
    assert bucket.left(52.0) == -10
    assert bucket.left(1000.0) == 100
    assert bucket.left(999.0) == 100  # a clock that was set back takes nothing away


async def test_five_minutes_of_provisioned_writes_are_saved_up_then_throttled(weather, clock):
    store = await weather(table=PROVISIONED, throttle=True)
    done, error = await calls_until_throttled(store, "PutItem", put)
    assert done == 300
    assert isinstance(error, ProvisionedThroughputExceededException)
    assert error.message.startswith("The level of configured provisioned throughput for the table was exceeded.")
    [reason] = error.reasons
    assert reason["reason"] == "TableWriteProvisionedThroughputExceeded"
    assert reason["resource"].endswith(":table/orders")
    clock.advance(5.0)
    done, _ = await calls_until_throttled(store, "PutItem", put)
    assert done == 5


async def test_reads_and_writes_are_counted_apart(weather):
    store = await weather(table=PROVISIONED, throttle=True)
    assert (await calls_until_throttled(store, "PutItem", put))[0] == 300
    done, error = await calls_until_throttled(store, "GetItem", lambda _: get(1, ConsistentRead=True))
    assert done == 300
    assert error.reasons[0]["reason"] == "TableReadProvisionedThroughputExceeded"


async def test_an_index_with_too_little_holds_back_writes_to_its_table(weather):
    store = await weather(table=with_index_units(1), throttle=True)
    done, error = await calls_until_throttled(store, "PutItem", lambda number: put(number, f"s{number}"))
    assert done == 300
    assert "global secondary indexes" in error.message
    assert error.reasons[0]["reason"] == "IndexWriteProvisionedThroughputExceeded"
    assert error.reasons[0]["resource"].endswith("/index/by-status")
    await store.call("PutItem", {"TableName": "orders", "Item": key("unindexed")})
    update = {"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}
    with pytest.raises(ProvisionedThroughputExceededException):
        await store.call("UpdateItem", get(1, **update))


async def test_one_partition_has_a_limit_even_without_provisioned_capacity(weather, clock):
    store = await weather(throttle=True)
    done, error = await calls_until_throttled(store, "PutItem", lambda number: big(1, f"s{number}"))
    assert done == 10
    assert isinstance(error, ThrottlingException)
    assert error.reasons[0]["reason"] == "TableWriteKeyRangeThroughputExceeded"
    elsewhere = 0
    for number in range(2, 30):
        try:
            await store.call("PutItem", put(number, f"t{number}"))
            elsewhere += 1
        except ThrottlingException:
            pass
    assert 0 < elsewhere < 28  # other partitions go on
    clock.advance(1.0)
    await store.call("PutItem", big(1, "later"))


async def test_one_hot_value_of_an_index_throttles_writes_all_over_the_table(weather):
    store = await weather(throttle=True)
    done, error = await calls_until_throttled(store, "PutItem", lambda number: big(number, "open"))
    assert done <= 11
    assert error.reasons[0]["reason"] == "IndexWriteKeyRangeThroughputExceeded"
    others = [await succeeds(store, put("other", f"status {number}")) for number in range(20)]
    assert any(others)  # those that lie in other partitions of the index


async def test_one_hot_value_is_limited_for_queries(weather):
    store = await weather(throttle=True)
    for number in range(8):
        await store.call("PutItem", big(number, "open"))
    done, error = await calls_until_throttled(store, "Query", lambda _: by_status())
    assert error is not None
    assert 20 <= done <= 40  # 800 KB are 100 units of the 3,000
    assert error.reasons[0]["reason"] == "IndexReadKeyRangeThroughputExceeded"


async def test_a_batch_pays_once_for_each_item(weather):
    store = await weather(table=PROVISIONED, throttle=True)

    def batch(_: int) -> dict:
        return {"RequestItems": {"orders": [{"PutRequest": {"Item": item(number)}} for number in range(20)]}}

    assert (await calls_until_throttled(store, "BatchWriteItem", batch))[0] == 15


async def test_a_batch_is_done_as_far_as_it_goes(weather):
    store = await weather(throttle=True)
    await calls_until_throttled(store, "PutItem", lambda number: big(1, f"s{number}"))
    entries = [{"PutRequest": {"Item": item(number, f"t{number}")}} for number in range(1, 21)]
    response = await store.call("BatchWriteItem", {"RequestItems": {"orders": entries}})
    left = response["UnprocessedItems"]["orders"]
    assert {"PutRequest": {"Item": item(1, "t1")}} in left
    assert 0 < len(left) < 20
    for entry in entries:
        found = await store.call("GetItem", get(entry["PutRequest"]["Item"]["id"]["S"], ConsistentRead=True))
        assert ("Item" in found and found["Item"] == entry["PutRequest"]["Item"]) is (entry not in left)
    with pytest.raises(ThrottlingException):
        await store.call("BatchWriteItem", {"RequestItems": {"orders": entries[:1]}})


async def test_a_transaction_is_cancelled_with_the_reason_at_its_place(weather):
    store = await weather(throttle=True)
    await calls_until_throttled(store, "PutItem", lambda number: big(1, f"s{number}"))
    cool, *_ = [number for number in range(2, 20) if await succeeds(store, put(number, f"t{number}"))]
    with pytest.raises(TransactionCanceledException) as caught:
        await store.call("TransactWriteItems", {"TransactItems": [{"Put": put(cool, "a")}, {"Put": put(1, "b")}]})
    assert [reason["Code"] for reason in caught.value.reasons] == ["None", "ThrottlingError"]
    assert (await store.call("GetItem", get(cool, ConsistentRead=True)))["Item"] == item(cool, f"t{cool}")


async def succeeds(store, request: dict) -> bool:
    try:
        await store.call("PutItem", request)
    except ThrottlingException:
        return False
    return True


@pytest.mark.parametrize("how", [None, "NONE", "TOTAL", "INDEXES"])
async def test_the_caller_is_told_the_capacity_it_asked_for(inner, weather, how):
    store = await weather(throttle=True)
    options = {} if how is None else {"ReturnConsumedCapacity": how}
    requests = [
        ("PutItem", put(1, **options)),
        ("GetItem", get(1, **options)),
        ("Query", by_status(**options)),
        ("BatchGetItem", {"RequestItems": {"orders": {"Keys": [key(1)]}}, **options}),
        ("TransactWriteItems", {"TransactItems": [{"Put": put(1)}], **options}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM orders", **options}),
    ]
    for operation, request in requests:
        await inner.call("DeleteItem", get(1))
        there = await inner.call(operation, request)
        await inner.call("DeleteItem", get(1))
        assert await store.call(operation, request) == there
