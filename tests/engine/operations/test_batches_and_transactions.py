"""BatchGetItem, BatchWriteItem, TransactGetItems and TransactWriteItems."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sekkei.engine.storage.transaction import Transaction
from sekkei.errors import (
    IdempotentParameterMismatchException,
    InternalServerError,
    ResourceNotFoundException,
    TransactionCanceledException,
    ValidationException,
)
from tests.engine.conftest import Tables, item


def put(pk: str, sk: int, condition: str | None = None, **more: Any) -> dict[str, Any]:
    action: dict[str, Any] = {"TableName": "items", "Item": item(pk=pk, sk=sk, **more)}
    return {"Put": {**action, **({"ConditionExpression": condition} if condition else {})}}


def add(pk: str, sk: int, amount: int) -> dict[str, Any]:
    return {
        "Update": {
            "TableName": "items",
            "Key": item(pk=pk, sk=sk),
            "UpdateExpression": "ADD n :n",
            "ExpressionAttributeValues": {":n": {"N": str(amount)}},
        }
    }


async def test_a_batch_writes_and_deletes(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="gone", sk=1)
    requests: list[dict[str, Any]] = [{"PutRequest": {"Item": item(pk="a", sk=n)}} for n in range(24)]
    requests.append({"DeleteRequest": {"Key": item(pk="gone", sk=1)}})
    assert await tables("BatchWriteItem", RequestItems={"items": requests}) == {"UnprocessedItems": {}}
    assert len(await tables.all()) == 24


async def test_a_batch_with_one_bad_item_writes_nothing(tables: Tables) -> None:
    await tables.create()
    requests = [{"PutRequest": {"Item": item(pk="a", sk=1)}}, {"PutRequest": {"Item": item(pk="a")}}]
    with pytest.raises(ValidationException):
        await tables("BatchWriteItem", RequestItems={"items": requests})
    with pytest.raises(ResourceNotFoundException):
        await tables("BatchWriteItem", RequestItems={"items": requests[:1], "nowhere": requests[:1]})
    with pytest.raises(ValidationException, match="duplicates"):
        await tables("BatchWriteItem", RequestItems={"items": [requests[0], requests[0]]})
    assert await tables.all() == []


async def test_a_batch_over_several_tables_replaces_and_deletes_what_is_there(tables: Tables) -> None:
    await tables.create()
    await tables.create_plain()
    await tables.put(pk="a", sk=1, x="old", g="g1")
    await tables.put("plain", pk="a", x="old")
    await tables(
        "BatchWriteItem",
        RequestItems={
            "items": [{"PutRequest": {"Item": item(pk="a", sk=1, x="new", g="g2")}}],
            "plain": [{"DeleteRequest": {"Key": item(pk="a")}}, {"PutRequest": {"Item": item(pk="b")}}],
        },
    )
    assert await tables.all("items", index="by_g") == [item(pk="a", sk=1, x="new", g="g2")]
    assert await tables.all("plain") == [item(pk="b")]


async def test_a_batch_of_many_keys_answers_in_their_order_and_skips_what_is_not_there(tables: Tables) -> None:
    await tables.create()
    for n in range(0, 100, 2):
        await tables.put(pk="a", sk=n)
    keys = [item(pk="a", sk=n) for n in reversed(range(100))]
    answer = await tables("BatchGetItem", RequestItems={"items": {"Keys": keys}})
    assert answer["Responses"]["items"] == [item(pk="a", sk=n) for n in reversed(range(0, 100, 2))]


async def test_a_batch_never_answers_with_a_damaged_item(tables: Tables) -> None:
    await tables.create_plain()
    for name in "abc":
        await tables.put("plain", pk=name, x="sound")

    def damage(transaction: Transaction) -> None:
        transaction.connection.execute("UPDATE items_1 SET item = replace(item, 'sound', 'bound') WHERE row = 2")

    await tables.engine._writer.run(damage)
    keys = [item(pk=name) for name in "abc"]
    with pytest.raises(InternalServerError, match="checksum"):
        await tables("BatchGetItem", RequestItems={"plain": {"Keys": keys}})
    puts = [{"PutRequest": {"Item": item(pk=name, x="new")}} for name in "abc"]
    with pytest.raises(InternalServerError, match="checksum"):
        await tables("BatchWriteItem", RequestItems={"plain": puts})
    assert await tables.get("plain", pk="a") == item(pk="a", x="sound")


async def test_a_batch_gets_from_several_tables(tables: Tables) -> None:
    await tables.create()
    await tables.create_plain()
    await tables.put(pk="a", sk=1, x="y")
    await tables.put("plain", pk="p", x="z")
    response = await tables(
        "BatchGetItem",
        RequestItems={
            "items": {"Keys": [item(pk="a", sk=1), item(pk="a", sk=2)], "ProjectionExpression": "x"},
            "plain": {"Keys": [item(pk="p")]},
        },
    )
    assert response["Responses"] == {"items": [item(x="y")], "plain": [item(pk="p", x="z")]}
    assert response["UnprocessedKeys"] == {}


async def test_a_large_batch_leaves_a_rest(tables: Tables) -> None:
    await tables.create()
    for number in range(45):
        await tables.put(pk="a", sk=number, x="x" * 390_000)
    keys = [item(pk="a", sk=number) for number in range(45)]
    response = await tables("BatchGetItem", RequestItems={"items": {"Keys": keys}})
    rest = response["UnprocessedKeys"]["items"]["Keys"]
    assert len(response["Responses"]["items"]) + len(rest) == 45
    assert 0 < len(rest) < 10


async def test_a_transaction_happens_whole(tables: Tables) -> None:
    await tables.create()
    await tables("TransactWriteItems", TransactItems=[put("a", 1), add("a", 2, 5)])
    assert await tables.all() == [item(pk="a", sk=1), item(pk="a", sk=2, n=5)]


async def test_a_transaction_fails_whole_and_says_why(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="there")
    check = put("a", 1, "attribute_not_exists(pk)")
    check["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    wrong = add("a", 1, 1)
    wrong["Update"]["UpdateExpression"] = "ADD x :n"
    wrong["Update"]["Key"] = item(pk="a", sk=9)
    await tables.put(pk="a", sk=9, x="text")
    with pytest.raises(TransactionCanceledException) as cancelled:
        await tables("TransactWriteItems", TransactItems=[put("b", 1), check, wrong])
    assert [reason["Code"] for reason in cancelled.value.reasons] == [
        "None",
        "ConditionalCheckFailed",
        "ValidationError",
    ]
    assert cancelled.value.reasons[1]["Item"] == item(pk="a", sk=1, x="there")
    assert "[None, ConditionalCheckFailed, ValidationError]" in cancelled.value.message
    assert await tables.get(pk="b", sk=1) is None


async def test_two_actions_on_one_item_are_refused(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ValidationException, match="cannot include multiple operations on one item"):
        await tables("TransactWriteItems", TransactItems=[put("a", 1), add("a", 1, 1)])


async def test_a_token_makes_a_repetition_harmless(tables: Tables) -> None:
    await tables.create()
    for _ in range(3):
        await tables("TransactWriteItems", TransactItems=[add("a", 1, 1)], ClientRequestToken="once")
    assert await tables.get(pk="a", sk=1) == item(pk="a", sk=1, n=1)
    with pytest.raises(IdempotentParameterMismatchException):
        await tables("TransactWriteItems", TransactItems=[add("a", 1, 2)], ClientRequestToken="once")
    tables.clock.advance(601)
    await tables("TransactWriteItems", TransactItems=[add("a", 1, 1)], ClientRequestToken="once")
    assert await tables.get(pk="a", sk=1) == item(pk="a", sk=1, n=2)


async def test_a_failed_transaction_does_not_use_up_its_token(tables: Tables) -> None:
    await tables.create()
    request = {"TransactItems": [put("a", 1, "attribute_not_exists(pk)")], "ClientRequestToken": "t"}
    await tables.put(pk="a", sk=1)
    with pytest.raises(TransactionCanceledException):
        await tables("TransactWriteItems", **request)
    await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=1))
    await tables("TransactWriteItems", **request)
    assert await tables.get(pk="a", sk=1) is not None


async def test_concurrent_transactions_lose_nothing(tables: Tables) -> None:
    await tables.create()
    actions = [add("a", 1, 1), add("a", 2, -1)]
    await asyncio.gather(*(tables("TransactWriteItems", TransactItems=actions) for _ in range(200)))
    assert await tables.all() == [item(pk="a", sk=1, n=200), item(pk="a", sk=2, n=-200)]


async def test_transact_get(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="y", z="more")
    gets = [
        {"Get": {"TableName": "items", "Key": item(pk="a", sk=1), "ProjectionExpression": "x"}},
        {"Get": {"TableName": "items", "Key": item(pk="a", sk=2)}},
    ]
    response = await tables("TransactGetItems", TransactItems=gets, ReturnConsumedCapacity="TOTAL")
    assert response["Responses"] == [{"Item": item(x="y")}, {}]
    assert response["ConsumedCapacity"] == [{"TableName": "items", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]
