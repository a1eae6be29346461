"""BatchGetItem."""

from __future__ import annotations

import pytest

from sekkei.engine import operations
from sekkei.engine.storage.transaction import Transaction
from sekkei.errors import (
    InternalServerError,
)
from tests.engine.conftest import Tables, item
from tests.engine.refusals import AT_LEAST_ONE, keys, refusal


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


def test_batch_get_limits() -> None:
    at = "1 validation error detected: Value at 'RequestItems.abc.member.Keys' failed to satisfy constraint: "
    text = refusal("BatchGetItem", {"RequestItems": {"abc": {"Keys": keys(101)}}})
    assert text == at + "Member must have length less than or equal to 100"
    assert refusal("BatchGetItem", {"RequestItems": {"abc": {"Keys": []}}}) == at + AT_LEAST_ONE
    two = {"abc": {"Keys": keys(60)}, "abd": {"Keys": keys(60)}}
    assert refusal("BatchGetItem", {"RequestItems": two}) == "Too many items requested for the BatchGetItem call"
    assert [
        len(part.keys)
        for part in operations.check("BatchGetItem", {"RequestItems": {"abc": {"Keys": keys(100)}}}).parts
    ] == [100]


def test_batch_get_duplicates() -> None:
    twice = [{"a": {"N": "1"}, "b": {"S": "x"}}, {"b": {"S": "x"}, "a": {"N": "1.0"}}]
    text = refusal("BatchGetItem", {"RequestItems": {"abc": {"Keys": twice}}})
    assert text == "Provided list of item keys contains duplicates"


def test_batch_get_projections_are_of_one_kind() -> None:
    tables = {
        "abc": {"Keys": keys(1), "ProjectionExpression": "a"},
        "abd": {"Keys": keys(1), "AttributesToGet": ["a"]},
    }
    assert refusal("BatchGetItem", {"RequestItems": tables}) == (
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
    )
