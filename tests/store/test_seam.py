"""One contract, every store: whoever stands above the seam cannot tell which store answers."""

from __future__ import annotations

import asyncio

import pytest

from sekkei.engine import Engine
from sekkei.errors import (
    ConditionalCheckFailedException,
    ResourceInUseException,
    ResourceNotFoundException,
    TransactionCanceledException,
    UnknownOperationException,
    ValidationException,
)
from sekkei.store import Embedded, Remote
from sekkei.wire.server import Server
from sekkei.wire.sigv4 import Key

TABLE = {
    "TableName": "orders",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
        {"AttributeName": "status", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-status",
            "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}
ITEM = {
    "pk": {"S": "注文"},
    "sk": {"N": "12345678901234567890.5"},
    "status": {"S": "open"},
    "bytes": {"B": "AAECAw=="},
    "nested": {"M": {"list": {"L": [{"BOOL": True}, {"NULL": True}, {"SS": ["a", "b"]}]}}},
}
KEY = {name: ITEM[name] for name in ("pk", "sk")}


@pytest.fixture(params=["memory", "file", "wire"])
async def store(request, tmp_path):
    if request.param != "wire":
        opened = Embedded(tmp_path / "seam.db" if request.param == "file" else None)
        yield opened
        await opened.close()
        return
    engine = Engine(None)
    server = Server(engine, {"AKIDTEST": Key("secret")})
    await server.start()
    remote = Remote(endpoint_url=f"http://127.0.0.1:{server.port}", credentials=("AKIDTEST", "secret"), environ={})
    yield remote
    await remote.close()
    await server.stop()
    engine.close()


async def test_items_go_in_and_come_out_to_the_letter(store):
    await store.call("CreateTable", TABLE)
    assert await store.call("PutItem", {"TableName": "orders", "Item": ITEM}) == {}
    assert await store.call("GetItem", {"TableName": "orders", "Key": KEY}) == {"Item": ITEM}
    queried = await store.call(
        "Query",
        {
            "TableName": "orders",
            "IndexName": "by-status",
            "KeyConditionExpression": "#s = :s",
            "ExpressionAttributeNames": {"#s": "status"},
            "ExpressionAttributeValues": {":s": {"S": "open"}},
        },
    )
    assert queried == {"Items": [ITEM], "Count": 1, "ScannedCount": 1}
    gone = await store.call("DeleteItem", {"TableName": "orders", "Key": KEY, "ReturnValues": "ALL_OLD"})
    assert gone == {"Attributes": ITEM}
    assert await store.call("GetItem", {"TableName": "orders", "Key": KEY}) == {}


async def test_streams_are_read_through_the_same_seam(store):
    created = await store.call("CreateTable", TABLE)
    await store.call("PutItem", {"TableName": "orders", "Item": ITEM})
    arn = created["TableDescription"]["LatestStreamArn"]
    described = await store.call("DescribeStream", {"StreamArn": arn})
    [shard] = described["StreamDescription"]["Shards"]
    wish = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = await store.call("GetShardIterator", wish)
    records = await store.call("GetRecords", {"ShardIterator": iterator["ShardIterator"]})
    assert [record["dynamodb"]["NewImage"] for record in records["Records"]] == [ITEM]


async def test_errors_are_typed_and_carry_what_they_know(store):
    await store.call("CreateTable", TABLE)
    await store.call("PutItem", {"TableName": "orders", "Item": ITEM})
    create = {"TableName": "orders", "Item": ITEM, "ConditionExpression": "attribute_not_exists(pk)"}
    with pytest.raises(ConditionalCheckFailedException, match="The conditional request failed") as failed:
        await store.call("PutItem", {**create, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert failed.value.item == ITEM
    other = {"TableName": "orders", "Item": {**ITEM, "pk": {"S": "other"}}}
    with pytest.raises(TransactionCanceledException) as cancelled:
        await store.call("TransactWriteItems", {"TransactItems": [{"Put": other}, {"Put": create}]})
    assert [reason["Code"] for reason in cancelled.value.reasons] == ["None", "ConditionalCheckFailed"]
    with pytest.raises(ResourceInUseException):
        await store.call("CreateTable", TABLE)
    with pytest.raises(ResourceNotFoundException):
        await store.call("GetItem", {"TableName": "nothing", "Key": KEY})
    with pytest.raises(ValidationException, match="key"):
        await store.call("GetItem", {"TableName": "orders", "Key": {"pk": {"S": "x"}}})
    with pytest.raises(UnknownOperationException):
        await store.call("MakeCoffee", {})


async def test_many_calls_at_once_each_get_their_own_answer(store):
    await store.call("CreateTable", TABLE)

    async def there_and_back(number: int) -> bool:
        item = {**ITEM, "pk": {"S": str(number)}, "text": {"S": "x" * number * 10}}
        await store.call("PutItem", {"TableName": "orders", "Item": item})
        found = await store.call(
            "GetItem", {"TableName": "orders", "Key": {"pk": item["pk"], "sk": item["sk"]}, "ConsistentRead": True}
        )
        return found == {"Item": item}

    assert all(await asyncio.gather(*[there_and_back(number) for number in range(100)]))


async def test_pages_of_a_megabyte_pass(store):
    await store.call("CreateTable", TABLE)
    for number in range(6):
        item = {**KEY, "sk": {"N": str(number)}, "big": {"S": "語" * 100_000}}
        await store.call("PutItem", {"TableName": "orders", "Item": item})
    pages, start = [], {}
    while True:
        page = await store.call("Scan", {"TableName": "orders", **start})
        pages.append(page["Count"])
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    assert sum(pages) == 6
    assert len(pages) > 1
